"""How far the log evidence of a sweep varies: smc by itself and with moves, on a regression of 100 rows.

python -m benchmarks.evidence
"""

from __future__ import annotations

import time

import numpy as np

from pplc import compile_text

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


def main() -> None:
    """Print a line for each method."""
    model = compile_text(regression())
    for method in METHODS:
        begun = time.process_time()
        posterior = model.infer(method, particles=1000, sweeps=SWEEPS, seed=1, ess_threshold=0.5)
        used = (time.process_time() - begun) / SWEEPS
        logs = np.concatenate(posterior.log_estimates())
        print(f"{method:<28} sd of log evidence {logs.std(ddof=1):.2f}, mean {logs.mean():.2f}, {used:.2f} s a sweep")


if __name__ == "__main__":
    main()
