"""Scripts do what the program does: the same sweeps from the same random numbers, and the exact kernel.

A program without a fixed course must have none: each way in which executions may differ is there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY
from tests.reference.test_kernels import PROGRAMS
from tests.share import share

from pplc_runtime.results.json_values import to_json

from . import fixed
from .scripts import assert_both, assert_same, with_scripts
from .sweeps import ANYWHERE, chain, compiled

FILES = {path.stem: path.read_text() for path in sorted(Path("programs").glob("*.clj"))}
FIXED = {
    "bayes_net", "change_point", "epidemic", "gaussian_chain", "hmm", "kalman", "linear_regression",
    "logistic_regression", "nonlinear_ssm", "stochastic_volatility",
}  # fmt: skip
RANDOM = 200 if os.environ.get("PPLC_LONG") else 40


def test_which_programs_have_a_fixed_course() -> None:
    assert {name for name, source in FILES.items() if with_scripts(source).scripts is not None} == FIXED


@pytest.mark.parametrize("method", ANYWHERE)
@pytest.mark.parametrize("name", share(sorted(FIXED), 6))
def test_scripts_do_what_the_program_does(name: str, method: str) -> None:
    run = compiled(FILES[name]).plan
    straight = with_scripts(FILES[name])
    settings: dict[str, Any] = {"particles": 6, "sweeps": 6}
    assert_same(chain(run, method, 1, **settings), chain(straight, method, 1, **settings))
    assert straight.scripts.attempts == 6 and straight.scripts.failures == 0


@pytest.mark.parametrize("name", ["change_point", "epidemic", "gaussian_chain", "hmm"])
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("options", [{"ess_threshold": 0.5}, {"resampling": "systematic"}], ids=str)
def test_whatever_the_resampling(name: str, method: str, options: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"particles": 4, "sweeps": 10, **options}
    runs = compiled(FILES[name]).plan, with_scripts(FILES[name])
    assert_same(*(chain(run, method, 1, **settings) for run in runs))


STATES = """
[assume h (mem (lambda (t) (if (= t 0) (sample (normal 0 1)) (sample (normal (* 0.9 (h (- t 1))) 1)))))]
[for [t (range 6)] [observe (normal (h t) 0.5) (sin t)]]
"""
REPORTED = {
    "a vector by mapv": "[predict (mapv h (range 6))]",
    "in order": "[predict (sort (map h (range 6)))] [predict (reverse (sort-by abs (map h (range 6))))]",
    "text": '[predict "one" (str (h 3))] [predict (h 2)]',
    "draws of what was not drawn yet": "[predict (filter pos? (map h (range 9)))] [predict (mapv h (range 12))]",
    "draws": "[predict (if (> (h 0) 0) (sample (normal (h 0) 1)) 1.5)] [predict (h 7)]",
    "a map": "[predict {:low (apply min (mapv h (range 3))) (if (> (h 0) 0) :up :down) 1}]",
}
"""What is reported of one program of fixed course; none of these has a fixed course itself."""


@pytest.mark.parametrize("method", ANYWHERE)
@pytest.mark.parametrize("name", REPORTED)
def test_what_is_only_reported_does_not_decide_how_a_program_is_run(name: str, method: str) -> None:
    run, straight = compiled(STATES + REPORTED[name]).plan, with_scripts(STATES + REPORTED[name])
    assert straight.scripts is not None and straight.scripts.failures == 0
    one, other = (chain(each, method, 3, particles=5, sweeps=6) for each in (run, straight))
    assert straight.scripts.failures == 0
    for a, b in zip(one, other):
        np.testing.assert_allclose(a.log_weights, b.log_weights, rtol=1e-11, atol=1e-11)
        assert to_json(list(a.predicts.items())) == to_json(list(b.predicts.items()))


ANEW = """
[assume x (sample (normal 0 1))]
[for [t (range 5)]
  [assume y (sample (normal (* t x) 1))]
  [observe (normal y 1) (sin t)]
  [predict "now" (MADE y)]]
[predict "last" y]
"""


@pytest.mark.parametrize("method", ANYWHERE)
@pytest.mark.parametrize("made", ["+", "str", "(lambda (a) (+ (* 0 y) a))"])
def test_a_predict_reports_what_its_loop_had_assumed(method: str, made: str) -> None:
    run, straight = compiled(ANEW.replace("MADE", made)).plan, with_scripts(ANEW.replace("MADE", made))
    assert straight.scripts is not None
    for each in (run, straight):
        for sweep in chain(each, method, 3, particles=5, sweeps=3):
            now = np.array([sweep.predicts[f"now#{k}" if k > 1 else "now"] for k in range(1, 6)], float)
            np.testing.assert_allclose(now[4], np.asarray(sweep.predicts["last"], float))
            assert (now[0] != now[4]).all() and (now[2] != now[3]).all()


VECTORS = """
[assume w (sample (mvn [0 0 0] (eye 3)))]
[assume v (sample (normal [0 0] 1))]
[assume k (sample (poisson [1 2 3]))]
[observe (normal (reduce + (map * [1 2 3] w)) 1) 2]
[observe (normal (+ (reduce + w) (sum (rest w)) (apply + (take 2 w))) 1) 2]
[observe (normal (first (drop 1 v)) 1) (last (take 3 (iterate (fn [x] (+ x 0.5)) 1.0)))]
[observe (normal (nth (reduce (fn [a x] (* a x)) v w) 1) 1) 0]
[observe (normal (apply dot v [[1 2]]) 1) 0]
[observe (normal (first (first (partition 2 (reductions + w)))) 1) 0]
[observe (normal (last (take 4 (iterate (fn [x] (* x (first v))) 1.0))) 1) 0.3]
[observe (normal (sum (mapv + v (concat v w))) 1) 0]
[observe (poisson (+ 1 (sum (map inc k)) (second (seq k)))) 4]
[predict (nth (reverse w) 0)]
[predict (sum (map inc (subvec w 1)))]
[predict (sum (flatten [w v 1 (next k) (butlast k)]))]
"""


@pytest.mark.parametrize("method", ANYWHERE)
def test_elements_of_drawn_vectors_are_values(method: str) -> None:
    run, straight = compiled(VECTORS).plan, with_scripts(VECTORS)
    assert straight.scripts is not None
    assert_both(run, straight, method, 1, 5)


@pytest.mark.parametrize("seed", share(range(RANDOM), 8))
def test_random_programs(seed: int) -> None:
    source = fixed.program(seed)
    run, straight = compiled(source).plan, with_scripts(source)
    for method in ANYWHERE:
        assert_both(run, straight, method, seed, 5)


@pytest.mark.slow
def test_random_programs_have_a_fixed_course() -> None:
    """Nearly all of them: some cannot be traced because no particle of the trace passes their observes."""
    count = sum(with_scripts(fixed.program(seed)).scripts is not None for seed in range(40))
    assert count >= 36


# The kernel


# When there are none, and when they fail


def test_tiny_programs_agree() -> None:
    """Every small program, whether it has a fixed course or not."""
    for program in (*(tiny.source for tiny in TINY.values()), *PROGRAMS.values()):
        run, straight = compiled(program).plan, with_scripts(program)
        if straight.scripts is not None:
            for method in ANYWHERE:
                assert_same(*(chain(each, method, 1, particles=5, sweeps=8) for each in (run, straight)))
