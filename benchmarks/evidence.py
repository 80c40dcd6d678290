"""How far the log evidence of a sweep varies: smc by itself, with moves and with delayed draws, on a regression of 100
rows and on the paper's linear dynamical system.

python -m benchmarks.evidence
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from pplc import Model, compile_text, load

METHODS = ("smc", "smc(1000) | rw(globals)*5")
SWEEPS = 20


def regression(rows: int = 100) -> str:
    """A program: intercept, slope and noise are unknown."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=rows)
    y = 1 + 2 * x + 0.5 * rng.normal(size=rows)
    data = " ".join(f"[{u:.4f} {v:.4f}]" for u, v in zip(x, y))
    return f"""
        [assume a (sample (normal 0 10))]
        [assume b (sample (normal 0 10))]
        [assume s (sample (gamma 1 1))]
        [for [[x y] [{data}]] [observe (normal (+ a (* b x)) s) y]]
        [predict a]"""


def show(model: Model, method: str, delayed: bool = False, **settings: float) -> None:
    """Print a line for a method."""
    begun = time.process_time()
    posterior = model.infer(method, particles=1000, sweeps=SWEEPS, seed=1, delayed=delayed, **settings)
    used = (time.process_time() - begun) / SWEEPS
    logs = np.concatenate(posterior.log_estimates())
    name = f"{method}{', delayed' if delayed else ''}"
    print(f"{name:<28} sd of log evidence {logs.std(ddof=1):.2f}, mean {logs.mean():.2f}, {used:.2f} s a sweep")


def main() -> None:
    """Print a line for each method."""
    print("a regression of 100 rows")
    model = compile_text(regression())
    for method in METHODS:
        show(model, method, ess_threshold=0.5)
    show(model, "smc", delayed=True, ess_threshold=0.5)
    print("programs/kalman.clj, log evidence 3014.40")
    kalman = load(Path(__file__).parent.parent / "programs" / "kalman.clj")
    for delayed in (False, True):
        show(kalman, "smc", delayed)


if __name__ == "__main__":
    main()
