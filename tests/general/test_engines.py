"""Machine code for programs in general does the same sweeps as lanes, and the same whether LLVM or CPython runs it.

Random numbers are those of key, address, generation and slot, so that sweep after sweep is compared: weights, predicts,
what is retained. What machine code cannot do is done by lanes, and is the same sweep.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pplc import ModelError, compile_text
from pplc_runtime.general.assembly import assembled
from pplc_runtime.general.engine import GeneralEngine
from pplc_runtime.machine.machine import Interpreted, Machine, is_available
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.running import general

PROGRAMS = Path(__file__).parents[2] / "programs"
NAMES = (
    "infinite_mixture", "pcfg", "poly_closure", "dp_mixture", "infinite_hmm", "coin_process", "collapsed_mean",
    "gp_regression",
)  # fmt: skip
METHODS = ("importance", "smc", "icsmc", "pgas")
needs_machine = pytest.mark.skipif(not is_available(), reason="there is no llvmlite")


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few sweeps there are, they are done by machine code."""
    monkeypatch.setattr(general, "LEAST_WORK", 0)


def by_both(text: str, method: str, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> tuple[Posterior, Posterior]:
    model = compile_text(text)
    given = {"particles": 5, "sweeps": 10, "seed": 3, **settings}
    monkeypatch.setenv("PPLC_NATIVE", "on")
    one = model.infer(method, **given)
    monkeypatch.setenv("PPLC_NATIVE", "off")
    return one, model.infer(method, **given)


def assert_same(one: Posterior, other: Posterior) -> None:
    assert len(one.sweeps) == len(other.sweeps)
    for ours, lanes in zip(one.sweeps, other.sweeps):
        assert ours.number == lanes.number
        np.testing.assert_allclose(ours.log_weights, lanes.log_weights, rtol=0, atol=1e-9)
        assert ours.predicts.keys() == lanes.predicts.keys()
        living = np.asarray(ours.log_weights) > -np.inf
        for label, column in ours.predicts.items():
            for alive, value, wanted in zip(living, _items(column), _items(lanes.predicts[label])):
                if alive and isinstance(wanted, float | np.ndarray):
                    np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-9)
                elif alive:
                    assert value == wanted, label


def _items(column: Any) -> list[Any]:
    return column if isinstance(column, list) else list(np.moveaxis(np.asarray(column), -1, 0).tolist())


