"""Effective draws a CPU second of parameters that many observes read, beside NUTS of numpyro in the same run.

    python -m benchmarks.effective [MODEL ...]

The worst statistic of each model counts. Compiling and warm-up count for neither: what is timed are the draws after
them. One chain each; `effective draws` are computed by the same function. NUTS runs in benchmarks/peers_env (or the
interpreter that NUTS_PYTHON names) where numpyro is installed there, and is said to be missing otherwise.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import pplc
from pplc_runtime.results.convergence import effective_draws

HERE: Final = Path(__file__).parent
SWEEPS: Final = 20_000
BURN_IN: Final = 2_000


class Model(NamedTuple):
    """A model: its text, its data, the method, and the predicts whose draws are compared."""

    text: str
    data: Callable[[np.random.Generator], dict[str, Any]]
    method: str
    labels: tuple[str, ...]


def _line(rng: np.random.Generator) -> dict[str, Any]:
    x = rng.uniform(-2.0, 2.0, 100)
    return {"x": x.tolist(), "y": (1.0 + 2.5 * x + rng.normal(0.0, 0.7, 100)).tolist()}


def _coins(rng: np.random.Generator) -> dict[str, Any]:
    x = rng.normal(0.0, 1.0, (200, 2))
    p = 1.0 / (1.0 + np.exp(-(0.5 + x @ [1.5, -1.0])))
    return {"u": x[:, 0].tolist(), "v": x[:, 1].tolist(), "y": (rng.random(200) < p).tolist()}


def _returns(rng: np.random.Generator) -> dict[str, Any]:
    h = np.zeros(200)
    h[0] = rng.normal(-1.0, 0.6)
    for t in range(1, 200):
        h[t] = -1.0 + 0.95 * (h[t - 1] + 1.0) + 0.25 * rng.normal()
    return {"y": (np.exp(h / 2.0) * rng.normal(size=200)).tolist()}


def _schools(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "y": [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0],
        "s": [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0],
    }


MODELS: Final = {
    "linear regression, N=100": Model(
        """[input x] [input y]
        [assume a (sample (normal 0 5))] [assume b (sample (normal 0 5))] [assume s (sample (gamma 2 2))]
        [for [i (range (count y))] [observe (normal (+ a (* b (nth x i))) s) (nth y i)]]
        [predict a] [predict b] [predict s]""",
        _line, "rw", ("a", "b", "s"),
    ),
    "logistic regression, N=200": Model(
        """[input u] [input v] [input y]
        [assume a (sample (normal 0 3))] [assume b (sample (normal 0 3))] [assume c (sample (normal 0 3))]
        [for [i (range (count y))]
          [observe (flip-logit (+ a (* b (nth u i)) (* c (nth v i)))) (nth y i)]]
        [predict a] [predict b] [predict c]""",
        _coins, "rw", ("a", "b", "c"),
    ),
    "eight schools": Model(
        """[input y] [input s]
        [assume mu (sample (normal 0 5))] [assume tau (sample (gamma 2 0.2))]
        [assume z (mem (lambda (i) (sample (normal 0 1))))]
        [for [i (range 8)] [observe (normal (+ mu (* tau (z i))) (nth s i)) (nth y i)]]
        [predict mu] [predict tau] [predict (z 0)]""",
        _schools, "rw", ("mu", "tau", "(z 0)"),
    ),
    "stochastic volatility, T=200": Model(
        """[input y]
        [assume mu (sample (normal -1 1))] [assume phi (sample (beta 20 2))] [assume q (sample (gamma 2 8))]
        [assume h (mem (lambda (t) (if (< t 1) (sample (normal mu 0.6))
                                     (sample (normal (+ mu (* phi (- (h (- t 1)) mu))) q)))))]
        [for [t (range (count y))] [observe (normal 0 (exp (/ (h t) 2.0))) (nth y t)]]
        [predict mu] [predict phi] [predict q]""",
        _returns, "rw", ("mu", "phi", "q"),
    ),
}  # fmt: skip


def by_pplc(model: Model, data: dict[str, Any], sweeps: int) -> tuple[float, Any]:
    """The CPU seconds of so many draws, and these, by label."""
    compiled = pplc.compile_text(model.text)

    def run(number: int) -> tuple[float, Any]:
        start = time.process_time()
        posterior = compiled.infer(model.method, data=data, sweeps=number, burn_in=BURN_IN, seed=1, progress=False)
        return time.process_time() - start, posterior

    run(1)
    before, _ = run(1)
    after, posterior = run(sweeps)
    draws = {label: [float(s.predicts[label][0]) for s in posterior.sweeps] for label in model.labels}
    return after - before, draws


def by_nuts(name: str, data: dict[str, Any]) -> tuple[float, Any] | None:
    """The same of NUTS; None where there is no numpyro."""
    python = os.environ.get("NUTS_PYTHON") or str(HERE / "peers_env" / "bin" / "python")
    try:
        done = subprocess.run(
            [python, str(HERE / "peers" / "nuts.py"), name], input=json.dumps(data), capture_output=True, text=True
        )
        found = json.loads(done.stdout.splitlines()[-1])
    except (OSError, ValueError, IndexError):
        return None
    return found["seconds"], found["draws"]


def worst(draws: dict[str, list[float]]) -> float:
    """The fewest effective draws of a label."""
    return min(effective_draws(np.array([values])) for values in draws.values())


def main(names: list[str]) -> None:
    """One line a model."""
    print(f"{'':30} {'method':8} {'eff. draws/CPU s':>17} {'NUTS':>9} {'ratio':>7}   means (pplc | NUTS)")
    for name, model in MODELS.items():
        if names and name.split(",")[0] not in names:
            continue
        data = model.data(np.random.default_rng(7))
        seconds, draws = by_pplc(model, data, SWEEPS)
        rate = worst(draws) / seconds
        other = by_nuts(name, data)
        means = " ".join(f"{np.mean(draws[label]):.3g}" for label in model.labels)
        if other is None:
            print(f"{name:30} {model.method:8} {rate:17,.0f} {'missing':>9} {'':>7}   {means}")
            continue
        nuts = worst(other[1]) / other[0]
        others = " ".join(f"{np.mean(other[1][label]):.3g}" for label in model.labels)
        print(f"{name:30} {model.method:8} {rate:17,.0f} {nuts:9,.0f} {rate / nuts:7.1f}   {means} | {others}")


if __name__ == "__main__":
    main(sys.argv[1:])
