"""Statements under if, when, cond, let and do, and names that are assumed again: in both engines, and by scripts."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import pplc
from pplc.pipeline import check
from pplc.source import Source
from pplc_runtime.results.json_values import to_json

KIND = "[input kind 2]\n"
CERTAIN: dict[str, dict[str, Any]] = {
    "[if (= kind 1) [predict 'a 1] [predict 'a 2]]": {"a": 2},
    "[if (= kind 1) [predict 'a 1]]": {},
    "[if-not (= kind 1) [predict 'a 1] [predict 'a 2]]": {"a": 1},
    "[when (= kind 2) [predict 'a 1] [predict 'b 2]]": {"a": 1, "b": 2},
    "[when-not (= kind 2) [predict 'a 1] [predict 'b 2]]": {},
    "[cond (= kind 1) [predict 'a 1] (= kind 2) [predict 'a 2] :else [predict 'a 3]]": {"a": 2},
    "[cond (= kind 1) [predict 'a 1] :else (do [predict 'a 3] [predict 'b 4])]": {"a": 3, "b": 4},
    "[let [x 3 [y z] [x 4] {:keys [w] :or {w 9}} {}] [predict 'a (+ x y z w)]]": {"a": 19},
    "[let [x 1] [let [x (+ x 1)] [predict 'a x]] [predict 'b x]]": {"a": 2, "b": 1},
    "[for [d [[1 2] [3]]] [let [n (count d)] [dotimes [i n] [predict 'a (nth d i)]]]]": {"a": 1, "a#2": 2, "a#3": 3},
    "[for [d [1 2 3]] [when (odd? d) [predict 'a d]]]": {"a": 1, "a#2": 3},
    "[for [d [1 2 3]] [assume e (* d d)] [for [i (range e)] [when (= i 3) [predict 'a d]]]]": {"a": 2, "a#2": 3},
    "[for [t (range 2)] [assume x t]] [for [s [x]] [predict 'a s]]": {"a": 1},
    # the side that was taken
    "[if (= kind 1) [assume x 1] [assume x 2]] [predict 'a x]": {"a": 2},
    "[if (= kind 2) [assume f (fn [n] n)] (defn f [n] (* 2 n))] [predict 'a (f 5)]": {"a": 5},
    "[assume g (fn [] (f 5))] [if (= kind 1) [assume f (fn [n] n)] (defn f [n] (* 2 n))] [predict 'a (g)]": {"a": 10},
    "[assume x 1] [when (= kind 2) [assume x (+ x 10)]] [predict 'a x]": {"a": 11},
    "[assume x 1] [when (= kind 1) [assume x (+ x 10)]] [predict 'a x]": {"a": 1},
    "[when (= kind 2) [assume x 7]] [predict 'a x]": {"a": 7},
    "[if (= kind 2) [if (= kind 1) [assume x 1] [assume x 2]] [assume x 3]] [assume x (* x 5)] [predict 'a x]":
        {"a": 10},
    "[for [t [1 2]] [if (= t 1) [assume x 1] [assume x 5]] [predict 'a (+ x t)]]": {"a": 2, "a#2": 7},
    # names assumed again
    "[assume x 1] [predict 'a x] [assume x (+ x 1)] [predict 'b x] [assume x (* x 10)] [predict 'c x]":
        {"a": 1, "b": 2, "c": 20},
    "[assume x 1] [assume f (fn [] x)] [assume x 2] [predict 'a (f)] [predict 'b x]": {"a": 1, "b": 2},
    "[assume f (fn [n] 0)] [assume f (fn [n] (if (= n 0) 1 (* n (f (- n 1)))))] [predict 'a (f 4)]": {"a": 24},
    "[assume f (fn [n] (+ n 1))] [assume f (let [g f] (fn [n] (g (g n))))] [predict 'a (f 4)]": {"a": 6},
    "[assume x 1] [assume y (let [x 5] x)] [assume x 2] [predict 'a (let [x (+ x 1)] (* x y))]": {"a": 15},
    "[assume kind (+ kind 1)] [predict 'a kind]": {"a": 3},
    "[assume x 3] [predict 'a (+ x 1)] [predict 'b (+ x 2)] [assume x 5] [predict 'c (+ x 3)] [predict 'd (+ x 4)]":
        {"a": 4, "b": 5, "c": 8, "d": 9},
    "[for [t [1 2]] [assume x t] [assume x (* x 10)] [predict 'a x]]": {"a": 10, "a#2": 20},
}  # fmt: skip


@pytest.mark.parametrize("text", CERTAIN)
def test_certain(text: str) -> None:
    model = pplc.compile_text(KIND + text, "m.clj")
    for engine in ("lanes", "reference"):
        posterior = model.infer("smc", engine=engine, particles=2, sweeps=1, seed=1)
        found = {label: json.loads(to_json(posterior.values(label)[0][0])) for label in posterior.labels}
        assert found == CERTAIN[text], engine


PRIOR = "[input kind 2]\n[assume mu (sample (normal 0 1))]\n"
OBSERVES = (
    "[if (= kind 1) [observe (normal mu 5) 7.0] (do [observe (normal mu 1) 1.0] [observe (normal mu 1) 2.0])]",
    "[when (= kind 2) [observe (normal mu 1) 1.0]] [let [y 2.0] [when true [observe (normal mu 1) y]]]",
    "[for [y [1.0 99.0 2.0]] [when (< y 3) [let [s 1] [observe (normal mu s) y]]]]",
    "[assume y 1.0] [observe (normal mu 1) y] [assume y 2.0] [observe (normal mu 1) y]",
    "[let [m mu] [observe (normal m 1) 1.0] [let [m (* 2 m)] [observe (normal (/ m 2) 1) 2.0]]]",
    "[let [e (sample (normal mu 1))] [observe (dirac 1) 1] [let [x (- mu e)] [observe (normal mu 1) 1.0]]]"
    " [observe (normal mu 1) 2.0]",
)


@pytest.mark.parametrize("engine", ["lanes", "reference"])
@pytest.mark.parametrize("text", OBSERVES)
def test_two_observes_of_a_mean(text: str, engine: str) -> None:
    """Normal data 1 and 2 about a normal mean: N(1, 1/3), and their evidence is N((1, 2); 0, I + 11')."""
    evidence = -math.log(2 * math.pi) - 0.5 * math.log(3) - 0.5 * (5 - 9 / 3)
    particles, sweeps = (4000, 4) if engine == "lanes" else (300, 4)
    model = pplc.compile_text(PRIOR + text + '\n[predict "mu" mu]', "m.clj")
    posterior = model.infer("smc", engine=engine, particles=particles, sweeps=sweeps, seed=3)
    tolerance = 5 / math.sqrt(particles * sweeps)  # five standard errors: an error rate below 1e-5
    assert posterior.mean("mu") == pytest.approx(1.0, abs=tolerance)
    assert posterior.log_evidence == pytest.approx(evidence, abs=2 * tolerance)


@pytest.mark.parametrize("text", OBSERVES)
def test_pgas_of_a_mean(text: str) -> None:
    """By scripts, where there are any: as many sweeps as they take."""
    model = pplc.compile_text(PRIOR + text + '\n[predict "mu" mu]', "m.clj")
    posterior = model.infer("pgas", particles=200, sweeps=60, seed=3)
    assert posterior.mean("mu") == pytest.approx(1.0, abs=0.06)  # 12,000 draws: more than six standard errors


def test_warning_says_which_is_meant() -> None:
    found = check(Source("m.clj", "[assume x 1]\n[predict x]\n[assume x 2]\n[predict x]"))
    assert [warning.message for warning in found] == [
        "'x' is assumed in line 1 already; from here on it is another variable"
    ]
