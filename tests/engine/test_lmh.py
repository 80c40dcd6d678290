"""lmh leaves the posterior invariant: by its exact transition kernel on small programs, and wrong variants do not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY
from tests.reference.test_kernels import PROGRAMS
from tests.share import share

from pplc import compile_text
from pplc_runtime.inference import lmh as module
from pplc_runtime.inference import seats
from pplc_runtime.inference.lmh import Lmh
from pplc_runtime.inference.seats import another_seat, is_way_back
from pplc_runtime.inference.targets import statement_of
from pplc_runtime.regeneration.trace import Trace, Update

from .hazards import HAZARDS
from .interplay import INTERPLAY
from .kernels import Kernel, distance
from .sweeps import compiled, executions, quietly
from .test_traces import agree, anew

SOURCES = {**PROGRAMS, **{name: program.source for name, program in TINY.items()}, **INTERPLAY, **HAZARDS}
EXACT = 1e-12


def bias(source: str, proposals: int = 1, kernel: Any = None, reports: bool = False) -> float:
    """How far a sweep takes the chain from the posterior, in total variation."""
    exact = Kernel(compiled(source).plan)
    exact.reports = reports
    before, after = exact.moved(Lmh(proposals=proposals) if kernel is None else kernel)
    assert math.fsum(after.values()) == pytest.approx(1.0), "every way that chance may go"
    return distance(before, after)


@pytest.mark.parametrize("name", share(SOURCES, 6))
def test_the_posterior_is_invariant(name: str) -> None:
    assert bias(SOURCES[name]) < EXACT


@pytest.mark.parametrize("name", share(["branch", "memo", "crp", "observe_inside_mem"], 2))
def test_two_proposals_and_what_is_predicted(name: str) -> None:
    assert bias(SOURCES[name], proposals=2, reports=True) < EXACT


GROWS = """
[assume n (sample (uniform-discrete 0 3))]
[assume xs (repeatedly n (lambda () (sample (flip 0.3))))]
[observe (poisson (+ 0.5 (count (filter (lambda (x) x) xs)))) 2]
[predict n]
"""
MEMO = """
[assume a (sample (flip 0.4))]
[assume m (mem (lambda (k) (sample (flip (if (= k 0) 0.2 0.7)))))]
[observe (flip (if (m (if a 0 1)) 0.9 0.3)) true]
[observe (flip (if (and a (m 1)) 0.3 0.8)) true]
[predict (m 0)]
"""
KINDS = """
[assume a (sample (flip 0.4))]
[assume b (sample (if a (flip 0.3) (uniform-discrete 0 3)))]
[observe (flip (if (= b 1) 0.9 (if (= b true) 0.5 0.2))) true]
[predict a]
"""


@pytest.mark.parametrize("source", [GROWS, MEMO, KINDS], ids=["grows", "memo", "kinds"])
@pytest.mark.parametrize("proposals", [1, 2])
def test_other_addresses_and_kinds(source: str, proposals: int) -> None:
    assert bias(source, proposals, reports=True) < EXACT


# Wrong variants: each is off by far more than rounding


def changed(monkeypatch: pytest.MonkeyPatch, **other: Any) -> None:
    """Updates that tell something else of what they did."""
    right = Trace.update

    def update(self: Trace, *arguments: Any) -> Update:
        found = right(self, *arguments)
        return found._replace(**{name: value(found) for name, value in other.items()})

    monkeypatch.setattr(Trace, "update", update)


def test_without_the_stale_term(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bias(MEMO) < EXACT
    changed(monkeypatch, log_stale=lambda found: 0.0)
    assert bias(MEMO) > 0.01


def test_with_the_stale_values_of_the_picked_choice_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the first print of the paper: what is asked for no more is left out."""

    def picked(found: Update) -> float:
        before = dict(found.choices)
        ats = [at for at in found.stale if at in found.trace.choices]
        return math.fsum(choice.log_density for at in ats if (choice := before[at]) is not None)

    assert bias(GROWS) < EXACT
    changed(monkeypatch, log_stale=picked)
    assert bias(GROWS) > 0.01


