"""All engines draw the same from the same seed: the reference, lanes, straight code, and machine code of both kinds.

So the exactness of one, which kernels by enumeration show, is that of the others, on every program here. Sweep by
sweep what is discrete is equal, and who continued whom; numbers are to nine digits. Three rules leave an engine out:

- `observes_inside`: lanes may resample at an observe inside of an expression, which ends a generation there. The
  reference runs one particle after the other, and generations end with statements.
- `PROCEDURES_AS_KEYS`: the number of an entry whose key is a procedure goes by the function that it was compiled to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.share import share

from pplc import compile_text
from pplc.model import Model
from pplc_runtime.lanes.addresses import At
from pplc_runtime.machine.machine import is_available
from pplc_runtime.native import engine as native_engine
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running import driver, general
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.values import Impossible

from . import fixed
from .test_against_reference import SMALL, SOURCES

PROGRAMS = Path(__file__).parents[2] / "programs"
METHODS = ("importance", "smc", "icsmc", "pgas")
SWEEPS = 2
ONCE_DIFFERENT = {
    "a global that may be nil": """
        [assume x (sample (normal 0 1))] [assume v (if (> x 0.3) nil x)]
        [observe (flip (if (nil? v) 0.9 0.1)) true] [predict (nil? v)]""",
    "what is no number among others": """
        [assume x (sample (normal 0 1))] [assume y (max (sqrt x) 0.1)]
        [observe (flip (if (= y y) 0.1 0.9)) true] [predict (> x 0)]""",
    "the same, of changing structure": """
        [assume x (sample (normal 0 1))] [assume y (min (sqrt (if (sample (flip 0.5)) x (sample (normal 0 1)))) 0.1)]
        [observe (flip (if (= y y) 0.1 0.9)) true] [predict (> x 0)]""",
    "whole numbers beyond those of machine code": """
        [assume n (sample (poisson 30))] [assume f (fn [n] (if (< n 2) 1 (* n (f (- n 1)))))]
        [assume g (if (sample (flip 0.5)) (f (+ 20 n)) (f (+ 21 n)))] [observe (normal (log g) 50) 100] [predict n]""",
    "a key that is a whole number, and real": """
        [assume m (mem (fn [k] (sample (normal 0 1))))] [assume x (sample (uniform-discrete 0 3))]
        [observe (normal (m (/ x 2)) 1) 0.5] [observe (normal (m x) 1) 0.7] [predict (m 1)]""",
    "predicts that draw": """
        [assume m (mem (fn [k] (sample (normal 0 1))))] [assume c (crp 1.0)]
        [for [y [0.3 1.2]] [assume x (sample (normal (m 0) 1))] [observe (normal x 1) y] [predict (+ x (m y))]
          [predict (sample c)]]
        [predict (m 1.2)]""",
    "calls of calls": """
        [assume f (fn [k] (sample (normal k 1)))]
        [assume xs (map (comp (partial + 1) f f) [1 2])]
        [assume g ((fn [a & more] (reduce (fn [x y] (+ x (f y))) a more)) 1 2 3)]
        [assume d (dp 1.0 (fn [] (f 0)))]
        [assume ys (repeatedly 2 (fn [] (sample d)))]
        [observe (normal (+ (sum xs) (sum ys)) 1) g]
        [assume z ((fn [a] (let [h (fn [b] (if (> b 2) (f b) (h (+ b 1))))] (h a))) 0)]
        [observe (normal z 1) 2] [predict z] [predict ys] [predict (filter (fn [x] (> (f x) 0)) xs)]""",
}
"""Where one of the engines once drew otherwise, or ended with an error."""
DRAWS = {
    "half-normal and half-cauchy": """
        [assume a (sample (half-normal 2.0))] [observe (normal a 1.0) 1.3]
        [assume b (sample (half-cauchy a))] [observe (normal b 1.0) 0.3] [predict a] [predict b]""",
    "pareto": """
        [assume a (sample (pareto 1.0 2.0))] [observe (normal a 1.0) 1.3]
        [assume b (sample (pareto a 0.3))] [observe (normal b 1.0) 0.3] [predict a] [predict b]""",
    "counts, of changing structure": """
        [assume f (lambda (n) (if (sample (flip 0.5)) n (f (+ n (sample (negative-binomial 0.4 0.3))))))]
        [assume a (f 0)] [observe (normal a 1.0) 1.3]
        [assume b (sample (beta-binomial 10 0.3 (+ a 0.5)))] [observe (normal b 1.0) 3.0] [predict a] [predict b]""",
    "dirichlet": """
        [assume a (sample (dirichlet [0.3 1.0 2.0]))] [observe (discrete a) 1]
        [assume b (sample (dirichlet (vector (+ 0.5 (nth a 0)) 2.0)))]
        [observe (discrete b) 0] [observe (discrete a) 2] [predict (nth a 0)] [predict b]""",
    "dirichlet, of changing structure": """
        [assume f (mem (lambda (k) (sample (dirichlet (vector 0.4 (+ 1.0 k) 0.9)))))]
        [assume z (mem (lambda (t) (sample (discrete [0.3 0.3 0.4]))))]
        [for [[t y] [[0 0] [1 2] [2 1] [3 0] [4 2]]] [observe (discrete (f (z t))) y]]
        [predict (f 0)] [predict (z 3)] [predict (nth (f (z 2)) 1)]""",
    "pairs of different kinds as data": """
        [assume f (mem (lambda (k) (sample (dirichlet [0.5 0.5]))))]
        [assume z (mem (lambda (d t) (sample (discrete (f d)))))]
        [for [[d text] (map-indexed vector [[0 1] [1 1]]) [t y] (map-indexed vector text)]
          [observe (flip (if (= (z d t) y) 0.9 0.2)) true]]
        [predict (z 1 0)] [predict (f 1)]""",
}
"""Families with samplers in the library of machine code, and draws that are vectors."""
PROCEDURES_AS_KEYS = {"closures as keys of a memo"}
LONG = {f"{name} in full": (PROGRAMS / f"{name}.clj").read_text(encoding="utf-8") for name in SMALL}
"""Those of programs/ that the reference cannot follow but with less data, which it has in SOURCES."""
TEXTS = {
    **ONCE_DIFFERENT,
    **DRAWS,
    **SOURCES,
    **{f"fixed {seed}": fixed.program(seed) for seed in range(8)},
    **LONG,
}
COMPOSED = [
    *(
        (name, method)
        for name in ("crp_small", "infinite_hmm", "dp_mixture", "lazy_memo")
        for method in ("lmh", "pgas + lmh")
    ),
    ("stochastic_volatility", "pgas(paths, 3) + lmh(globals)"),
    ("infinite_mixture", "icsmc(globals, 3) + pgas(paths, 3)"),
    ("crp_small", "pgas(bias, 3) + icsmc(rest, 3)"),
    ("kalman", "icsmc(paths, 3) + lmh(rest, 2)"),
]
"""Traces, and values that are held."""
CASES = [*((name, method) for name in TEXTS for method in METHODS), *COMPOSED]


def engines_of(name: str, method: str, model: Model) -> list[str]:
    """The engines that draw what lanes draw."""
    program = model.program
    observes_inside = program.plan(program.data(None)).observes_inside
    engines = ["scripts"]
    if not (observes_inside or name in PROCEDURES_AS_KEYS or name in LONG):
        engines.append("reference")
    if is_available():
        engines.append("machine")
    return engines


def sweeps_by(engine: str, model: Model, method: str, monkeypatch: pytest.MonkeyPatch) -> list[Sweep] | None:
    """The first sweeps; None where all weights are zero."""
    monkeypatch.setattr(native_engine, "LEAST_WORK", 0 if engine == "machine" else 10**12)
    monkeypatch.setattr(general, "LEAST_WORK", 0 if engine == "machine" else 10**12)
    monkeypatch.setattr(driver, "scripted", (lambda plan: plan) if engine == "lanes" else scripted)
    monkeypatch.setattr(driver, "LEAST_SWEEPS", 0)
    told: dict[str, Any] = {"genealogy": SWEEPS} if method in METHODS[1:] else {}
    if method in METHODS:
        told["particles"] = 4
    own = {"engine": "reference"} if engine == "reference" else {}
    try:
        posterior = model.infer(method, sweeps=SWEEPS, seed=3, progress=False, **told, **own)
    except Impossible:
        return None
    return list(posterior.sweeps)


def assert_same(one: Sweep, other: Sweep) -> None:
    """What is told of the living is the same; of the others some engines tell nothing."""
    weights, twins = (np.asarray(sweep.log_weights) for sweep in (one, other))
    living, others = weights > -np.inf, twins > -np.inf
    np.testing.assert_allclose(weights[living], twins[others], rtol=1e-9, atol=1e-9)
    assert list(one.predicts) == list(other.predicts)
    for label, column in one.predicts.items():
        for value, twin in zip(of(living, column), of(others, other.predicts[label]), strict=True):
            assert_equal(value, twin)
    assert one.diagnostics.get("chosen") == other.diagnostics.get("chosen")
    if "genealogy" in one.diagnostics:
        np.testing.assert_array_equal(one.diagnostics["genealogy"].ancestors, other.diagnostics["genealogy"].ancestors)
    if one.kept is not None and other.kept is not None:
        drawn, there = ({at.hash: value for at, value in each.first(At()).items()} for each in (one.kept, other.kept))
        assert drawn.keys() == there.keys()
        for number, value in drawn.items():
            assert_equal(value, there[number])


def of(living: Any, column: Any) -> list[Any]:
    """The values of some particles."""
    values = column if isinstance(column, list) else list(np.moveaxis(np.asarray(column), -1, 0).tolist())
    return [value for alive, value in zip(living, values) if alive]


def assert_equal(one: Any, other: Any) -> None:
    try:
        numbers = np.asarray(one, float), np.asarray(other, float)
    except (TypeError, ValueError):
        assert str(one) == str(other)
    else:
        np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", share(CASES, 31), ids=" by ".join)
def test_engines_draw_the_same(case: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    name, method = case
    model = compile_text(TEXTS[name])
    by_lanes = sweeps_by("lanes", model, method, monkeypatch)
    for engine in engines_of(name, method, model):
        found = sweeps_by(engine, model, method, monkeypatch)
        assert (found is None) == (by_lanes is None), engine
        for one, other in zip(by_lanes or [], found or [], strict=True):
            assert_same(one, other)