@needs_machine
@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
def test_the_same_sweeps_as_lanes(name: str, method: str, always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (PROGRAMS / f"{name}.clj").read_text(encoding="utf-8")
    one, other = by_both(text, method, monkeypatch)
    assert_same(one, other)
    for ours, lanes in zip(one.sweeps[-2:], other.sweeps[-2:]):
        assert (ours.kept is None) == (lanes.kept is None)
        if ours.kept is not None and lanes.kept is not None:
            assert ours.kept.particles.tolist() == lanes.kept.particles.tolist()
            found, wanted = (
                {at.path(): value for at, value in _first(kept).items()} for kept in (ours.kept, lanes.kept)
            )
            assert found.keys() == wanted.keys()
            for path, value in wanted.items():
                assert found[path] == pytest.approx(value, abs=1e-9)


@needs_machine
@pytest.mark.parametrize("method", ["smc", "pgas"])
@pytest.mark.parametrize("name", ["infinite_mixture", "infinite_hmm"])
def test_the_same_where_particles_are_resampled_by_their_weights_only(
    name: str, method: str, always: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(general.General, "by_lanes")
    text = (PROGRAMS / f"{name}.clj").read_text(encoding="utf-8")
    one, other = by_both(text, method, monkeypatch, sweeps=5, ess_threshold=0.4, genealogy=5)
    assert_same(one, other)
    for ours, lanes in zip(one.sweeps, other.sweeps):
        told, wanted = ours.diagnostics, lanes.diagnostics
        for key in ("ancestry", "genealogy", "renewed", "moved", "ancestors", "weakest"):
            assert (key in told) == (key in wanted)
            assert str(told.get(key)) == str(wanted.get(key)), key


def _first(kept: Any) -> Any:
    from pplc_runtime.lanes.addresses import At

    return kept.first(At())


@needs_machine
@pytest.mark.parametrize("method", ["smc", "pgas"])
def test_cpython_runs_the_same_text(method: str) -> None:
    text = (PROGRAMS / "infinite_mixture.clj").read_text(encoding="utf-8")
    program = compile_text(text).program
    plan = program.plan(program.data(None))
    found = []
    for machine in (Machine, Interpreted):
        engine = GeneralEngine(assembled(plan), len(plan.segments), "smc", 4, machine)
        engine.run([(7, 8)], logging=True)
        if method == "pgas":
            start = engine.drawn()
            engine = GeneralEngine(assembled(plan), len(plan.segments), "pgas", 4, machine)
            engine.retain(start)
            engine.run([(1, 2), (3, 4)], logging=True)
        block = engine.run([(5, 6)], logging=True)
        found.append((block, engine.drawn()))
    (one, drawn), (other, again) = found
    np.testing.assert_allclose(one.log_weights, other.log_weights, rtol=0, atol=1e-9)
    assert one.ancestors.tolist() == other.ancestors.tolist()
    assert drawn.words[::3].tolist() == again.words[::3].tolist()


@needs_machine
def test_what_is_full_grows_and_the_sweep_is_the_same(always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compile_text((PROGRAMS / "pcfg.clj").read_text(encoding="utf-8")).program
    plan = program.plan(program.data(None))
    large = GeneralEngine(assembled(plan), len(plan.segments), "smc", 50, Machine)
    small = GeneralEngine(assembled(plan), len(plan.segments), "smc", 50, Machine)
    small.arena_words, small.log_words, small.table = len(small.program.words) + 80, 16, 16
    small.allocate()
    keys = [(1, 2), (3, 4), (5, 6)]
    assert small.run(keys, True).log_weights.tolist() == large.run(keys, True).log_weights.tolist()
    assert small.arena_words > len(small.program.words) + 80 and small.log_words > 16


FUNCTIONS = {
    "points that are drawn": """
        [assume scale (sample (gamma 2 1))]
        [assume f (gp (fn [x] (* scale x)) (fn [a b] (* scale (exp (* -0.5 (square (- a b)))))))]
        [assume k (sample (uniform-discrete 0 3))]
        [observe (normal (sample (f k)) 0.5) 1.0]
        [assume g (if (sample (flip 0.5)) f (gp (fn [x] 1) (fn [a b] (if (= a b) 2 1))))]
        [observe (g 1) 0.7]
        [observe (normal (+ (sample (g 0)) (sample (f 2))) 0.5) 2.0]
        [predict (sample (f k))]
        [predict k]""",
    "a point that is certain": """
        [assume f (gp (fn [x] 0.5) (fn [a b] (* a b)))]
        [assume m (mem (fn [x] (sample (f x))))]
        [observe (normal (m 1) 1.0) 1.3]
        [observe (normal (m (if (> (m 1) 0.4) 2 3)) 1.0) 1.5]
        [observe (normal (m 3) 1.0) 0.3]
        [predict (m 2)]""",
    "what is observed twice": """
        [assume f (gp (fn [x] 0.0) (fn [a b] (exp (- (abs (- a b))))))]
        [assume k (sample (uniform-discrete 0 2))]
        [observe (f 0) 0.4]
        [observe (f k) 0.4]
        [observe (normal (sample (f 3)) 1.0) 0.4]
        [predict k]""",
    "points in the plane, by kernels that draw": """
        [assume f (gp (fn [x] (sample (normal 0 1))) (fn [a b] (exp (- (square (- (nth a 0) (nth b 0)))))))]
        [assume u (sample (normal 0 1))]
        [observe (normal (sample (f [u 1.0])) 1.0) 0.4]
        [observe (normal (sample (f [1.0 u])) 1.0) 0.4]
        [predict (sample (f [0.0 u]))]""",
}


@needs_machine
@pytest.mark.parametrize("method", ["smc", "pgas"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gaussian_processes_are_those_of_lanes(
    name: str, method: str, always: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = compile_text(FUNCTIONS[name])
    assert general.why_not(model.program.plan(model.program.data(None)), model.program.places) is None
    monkeypatch.delattr(general.General, "by_lanes")  # no sweep is left to them
    one, other = by_both(FUNCTIONS[name], method, monkeypatch, sweeps=30)
    assert_same(one, other)


KEYS = """
[assume m (mem (fn [k] (sample (normal k 10))))]
[assume step (mem (fn [t] (if (< t 1) 250 (+ (step (- t 1)) (sample (uniform-discrete -40 40))))))]
[for [t (range 0 40)] [observe (normal (+ (m (step t)) (m (* 9000 (step t)))) 100) 3]]
[observe (normal (reduce + (map m (range -5 600))) 1000) 0]
[predict (step 39)]
[predict (m 0)]
"""


@needs_machine
def test_entries_by_numbers_near_and_far(always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(*by_both(KEYS, "smc", monkeypatch, sweeps=4))


LARGE = """
[assume f (lambda (n) (if (sample (flip 0.5)) (f (* n 1000000)) n))]
[assume n (f 1)]
[observe (flip (if (> n 100) 0.6 0.3)) true]
[predict n]
"""


@needs_machine
@pytest.mark.parametrize("method", METHODS)
def test_whole_numbers_that_are_too_large_are_left_to_lanes(
    method: str, always: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = by_both(LARGE, method, monkeypatch, sweeps=40)
    assert any(int(value) > 1 << 53 for sweep in other.sweeps for value in _items(sweep.predicts["n"]))
    assert_same(one, other)


SWAPPED_AND_LARGE = """
[assume urn (polya-urn [1.0 0.5])]
[assume x (mem (lambda (t) (sample urn)))]
[assume f (lambda (n) (if (sample (flip 0.5)) (f (* n 1000000)) n))]
[assume a (sample (flip 0.4))]
[observe (flip (if a 0.6 0.3)) true]
[assume s (if a (list (x 0) (x 1)) (list (x 1) (x 0)))]
[observe (flip (if (= (first s) 1) 0.8 0.4)) true]
[assume n (f 1)]
[observe (flip (if (> n 100) 0.6 0.3)) true]
[predict n]
[predict a]
[predict s]
"""


@needs_machine
def test_sweeps_that_fail_are_of_the_same_kernel(always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which engine does a sweep depends on what is drawn, so a process that takes in values in another order must have
    the same candidates in both."""
    one, other = by_both(SWAPPED_AND_LARGE, "pgas", monkeypatch, sweeps=200)
    assert any(int(value) > 1 << 53 for sweep in other.sweeps for value in _items(sweep.predicts["n"]))
    assert_same(one, other)


ERRORS = {
    "nth": "[assume i (sample (uniform-discrete 0 9))] [observe (normal (nth [1.0 2.0] i) 1.0) 0.5]",
    "division": "[assume i (sample (uniform-discrete 0 3))] [observe (normal (/ 1.0 i) (if (> i 1) 1.0 2.0)) 0.5]",
    "domain": "[assume i (sample (uniform-discrete 0 3))] [observe (normal 0.0 (if (= i 1) -1.0 2.0)) 0.5]",
    "depth": "[assume f (lambda (n) (+ 1 (f (if (sample (flip 0.5)) n (+ n 1)))))] [observe (normal (f 0) 1.0) 0.5]",
}  # the recursion has no end


@needs_machine
@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_lanes(name: str, always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    model = compile_text(ERRORS[name])
    told = []
    for native in ("on", "off"):
        monkeypatch.setenv("PPLC_NATIVE", native)
        with pytest.raises(ModelError) as error:
            model.infer("smc", particles=20, sweeps=20, seed=1, max_depth=2000)
        told.append(str(error.value).splitlines()[0])
    assert told[0] == told[1]


@needs_machine
def test_pairs_of_numbers_are_no_weights(always: None) -> None:
    """A categorical by pairs that are all numbers is a matrix: it has no machine code, and is left to lanes.

    Exact: P(a = 2) is 0.7 * 0.4 of 0.3 * 0.1 + 0.7 * 0.4; the standard error is 0.003, and the bound is six of them."""
    text = """
    [assume a (sample (categorical [[0.5 0.3] [2.0 0.7]]))]
    [assume b (if (= a 2) (sample (flip 0.5)) true)]
    [observe (flip (/ a 5)) true]
    [predict (= a 2)]"""
    share = compile_text(text).infer("importance", particles=10, sweeps=400, seed=1).mean("(= a 2)")
    assert share == pytest.approx(0.28 / 0.31, abs=0.018)


def test_what_has_no_code_is_told_with_its_place() -> None:
    program = compile_text("[assume x (sample (flip 0.5))]\n[assume y (if x (hash-map 1 2) (hash-map 1 3))]\n").program
    reason = general.why_not(program.plan(program.data(None)), program.places)
    assert reason == ("'hash-map'", (2, 17, 14))
