"""The number of lanes never changes what a program means: many lanes together report what each does alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from pplc import compile_text
from pplc_runtime.primitives.text import written
from pplc_runtime.results.json_values import to_json
from pplc_runtime.values import ModelError

PROGRAMS: Final[dict[str, str]] = {
    "a list and a vector with the same elements": """
        [assume b (sample (flip 0.5))]
        [assume x (if b (list 1 2) [1 2])]
        [assume m (mem (fn [v n] (vector? v)))]
        [predict (list b (str x) (m x (str b)))]""",
    "distributions are equal if family and parameters are": """
        [assume p (sample (uniform-discrete 1 4))]
        [assume d (if (= p 3) (bernoulli 0.25) (flip (/ p 4)))]
        [predict (list p (= d (flip 0.25)) (= (list d) (list (flip 0.5))) (= d (bernoulli (/ 1 4))))]""",
    "entries of a memo by distribution": """
        [assume calls (mem (fn [d n] (if (= d (flip 0.25)) n 0)))]
        [assume p (sample (uniform-discrete 1 4))]
        [assume n (sample (uniform-discrete 1 3))]
        [predict (list p n (calls (flip (/ p 4)) n) (calls (flip 0.25) 7))]""",
    "entries by a value of a categorical, a dirac and a point of a gp": """
        [assume f (gp (fn [x] 0.0) (fn [x y] 1.0))]
        [assume p (sample (uniform-discrete 1 4))]
        [assume m (mem (fn [d] p))]
        [assume found (list (m (dirac p)) (m (categorical [["a" p] ["b" 1]])) (m (f p)))]
        [predict (list p found (= (f p) (f 2)) (= (dirac p) (dirac 2)))]""",
    "procedures made of procedures are told apart by what they are made of": """
        [assume p (sample (uniform-discrete 1 4))]
        [assume m (mem (fn [f n] (f n)))]
        [assume equal (list (= (partial + p) (partial + 2)) (= (comp inc) (comp inc)))]
        [predict (list p (m (partial + p) 1) (m (partial + p) p) equal)]""",
    "closures of one place that differ in what they close over": """
        [assume p (sample (uniform-discrete 0 4))]
        [assume f (if (= p 0) nil (fn [] p))]
        [assume m (mem (fn [g n] (if (nil? g) "none" (g))))]
        [predict (list p (m f 1))]""",
    "NaN as a key": """
        [assume p (sample (uniform-discrete 0 3))]
        [assume m (mem (fn [x n] (nan? x)))]
        [predict (list p (m (log (- p 1)) p) (m (sqrt (- p 1)) p))]""",
    "integers that outgrow machine words": """
        [assume n (sample (uniform-discrete 18 24))]
        [assume factorial (fn [k] (if (= k 0) 1 (* k (factorial (dec k)))))]
        [assume x (factorial n)]
        [predict (list n x (+ x x) (- x) (square x) (quot x 7) (mod x 1000003) (/ x 2) (= x (factorial 21)))]""",
    "powers, sums and products of them": """
        [assume n (sample (uniform-discrete 1 8))]
        [assume x (pow 3 (* 6 n))]
        [assume xs [x x (* n n)]]
        [predict (list n x (pow (- n) 30) (sum xs) (product xs) (dot xs xs) (cumsum xs) (reduce + (list x x)))]""",
    "the ends of a machine word": """
        [assume n (sample (uniform-discrete 0 4))]
        [assume x (nth (list 9223372036854775807 -9223372036854775808 9223372036854775806 3) n)]
        [predict (list n x (inc x) (dec x) (- x) (abs x) (+ x n) (- n x) (* x n) (/ x -1) (min x 1e3))]""",
    "large integers as keys, parameters and branches": """
        [assume n (sample (uniform-discrete 0 4))]
        [assume x (pow 10 (* 9 n))]
        [assume m (mem (fn [k] (+ k 1)))]
        [assume t (mem (fn [k] (pow 10 (* 9 k))))]
        [assume d (normal (if (< n 2) x 0.5) 1)]
        [predict (list n (m x) (t n) (if (> n 1) x 7) (if (> n 1) 36893488147419103232 0.5) (= d (normal 1 1)))]""",
    "integers beyond 53 bits beside floats": """
        [assume n (sample (uniform-discrete 0 3))]
        [assume x (cond (= n 0) 9007199254740993 (= n 1) 0.5 :else 4)]
        [predict (list n x (+ x 1) (= x 9007199254740993) (= x 9007199254740992) (if (= n 0) x 1.5))]""",
    "large integers of a list with floats in it, by an index that varies": """
        [assume n (sample (uniform-discrete 0 4))]
        [assume x (nth (list 9007199254740993 0.5 9223372036854775807 1) n)]
        [predict (list n x (str x) (= x 9007199254740992) (if (< n 1) (inc x) 0))]""",
    "memoised procedures that differ": """
        [assume n (sample (uniform-discrete 0 3))]
        [assume m (mem (nth (list inc (fn [x] x) (partial + 2)) n))]
        [predict (list n (m 1) (str m))]""",
    "an integer in one lane and a float in another": """
        [assume n (sample (uniform-discrete 0 5))]
        [assume x (if (< n 3) n (* 0.75 n))]
        [assume y (if (< n 3) (+ n 1) 0.5)]
        [assume texts (list (str x) (str [x 1]) (str {:a y}) (str (list x y)) (str (/ 6 y)) (str (floor x)))]
        [assume kinds (list (integer? x) (float? x) (float? y) (number? x) (= x 1) (str (max x 2)))]
        [predict (list (str n) texts kinds (str (pow y n)) (str (* y y)) (str (int x)))]""",
    "keys of maps that are whole in one lane and not in another": """
        [assume n (sample (uniform-discrete 0 4))]
        [assume x (if (< n 2) n (* 0.5 n))]
        [predict (list n {x 1 [x 2] 3} (get {0.5 "a" 1 "b"} x))]""",
    "maps whose keys come in another order, and lists and vectors as keys": """
        [assume b (sample (flip 0.5))]
        [predict (list b (if b {:a 1 :b 2} {:b 2 :a 1}) (if b {(list 1 2) 0} {[1 2] 0}))]""",
    "powers beyond all bounds, whole or not": """
        [assume n (sample (uniform-discrete 0 4))]
        [assume x (nth (list 2 0.5 -3 10) n)]
        [predict (list n (pow x 9007199254740991) (pow (nth [2 -3 5 7] n) 1000001))]""",
    "functions to the last digit": """
        [assume n (sample (uniform-discrete 1 9))]
        [assume x (/ n 8)]
        [assume more [(tanh x) (sinh x) (cosh x) (erf x) (erfc x) (atan2 x n) (pow x x)]]
        [predict (list n [(exp x) (log x) (expm1 x) (log1p x) (tan x) (atan x) (asin x) (acos x)] more)]""",
    "rounding where one lane is infinite or large": """
        [assume n (sample (uniform-discrete 0 4))]
        [assume x (nth [2.5 1e19 -7.25 4503599627370497.5] n)]
        [assume y (if (= n 2) (- (log 0)) x)]
        [predict (list n (str (floor y)) (str (ceil y)) (str (round y)) (str (int x)) (float? (floor y)))]""",
}


def reported(source: str, particles: int, sweeps: int) -> set[str]:
    """What the only predict of a program gives, in all lanes of all sweeps, as it is written."""
    found = compile_text(source).infer("importance", particles=particles, sweeps=sweeps, seed=1)
    columns: list[Any] = [next(iter(sweep.predicts.values())) for sweep in found.sweeps]
    values = [value.item() if isinstance(value, np.generic) else value for column in columns for value in column]
    return {written(value) + to_json(value).replace(".0", "") for value in values}


@pytest.mark.parametrize("name", PROGRAMS)
def test_lanes_report_what_each_does_alone(name: str) -> None:
    alone = reported(PROGRAMS[name], 1, 60)
    assert len(alone) > 1, "chance decides something"
    assert reported(PROGRAMS[name], 60, 3) == alone
    assert reported(PROGRAMS[name], 5, 60) == alone


FAILING: Final[dict[str, tuple[str, str]]] = {
    "division by an integer that is zero in one lane": (
        "[assume n (sample (uniform-discrete 0 4))] [predict (/ 1 n)]",
        "division by zero",
    ),
    "division by an integer in one lane and a float in another": (
        "[assume n (sample (uniform-discrete 0 4))] [predict (/ 1 (if (= n 0) n (* 0.75 n)))]",
        "division by zero",
    ),
    "division by a float that is zero": (
        "[assume n (sample (uniform-discrete 0 4))] [predict (/ [1 2] (* 0.75 n))]",
        "division by zero",
    ),
    "an integer that is too large for a float": (
        "[assume n (sample (uniform-discrete 0 4))] [predict (+ 0.5 (pow 10 (* 200 n)))]",
        "too large",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_lanes_fail_as_each_does_alone(name: str) -> None:
    source, message = FAILING[name]
    for particles, sweeps in ((1, 60), (60, 1)):
        with pytest.raises(ModelError, match=message):
            compile_text(source).infer("importance", particles=particles, sweeps=sweeps, seed=1)
