"""The models of `benchmarks.effective`: programs, data, and what draws are checked against."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.models import crp

PROGRAMS: Final = Path(__file__).parents[1] / "programs"


class Model(NamedTuple):
    """A model: its text, its data, the predicts whose draws are compared, and how many sweeps there are.

    `reference` is another method, of which a long run has been kept, and its number of sweeps."""

    text: str
    data: Callable[[np.random.Generator], dict[str, Any]]
    labels: tuple[str, ...]
    reference: tuple[str, int]
    sweeps: int = 20_000
    burn_in: int = 1_000


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


def _states(rng: np.random.Generator) -> dict[str, Any]:
    rows = np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.2, 0.75]])
    z = [0]
    for _ in range(99):
        z.append(int(rng.choice(3, p=rows[z[-1]])))
    return {"y": rng.normal(np.array([-2.0, 0.0, 2.0])[z], 1.0).tolist()}


def _clusters(rng: np.random.Generator) -> dict[str, Any]:
    z = rng.choice(3, p=[0.3, 0.4, 0.3], size=100)
    return {"y": rng.normal(np.array([-3.0, 0.0, 3.0])[z], 1.0).tolist()}


def _counts(rng: np.random.Generator) -> dict[str, Any]:
    return {"y": [*map(int, rng.poisson(4.0, 25)), *map(int, rng.poisson(2.0, 35))]}


def _none(rng: np.random.Generator) -> dict[str, Any]:
    return {}


MODELS: Final = {
    "linear regression, N=100": Model(
        """[input x] [input y]
        [assume a (sample (normal 0 5))] [assume b (sample (normal 0 5))] [assume s (sample (gamma 2 2))]
        [for [i (range (count y))] [observe (normal (+ a (* b (nth x i))) s) (nth y i)]]
        [predict a] [predict b] [predict s]""",
        _line, ("a", "b", "s"), ("rw", 100_000),
    ),
    "logistic regression, N=200": Model(
        """[input u] [input v] [input y]
        [assume a (sample (normal 0 3))] [assume b (sample (normal 0 3))] [assume c (sample (normal 0 3))]
        [for [i (range (count y))]
          [observe (flip-logit (+ a (* b (nth u i)) (* c (nth v i)))) (nth y i)]]
        [predict a] [predict b] [predict c]""",
        _coins, ("a", "b", "c"), ("rw", 100_000),
    ),
    "eight schools": Model(
        """[input y] [input s]
        [assume mu (sample (normal 0 5))] [assume tau (sample (gamma 2 0.2))]
        [assume z (mem (lambda (i) (sample (normal 0 1))))]
        [for [i (range 8)] [observe (normal (+ mu (* tau (z i))) (nth s i)) (nth y i)]]
        [predict mu] [predict tau] [predict (z 0)]""",
        _schools, ("mu", "tau", "(z 0)"), ("rw", 100_000),
    ),
    "HMM, unknown matrix, T=100": Model(
        """[input y]
        [assume a (sample (dirichlet [1 1 1]))] [assume b (sample (dirichlet [1 1 1]))]
        [assume c (sample (dirichlet [1 1 1]))] [assume rows [a b c]]
        [assume z (mem (lambda (t) (sample (discrete (if (< t 1) [1 1 1] (nth rows (z (dec t))))))))]
        [for [t (range (count y))] [observe (normal (nth [-2 0 2] (z t)) 1) (nth y t)]]
        [predict (nth a 0)] [predict (nth b 1)] [predict (nth c 2)]""",
        _states, ("(nth a 0)", "(nth b 1)", "(nth c 2)"), ("rw", 50_000), 4_000, 500,
    ),
    "stochastic volatility, T=200": Model(
        """[input y]
        [assume mu (sample (normal -1 1))] [assume phi (sample (beta 20 2))] [assume q (sample (gamma 2 8))]
        [assume h (mem (lambda (t) (if (< t 1) (sample (normal mu 0.6))
                                     (sample (normal (+ mu (* phi (- (h (- t 1)) mu))) q)))))]
        [for [t (range (count y))] [observe (normal 0 (exp (/ (h t) 2.0))) (nth y t)]]
        [predict mu] [predict phi] [predict q]""",
        _returns, ("mu", "phi", "q"), ("rw + rw(globals, noise)*5", 100_000), 10_000,
    ),
    "mixture, K=3, N=100": Model(
        """[input y] [assume w (sample (dirichlet [2 2 2]))]
        [assume m0 (sample (normal -3 1))] [assume m1 (sample (normal 0 1))] [assume m2 (sample (normal 3 1))]
        [assume s (sample (gamma 2 2))] [assume z (mem (lambda (i) (sample (discrete w))))]
        [for [i (range (count y))] [observe (normal (nth [m0 m1 m2] (z i)) s) (nth y i)]]
        [predict m0] [predict m1] [predict m2] [predict s] [predict (nth w 1)]""",
        _clusters, ("m0", "m1", "m2", "s", "(nth w 1)"), ("rw", 100_000), 4_000, 500,
    ),
    "CRP mixture, N=100": Model(
        crp(100).text.replace("[predict (class 1)]", "[predict (= (class 0) (class 1))]").replace(
            "[predict (class 99)]", '[predict "classes" (+ 1 (reduce max 0 (map class (range 0 100))))]'
        ),
        _none, ("classes",), ("pgas", 20_000), 4_000, 200,
    ),
    "change point, T=60": Model(
        """[input y] [assume change (sample (uniform-discrete 1 60))]
        [assume before (sample (gamma 2 0.5))] [assume after (sample (gamma 2 0.5))]
        [for [t (range (count y))] [observe (poisson (if (< t change) before after)) (nth y t)]]
        [predict change] [predict before] [predict after]""",
        _counts, ("change", "before", "after"), ("rw", 100_000), 10_000, 500,
    ),
    "kalman, omega and q": Model(
        (PROGRAMS / "kalman.clj").read_text(encoding="utf-8"),
        _none, ("omega", "q"), ("rw*3 + slice(omega q) + slice(omega q, noise)", 20_000), 4_000, 500,
    ),
}  # fmt: skip