def test_without_the_fresh_term(monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, log_fresh=lambda found: 0.0)
    assert bias(MEMO) > 0.01


def test_without_the_number_of_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    class OneLog:
        inf = math.inf

        @staticmethod
        def log(ratio: float) -> float:
            return 0.0

    monkeypatch.setattr(module, "math", OneLog)
    assert bias(GROWS) > 0.01
    assert bias("[assume a (sample (flip 0.3))] [observe (flip (if a 0.9 0.2)) true] [predict a]") < EXACT


def test_a_number_of_proposals_that_follows_the_state() -> None:
    """A sweep of as many proposals as the state at hand has choices is no step that leaves the posterior invariant."""

    class Following(Lmh):
        def sweep(self, engine: Any, trace: Any, rng: Any) -> int:
            return replace(Lmh(), proposals=len(trace.choices)).sweep(engine, trace, rng)

    source = """
        [assume a (sample (flip 0.5))]
        [assume b (if a (sample (flip 0.5)) false)]
        [observe (flip (if b 0.9 0.3)) true]"""
    assert bias(source, 1) < EXACT and bias(source, 2) < EXACT
    assert bias(source, kernel=Following(proposals=1)) > 0.01


def test_memo_entries_that_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries that are asked for no more are no part of the execution: were they kept, the law would be another."""
    changed(
        monkeypatch,
        stale=lambda found: tuple(at for at in found.stale if at in found.trace.choices),
        log_stale=lambda found: math.fsum(
            choice.log_density for at, choice in found.choices
            if choice is not None and at in found.stale and at in found.trace.choices
        ),
    )  # fmt: skip
    assert bias(MEMO) > 0.001


# Seats of a crp

SEATS = """
[assume seats (crp 0.8)]
[assume class (mem (lambda (i) (sample seats)))]
[assume mu (mem (lambda (k) (sample (uniform-discrete 0 3))))]
[for [[i y] [[0 0] [1 2] [2 0]]] [observe (flip (if (= (mu (class i)) y) 0.8 0.3)) true]]
[predict (class 2)]
"""
OTHER_DRAWS = """
[assume seats (crp 0.8)]
[assume mu (mem (lambda (k) (sample (flip 0.3))))]
[assume a (sample seats)]
[assume b (if (mu a) 0 (sample seats))]
[assume c (if (= b 1) (sample seats) 0)]
[observe (flip (if (mu b) 0.8 0.3)) true]
[observe (flip (if (mu c) 0.4 0.7)) true]
[observe (flip (if (= a c) 0.4 0.7)) true]
"""
OBSERVED = """
[assume seats (crp 0.8)]
[assume mu (mem (lambda (k) (sample (flip 0.3))))]
[assume a (sample seats)]
[assume b (sample seats)]
[assume c (if (mu b) (observe seats 0) 0)]
[observe (flip (if (= a b) 0.8 0.3)) true]
"""
IN_ORDER = """
[assume seats (crp 0.8)]
[assume mu (mem (lambda (k) (sample (flip 0.3))))]
[assume a (sample seats)]
[assume b (sample seats)]
[observe (flip (if (mu a) 0.8 0.3)) true]
[observe (flip (if (mu b) 0.4 0.7)) true]
[observe (flip (if (mu 1) 0.4 0.7)) true]
"""
"""An entry that is asked for by what is no label."""
WITH_SEATS = {"seats": SEATS, "other draws": OTHER_DRAWS, "observed": OBSERVED, "in order": IN_ORDER}


@pytest.mark.parametrize("name", WITH_SEATS)
def test_seats(name: str) -> None:
    assert bias(WITH_SEATS[name]) < EXACT


@pytest.mark.slow
@pytest.mark.parametrize("name", ["other draws", "observed", "in order"])
def test_two_seats(name: str) -> None:
    assert bias(WITH_SEATS[name], proposals=2) < EXACT


def test_seats_move_with_what_is_remembered_of_their_tables() -> None:
    """The first customer leaves a table of three: the others open it, with the value that it has."""
    text = """
        [assume seats (crp 1.0)]
        [assume class (mem (lambda (i) (sample seats)))]
        [assume mu (mem (lambda (k) (sample (normal 0 1))))]
        [for [i (range 0 3)] [observe (normal (mu (class i)) 1.0) i]]"""
    run = compiled(text).plan
    with quietly():
        label = next(at for at, (name, _) in run.assumed.items() if name == "mu")
        drawn = next(e for e in executions(run, 200, 1) if list(e.choices.values()).count(0) == 3)
        trace = Trace(run, drawn.choices, np.random.default_rng(1))
        first = next(iter(trace.values))
        (mu,) = [choice.value for at, choice in trace.choices.items() if statement_of(run, at) is label]
        rng = np.random.default_rng(2)
        while (move := another_seat(trace, first, rng)) is None:
            pass
        update = trace.update(move.changes, rng, move.moved)
        assert len(update.fresh) == 1 and not update.stale
        values = list(trace.values.values())
        assert values.count(mu) == 1 and [value for value in values if type(value) is int] == [0, 1, 1]
        assert is_way_back(trace, move)
        agree(trace, anew(trace))
        update.undo()
        agree(trace, anew(trace))
        assert trace.values == drawn.choices


def test_without_the_two_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    right = seats.another_seat

    def another_seat(*arguments: Any) -> Any:
        move = right(*arguments)
        return None if move is None else move._replace(log_back=0.0)

    monkeypatch.setattr(module, "another_seat", another_seat)
    assert bias(SEATS) > 0.001


def test_where_the_way_back_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "is_way_back", lambda trace, move: True)
    assert max(bias(OTHER_DRAWS), bias(OBSERVED)) > 0.0001


def test_entries_that_stay_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be as exact, and tables could hardly change their numbers: that is what the permutation is for."""
    monkeypatch.setattr("pplc_runtime.inference.seats.renamed", lambda trace, numbers: ())
    assert bias(SEATS) < EXACT


