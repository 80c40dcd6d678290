"""Traces that are updated: the same as running anew, at a cost that does not grow with the program."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY
from tests.share import share

from pplc import compile_text, load
from pplc_runtime.engine.plan import Plan
from pplc_runtime.reference import ReferenceEngine
from pplc_runtime.reference.methods import one_lane, planned
from pplc_runtime.regeneration.rerun import REDRAWN
from pplc_runtime.regeneration.same import same
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.results.kept import moved
from pplc_runtime.values import Impossible

from .generate import generate
from .interplay import INTERPLAY
from .sweeps import Compiled, compiled, executions, quietly
from .test_against_reference import SOURCES as SHORT

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.clj"))
SOURCES = {
    **{path.stem: path.read_text() for path in PROGRAMS},
    **{name: program.source for name, program in TINY.items()},
    **INTERPLAY,
}
AS_KEYS = {"closures as keys of a memo", "processes as keys and as values"}
"""What is a key there belongs to one engine."""


def first(run: Plan, seed: int) -> Trace:
    """A trace of an execution that is possible."""
    found = executions(run, 200, seed)
    return Trace(run, found[0].choices, np.random.default_rng(seed))


def anew(trace: Trace) -> Trace:
    """The same execution, run from the start."""
    rng: Any = None  # nothing is to be drawn
    return Trace(trace.plan, trace.values, rng)


def agree(one: Trace, other: Trace) -> None:
    """Two traces of the same execution."""
    assert one.log_density == pytest.approx(other.log_density, rel=1e-9, abs=1e-9)
    assert list(one.values) == list(other.values)
    assert one.choices.keys() == other.choices.keys()
    for at, choice in other.choices.items():
        np.testing.assert_array_equal(one.choices[at].value, choice.value)
        assert one.choices[at].log_density == pytest.approx(choice.log_density, rel=1e-9, abs=1e-9)
        assert one.choices[at].number == choice.number
    assert {cell for cell, own in one.cells.items() if own.writers} == set(other.cells)
    for cell, own in other.cells.items():
        assert one.cells[cell].writers == own.writers
        for writer, value in own.values.items():
            assert same(one.cells[cell].values[writer], value, one.frame), cell
    assert [record.reads for record in one.records] == [record.reads for record in other.records]
    assert {cell: own for cell, own in one.readers.items() if own} == other.readers


def updates_are_exact(run: Plan, seed: int, number: int) -> None:
    """Random updates, taken or taken back, against running anew."""
    rng = np.random.default_rng(seed)
    with quietly():
        trace = first(run, seed)
        if not trace.choices:
            return
        for _ in range(number):
            before, density = trace.values, trace.log_density
            sites = list(before)
            chosen = {sites[int(i)] for i in rng.integers(len(sites), size=rng.integers(1, 3))}
            update = trace.update(dict.fromkeys(chosen, REDRAWN), rng)
            if update.log_ratio == -math.inf:
                agree(trace, anew(trace))
                assert list(trace.values) == sites
                continue
            assert update.log_ratio == pytest.approx(trace.log_density - density, rel=1e-9, abs=1e-9)
            after = trace.values
            new, gone = after.keys() - before.keys(), before.keys() - after.keys()
            assert new <= set(update.fresh) and gone <= set(update.stale)
            assert chosen <= set(update.stale) and chosen - gone <= set(update.fresh)
            for at in after.keys() - set(update.fresh):
                np.testing.assert_array_equal(after[at], before[at])
            agree(trace, anew(trace))
            if rng.random() < 0.5:
                update.undo()
                assert list(trace.values) == sites
                assert trace.log_density == density
                agree(trace, anew(trace))


@pytest.mark.parametrize("name", share(SOURCES, 8))
def test_updates_of_programs(name: str) -> None:
    updates_are_exact(compiled(SOURCES[name]).plan, 1, 10)


@pytest.mark.parametrize("seed", share(range(60), 15))
def test_updates_of_random_programs(seed: int) -> None:
    updates_are_exact(compiled(generate(seed)).plan, seed, 25)


def updates_are_those_of_the_reference(program: Compiled, seed: int, number: int) -> None:
    """Which runs all anew: ratios, what is fresh and what is stale, from the same random numbers."""
    rng = np.random.default_rng(seed)
    with quietly():
        trace = first(program.plan, seed)
        with one_lane():
            reference = ReferenceEngine(planned(program.reference))
            own = {moved(at, reference.plan.root): at for at in trace.values}
            other = reference.trace({new: trace.values[at] for new, at in own.items()}, rng)
        for _ in range(number if trace.choices else 0):
            sites = list(trace.values)
            at, key = sites[int(rng.integers(len(sites)))], int(rng.integers(2**32))
            ours = trace.update({at: REDRAWN}, np.random.default_rng(key))
            with one_lane():
                changes = {moved(at, reference.plan.root): REDRAWN}
                theirs = reference.update(other, changes, np.random.default_rng(key))
            for name in ("log_ratio", "log_fresh", "log_stale"):
                assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-9, abs=1e-9), name
            for name in ("fresh", "stale"):
                assert {each.hash for each in getattr(ours, name)} == {each.hash for each in getattr(theirs, name)}
            if rng.random() < 0.3:
                ours.undo()
                theirs.undo()
            assert trace.log_density == pytest.approx(other.log_density, rel=1e-9, abs=1e-9)
            assert [each.hash for each in trace.values] == [each.hash for each in other.values]


BY_REFERENCE = {
    **{name: text for name, text in SHORT.items() if name not in AS_KEYS},
    **{f"random {seed}": generate(seed) for seed in range(60, 90)},
}


@pytest.mark.parametrize("name", share(BY_REFERENCE, 9))
def test_updates_are_those_of_the_reference(name: str) -> None:
    updates_are_those_of_the_reference(compiled(BY_REFERENCE[name]), 2, 12)


@pytest.mark.parametrize("name", share(SOURCES, 8))
def test_the_density_of_a_trace(name: str) -> None:
    """Against the sum of what the lane engine draws and weighs."""
    run = compiled(SOURCES[name]).plan
    with quietly():
        for execution in executions(run, 20, 2)[:5]:
            trace = Trace(run, execution.choices, np.random.default_rng(0))
            assert trace.values.keys() == execution.choices.keys()
            assert trace.log_density == pytest.approx(execution.log_prior + execution.log_likelihood, rel=1e-9)


@pytest.mark.parametrize("length", [20, 80])
def test_a_change_costs_what_it_touches(length: int) -> None:
    """A state of a chain is read by its own observe and the next, however long the chain is."""
    text = f"""
    [assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (dec t)) 1.0)))))]
    [for [t (range 1 {length + 1})] [observe (normal (x t) 1.0) (sin t)]]
    [predict (x 1)]
    """
    with quietly():
        run = compile_text(text).program.plan({})
        rng = np.random.default_rng(2)
        trace = first(run, 1)
        assert trace.replays == length
        for at in list(trace.values)[:-1]:
            before = trace.replays
            trace.update({at: REDRAWN}, rng)
            assert trace.replays - before == 2


def test_what_comes_out_the_same_stops() -> None:
    text = """
    [assume a (sample (flip 0.5))]
    [assume b (if a 1 1)]
    [for [y [0.1 0.2 0.3]] [observe (normal b 1.0) y]]
    [predict a]
    """
    with quietly():
        trace = first(compiled(text).plan, 1)
        before = trace.replays
        ((at, value),) = trace.values.items()
        update = trace.update({at: not value}, np.random.default_rng(1))
        assert trace.replays - before == 2
        assert update.log_ratio == pytest.approx(0.0)
        assert update.fresh == update.stale == ()


def test_given_values() -> None:
    """Values that are given are neither fresh nor stale; what no execution has is impossible, and changes nothing."""
    with quietly():
        trace = first(compiled("[assume x (sample (uniform 0 1))] [observe (normal x 1) 0.3] [predict x]").plan, 1)
        ((at, _),) = trace.values.items()
        update = trace.update({at: 0.25}, np.random.default_rng(1))
        assert trace.values == {at: 0.25} and update.fresh == update.stale == ()
        for wrong in (1.5, True, np.ones(2)):
            assert trace.update({at: wrong}, np.random.default_rng(1)).log_ratio == -math.inf
            assert trace.values == {at: 0.25}
            agree(trace, anew(trace))
        with pytest.raises(Impossible, match="probability zero"):
            Trace(trace.plan, {at: 2.0}, np.random.default_rng(1))


def test_an_error_in_an_update_leaves_the_trace_as_it_was() -> None:
    text = "[assume x (sample (normal 0 1))] [observe (normal 0 (if (> x 50) -1 1)) 0.3] [predict x]"
    with quietly():
        trace = first(compiled(text).plan, 1)
        ((at, value),) = trace.values.items()
        with pytest.raises(Exception, match="positive"):
            trace.update({at: 60.0}, np.random.default_rng(1))
        assert trace.values == {at: value}
        agree(trace, anew(trace))


@pytest.mark.parametrize("path", share(PROGRAMS, 6), ids=lambda path: path.stem)
def test_what_a_trace_predicts(path: Path) -> None:
    """As the particle predicts that drew the same; what only predicts draw is not compared."""
    run = load(path).program.plan({})
    with quietly():
        for execution in executions(run, 50, 3)[:3]:
            trace = Trace(run, execution.choices, np.random.default_rng(0))
            found = trace.predicts(np.random.default_rng(0))
            assert list(found) == list(execution.predicts)
            again = trace.predicts(np.random.default_rng(1))
            for label, value in execution.predicts.items():
                if found[label] == again[label]:
                    assert found[label][0] == pytest.approx(value), label
