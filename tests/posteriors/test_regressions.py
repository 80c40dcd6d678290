"""Programs that once came out wrong, each with its exact answer and the methods that it is about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import pytest
from tests.share import share

from pplc import compile_text

Runs: TypeAlias = tuple[tuple[str, int, dict[str, Any]], ...]
"""Methods, particles and options."""
CHAINS: Final[Runs] = (("icsmc", 3, {}), ("pgas", 2, {}), ("pgas", 3, {}), ("pgas", 3, {"strict": True}))


@dataclass(frozen=True, slots=True)
class Case:
    """A program, what it predicts with the exact probability of true, and how many sweeps show it."""

    source: str
    answers: dict[str, float]
    sweeps: int = 400
    methods: Runs = CHAINS


CASES: Final = {
    "a value of a simplex does not stand for one of the plane": Case(
        """
        [assume a (sample (flip 0.3))]
        [observe (flip 0.5) true]
        [assume v (sample (if a (dirichlet [1.0 1.0]) (mvn [0.5 0.5] (* 0.1 (eye 2)))))]
        [observe (flip 0.5) true]
        [predict "a" a]
        """,
        {"a": 0.3},
        sweeps=200,
    ),
    "an error of an ancestor that the suffix before has ruled out does not count": Case(
        """
        [assume n (+ 1 (sample (uniform-discrete 0 3)))]
        [observe (flip (/ n 4)) true]
        [assume k (sample (uniform-discrete 0 n))]
        [observe (flip (if (= k 0) 0.3 0.6)) true]
        [assume v (nth (map (fn [i] (* i i)) (range n)) k)]
        [observe (flip (/ (+ v 1) 5)) true]
        [predict "one" (= n 1)]
        [predict "zero" (= k 0)]
        """,
        # n and k in 1 / 60: (1, 0) 0.3, (2, 0) 0.3, (2, 1) 1.2, (3, 0) 0.3, (3, 1) 1.2, (3, 2) 3
        {"one": 0.3 / 6.3, "zero": 0.9 / 6.3},
    ),
    "an error of an ancestor of weight zero does not count": Case(
        """
        [assume n (sample (uniform-discrete 0 3))]
        [observe (flip (if (= n 0) 0 0.7)) true]
        [assume b (sample (flip (/ 1 (* 2 n))))]
        [observe (flip (/ n 3)) true]
        [observe (flip (if b 0.9 (nth [0.2 0.5] (- n 1)))) true]
        [predict "two" (= n 2)]
        [predict "b" b]
        """,
        # n and b: (1, true) 0.45 / 3, (1, false) 0.1 / 3, (2, true) 0.225 * 2 / 3, (2, false) 0.375 * 2 / 3
        {"two": 1.2 / 1.75, "b": 0.9 / 1.75},
    ),
    "the arguments of a memo are not one argument that is a list": Case(
        """
        [assume m (mem (fn [& xs] (sample (flip 0.5))))]
        [observe (flip (if (= (m 1 2) (m [1 2])) 0.9 0.2)) true]
        [observe (flip (if (m) 0.9 0.3)) true]
        [predict "same" (= (m 1 2) (m [1 2]))]
        [predict "empty" (and (m) (m []))]
        """,
        {"same": 0.9 / 1.1, "empty": 0.375},
        methods=(("smc", 50, {}), ("pgas", 3, {})),
    ),
    "strict: lanes that part by a memo entry count their predicates apart": Case(
        """
        [assume m (mem (fn [i j] (sample (flip (if (= i j) 0.7 0.2)))))]
        [assume i (sample (uniform-discrete 0 2))]
        [observe (flip (if (m i 0) 0.9 0.3)) true]
        [assume k (if (m 0 1) (sample (uniform-discrete 0 3)) 1)]
        [observe (flip (if (m 0 k) 0.4 0.8)) true]
        [observe (flip (if (m k i) 0.7 0.1)) true]
        [predict "i" (= i 1)]
        [predict "k" (= k 1)]
        [predict "m" (m 0 0)]
        """,
        # summed over i, k and the entries that they ask for
        {"i": 0.56088, "k": 0.87934, "m": 0.77476},
        sweeps=1200,
        methods=(("pgas", 3, {"strict": True}), ("pgas", 5, {"strict": True}), ("pgas", 3, {})),
    ),
    "an entry that moves into a table of its memo is not kept beside it": Case(
        """
        [assume m (mem (fn [k] (sample (flip 0.4))))]
        [assume i (sample (uniform-discrete 0 2))]
        [assume a (if (sample (flip 0.5)) (m 0) true)]
        [observe (flip (if (m i) 0.9 0.3)) true]
        [observe (flip (if (m 0) 0.2 0.7)) a]
        [predict "i" (= i 1)]
        [predict "m" (m 0)]
        """,
        # i and (m 0) in 1 / 1000: (0, true) 36, (0, false) 45, (1, true) 21.6, (1, false) 81
        {"i": 102.6 / 183.6, "m": 57.6 / 183.6},
        methods=(("importance", 200, {}), ("smc", 50, {}), *CHAINS),
    ),
    "parameters of different lengths": Case(
        """
        [assume b (sample (flip 0.5))]
        [observe (flip (if b 0.6 0.5)) true]
        [assume z (sample (discrete (if b [1 1] [1 2 1])))]
        [observe (flip (nth [0.2 0.9 0.5] z)) true]
        [predict "b" b]
        [predict "z" (= z 1)]
        """,
        {"b": 0.33 / 0.6425, "z": 0.495 / 0.6425},
        methods=(("importance", 200, {}), ("smc", 50, {}), *CHAINS),
    ),
    "a process whose parameters differ in length": Case(
        """
        [assume b (sample (flip 0.5))]
        [assume p (polya-urn (if b [1 1] [1 2 1]))]
        [assume w (sample p)]
        [observe p 1]
        [observe p w]
        [predict "b" b]
        [predict "w" (= w 1)]
        """,
        {"b": 5 / 9, "w": 0.75},
        methods=(("importance", 200, {}), ("smc", 50, {}), *CHAINS),
    ),
    "a process whose base differs": Case(
        """
        [assume b (sample (flip 0.5))]
        [observe (flip (if b 0.6 0.5)) true]
        [assume w (sample (dp 1.0 (if b (normal 0 1) (poisson 3))))]
        [observe (normal w 1) 2.0]
        [predict "b" b]
        [predict "whole" (= w (floor w))]
        """,
        {"b": 0.39349, "whole": 1 - 0.39349},
        methods=(("importance", 200, {}), ("smc", 50, {}), *CHAINS),
    ),
    "a process made by some of the lanes, with parameters that vary": Case(
        """
        [assume v (if (sample (flip 0.5)) 0 2)]
        [assume b (sample (flip 0.5))]
        [assume xs (if b (let [p (dp 1.0 (normal v 1))] (list (sample p) (sample p))) '(1 1))]
        [observe (normal (first xs) 1) 2.0]
        [observe (normal (second xs) 1) 2.0]
        [predict "b" b]
        [predict "same" (and b (= (first xs) (second xs)))]
        """,
        {"b": 0.46852, "same": 0.26349},
        methods=(("importance", 200, {}), ("smc", 50, {}), *CHAINS),
    ),
    "a memo keyed by a distribution": Case(
        """
        [assume m (mem (fn [d] (sample d)))]
        [assume p (if (sample (flip 0.5)) 0.3 0.6)]
        [observe (flip (if (m (flip p)) 0.9 0.2)) true]
        [observe (flip (if (m (flip 0.3)) 0.9 0.2)) true]
        [predict "p" (= (flip p) (flip 0.3))]
        [predict "m" (m (flip 0.6))]
        """,
        # p = 0.3: one entry seen twice, 0.3 * 0.81 + 0.7 * 0.04; p = 0.6: two entries, 0.62 * 0.41
        {"p": 0.271 / 0.5252, "m": (0.271 * 0.6 + 0.54 * 0.41) / 0.5252},
        methods=(("importance", 200, {}), ("smc", 50, {}), *CHAINS),
    ),
    "an argument of a memo that is a process whose parameter varies": Case(
        """
        [assume b (sample (flip 0.5))]
        [assume p (crp (if b 0.5 3.0))]
        [assume m (mem (fn [process i] (sample process)))]
        [assume i (sample (uniform-discrete 0 3))]
        [observe (flip 0.5) true]
        [assume same (= (m p i) (m p (+ i 1)))]
        [observe (flip (if same 0.9 0.3)) true]
        [predict "b" b]
        [predict "same" same]
        """,
        # same: 1 / (1 + alpha), that is 2 / 3 and 1 / 4
        {"b": 0.7 / 1.15, "same": 0.825 / 1.15},
        sweeps=2000,
        methods=(("importance", 200, {}), ("smc", 50, {}), *CHAINS),
    ),
    "a point of a gp that only some lanes know": Case(
        """
        [assume f (gp (fn [x] 0.0) (fn [x y] (exp (* -0.5 (- x y) (- x y)))))]
        [assume a (sample (f 0))]
        [observe (normal a 1) 0.9]
        [assume i (sample (uniform-discrete 0 2))]
        [assume b (sample (f i))]
        [observe (normal b 0.5) 0.9]
        [predict "i" (= i 1)]
        """,
        {"i": 0.44393},
    ),
}


@pytest.mark.parametrize("name", share(CASES, 7))
def test_exact_answer(name: str) -> None:
    case = CASES[name]
    program = compile_text(case.source)
    for method, particles, options in case.methods:
        found = program.infer(method, particles=particles, sweeps=case.sweeps, seed=1, **options)
        for label, probability in case.answers.items():
            mean = found.mean(label)
            error = _standard_error(found, label)
            what = f"{method} {particles} {options} {label}: {mean} +- {error}"
            assert abs(mean - probability) < 4 * error, what


def test_a_first_trajectory_without_a_fork_at_every_observe() -> None:
    program = compile_text(
        """
        [assume n (sample (uniform-discrete 0 4))]
        [observe (flip (nth [0.01 0.9 0.02 0.9] n)) true]
        [assume a (if (> n 1) (sample (flip 0.5)) true)]
        [observe (flip 0.5) true]
        [assume b (if a (sample (flip 0.3)) true)]
        [observe (flip 0.5) true]
        [assume c (if b (sample (flip 0.6)) false)]
        [observe (flip 0.5) true]
        [predict n]
        """
    )
    for seed in range(20):  # a mixture of two trajectories draws other values than the program asks for
        program.infer("icsmc", particles=4, sweeps=1, seed=seed, ess_threshold=0.8)


def _standard_error(found: Any, label: str) -> float:
    """From the means of 30 batches of sweeps."""
    values, weights = found.values(label)
    sweeps = found.gathered(label).sweeps
    residual = weights * (np.asarray(values, float) - found.mean(label))
    batches = np.bincount(sweeps * 30 // len(found.sweeps), weights=residual, minlength=30)
    return math.sqrt(30 * batches.var(ddof=1))