# Runs


def test_a_sweep_has_as_many_proposals_as_the_program_has_choices() -> None:
    model = compile_text("""
        [assume x (mem (lambda (t) (sample (normal 0 1))))]
        [for [t (range 0 7)] [observe (normal (x t) 1) t]]
        [predict (x 3)]
        [predict (x 9)]""")
    for sweep in model.infer("lmh", sweeps=3, seed=1).sweeps:
        assert sweep.diagnostics["proposed"] == 7, "what only predicts ask for is no choice"
        assert 0 <= sweep.diagnostics["accepted"] <= 7
        assert sweep.log_weights.tolist() == [0.0]
    posterior = model.infer("lmh", sweeps=3, proposals=20, seed=1)
    assert [sweep.diagnostics["proposed"] for sweep in posterior.sweeps] == [20, 20, 20]
    assert posterior.particles == 1 and "lmh: 3 sweeps, seed 1" in posterior.summary().text()
    assert len({sweep.predicts["(x 9)"][0] for sweep in posterior.sweeps}) == 3, "drawn afresh"


def test_a_program_without_choices() -> None:
    posterior = compile_text("[observe (normal 0 1) 0.5] [predict 3]").infer("lmh", sweeps=2, seed=1)
    assert posterior.mean("3") == 3


@pytest.mark.parametrize("method", ["lmh", "rw", "nuts", "pgas + rw"])
def test_chains_and_processes_change_nothing(method: str) -> None:
    """What is made once for all chains of a process keeps nothing of those before, such as lengths of steps."""
    model = compile_text("[assume x (sample (normal 0 1))] [observe (normal x 1) 0.5] [predict x]")
    one = model.infer(method, sweeps=20, burn_in=20, chains=3, seed=2)
    two = model.infer(method, sweeps=20, burn_in=20, chains=3, cores=2, seed=2)
    assert np.array_equal(one.values("x")[0], two.values("x")[0])
    assert one.rhat("x") is not None
