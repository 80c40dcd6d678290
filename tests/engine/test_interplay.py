"""Programs in which several features meet, by every method with few particles, against their exact posteriors.

Each estimate is compared with the exact probability by batch means: 30 batches, so that the ratio of the difference
and its standard error has Student's law with 29 degrees of freedom, if batches are longer than the chain remembers.
A bound of 6 is passed by chance once in 600,000 estimates; seeds are fixed. PPLC_LONG=1 runs all methods, and longer.
The same programs are compared with the reference engine in `test_against_reference`.
"""

from __future__ import annotations

import math
import os
from functools import cache
from typing import Any, Final

import numpy as np
import pytest
from tests.share import share

from pplc import compile_text

from .interplay import INTERPLAY
from .kernels import Kernel
from .sweeps import compiled

LONG: Final = bool(os.environ.get("PPLC_LONG"))
BATCHES, BOUND = 30, 6.0
SWEEPS: Final = 1500 if LONG else 300
RUNS: Final[tuple[tuple[str, int, dict[str, Any]], ...]] = (
    ("importance", 20, {}),
    ("pgas", 3, {}),
    *(
        (
            ("importance", 2, {}),
            ("smc", 5, {}),
            ("icsmc", 3, {}),
            ("icsmc", 5, {"resampling": "systematic"}),
            ("pgas", 2, {}),
            ("pgas", 5, {}),
            ("pgas", 3, {"strict": True}),
            ("pgas", 5, {"resampling": "residual"}),
        )
        if LONG
        else ()
    ),
)


@cache
def exact(source: str) -> dict[str, float]:
    """The posterior probability that each predict is true, by enumeration."""
    kernel = Kernel(compiled(source).plan)
    law: dict[str, float] = {}
    with kernel.enumerated():
        for _, predicts, probability in kernel.posterior():
            for label, key in predicts:
                law[label] = law.get(label, 0.0) + probability * (key == ("bool", True))
    return law


def differences(source: str, answers: dict[str, float], method: str, particles: int, **options: Any) -> list[str]:
    """What is further from the exact answers than the bound."""
    found = compile_text(source).infer(method, particles=particles, sweeps=SWEEPS, seed=3, **options)
    wrong = []
    for label, probability in answers.items():
        values, weights = found.values(label)
        truths = np.array([value is True or value is np.True_ for value in values], float)
        mean = float(np.average(truths, weights=weights))
        residual = weights * (truths - mean) / np.sum(weights)
        batch = found.gathered(label).sweeps * BATCHES // len(found.sweeps)
        error = math.sqrt(BATCHES * np.bincount(batch, weights=residual, minlength=BATCHES).var(ddof=1))
        if abs(mean - probability) > BOUND * error:
            wrong.append(f"{method} {particles} {options} {label}: {mean:.4f} +- {error:.4f}, not {probability:.4f}")
    return wrong


@pytest.mark.parametrize("name", share(INTERPLAY, 8))
def test_exact_answers(name: str) -> None:
    answers = exact(INTERPLAY[name])
    assert answers and all(0.05 < probability < 0.95 for probability in answers.values())
    wrong = [line for run in RUNS for line in differences(INTERPLAY[name], answers, run[0], run[1], **run[2])]
    assert not wrong, "\n".join(wrong)


URN = """
[assume draw (mem (fn [k] (sample PROCESS)))]
[assume pair (fn [i] (list (draw i) (draw (+ i 1))))]
[assume i (sample (uniform-discrete 0 2))]
[assume f (if (= (draw 0) 1) pair (fn [j] (list (draw 3) (draw j))))]
[observe (flip (if (= (first (f i)) (second (f i))) 0.8 0.3)) true]
[observe PROCESS (draw i)]
[observe (flip (if (= (draw 2) 0) 0.7 0.4)) true]
[predict "i" (= i 1)]
[predict "same" (= (draw 0) (draw 2))]
[predict "one" (= (draw 1) 1)]
"""


@pytest.mark.slow
def test_a_dp_over_few_values_is_an_urn() -> None:
    """Enumerated as an urn, and drawn as a dp: with alpha 1.5, the weights of the base times 1.5."""
    urn = "[assume p (polya-urn [0.375 0.75 0.375])]" + URN.replace("PROCESS", "p")
    process = "[assume p (dp 1.5 (discrete [1 2 1]))]" + URN.replace("PROCESS", "p")
    answers = exact(urn)
    for method, particles, options in RUNS:
        assert not differences(process, answers, method, particles, **options)


def normal(values: list[float], covariance: list[list[float]]) -> float:
    """The density of a centred normal law."""
    y, v = np.array(values), np.array(covariance)
    return float(np.exp(-0.5 * y @ np.linalg.solve(v, y)) / np.sqrt(np.linalg.det(2 * np.pi * v)))


DP_IN_CLOSURES = """
[assume maker (mem (fn [k] (let [p (dp (+ k 0.5) (normal 0 1))] (fn [] (sample p)))))]
[assume k (sample (uniform-discrete 0 2))]
[assume x (mem (fn [i] ((maker (if (< i 2) k 0)))))]
[observe (normal (x 0) 0.5) 0.8]
[observe (normal (x 1) 0.5) 0.6]
[predict "k" (= k 1)]
[predict "same" (= (x 0) (x 1))]
"""


def test_a_dp_in_closures_of_a_memo() -> None:
    together, apart = normal([0.8, 0.6], [[1.25, 1], [1, 1.25]]), normal([0.8], [[1.25]]) * normal([0.6], [[1.25]])
    parts = {k: (together / (1 + alpha), apart * alpha / (1 + alpha)) for k, alpha in enumerate((0.5, 1.5))}
    total = sum(map(sum, parts.values()))
    answers = {"k": sum(parts[1]) / total, "same": (parts[0][0] + parts[1][0]) / total}
    for method, particles, options in RUNS:
        assert not differences(DP_IN_CLOSURES, answers, method, particles, **options)


GP_PASSED_AROUND = """
[assume wide (gp (fn [x] 0.0) (fn [x y] (exp (* -0.1 (square (- x y))))))]
[assume narrow (gp (fn [x] 0.0) (fn [x y] (exp (* -2 (square (- x y))))))]
[assume f (if (sample (flip 0.5)) wide narrow)]
[assume value (mem (fn [g x] (sample (g x))))]
[observe (normal (value f 0) 0.5) 0.9]
[assume i (sample (uniform-discrete 0 3))]
[observe (normal (value f i) 0.5) 0.7]
[observe (f 0.5) 0.8]
[predict "wide" (= f wide)]
[predict "i" (= i 1)]
"""


@pytest.mark.slow
def test_a_gp_given_to_a_memo() -> None:
    weights = {}
    for scale in (0.1, 2.0):
        for i in range(3):
            points = [0.0, float(i), 0.5]
            covariance = [[math.exp(-scale * (a - b) ** 2) for b in points] for a in points]
            covariance[0][0] += 0.25
            covariance[1][1] += 0.25
            weights[scale, i] = normal([0.9, 0.7, 0.8], covariance)
    total = sum(weights.values())
    answers = {
        "wide": sum(weights[0.1, i] for i in range(3)) / total,
        "i": (weights[0.1, 1] + weights[2.0, 1]) / total,
    }
    for method, particles, options in RUNS:
        assert not differences(GP_PASSED_AROUND, answers, method, particles, **options)
