"""Machine code for programs in general leaves the posterior invariant: by its exact kernel, at two particles.

The kernels are those of the code itself, run by CPython with chance enumerated; the posteriors come from the lane
engine's executions. A wrong variant of each rule is caught.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.hazards import HAZARDS
from tests.engine.kernels import Kernel, distance
from tests.engine.sweeps import compiled
from tests.posteriors.tiny import TINY
from tests.reference.test_kernels import PROGRAMS
from tests.share import share

from pplc_runtime.machine import machine

from .enumerated import bias, from_each

TINY_TEXTS: dict[str, str] = {name: program.source for name, program in TINY.items()}
LONG = (
    "an entry that another key has made", "labels of a Pitman-Yor process as keys", "an urn that some draw from first",
    "errors in impossible executions", "draws that entries leave or use up",
)  # fmt: skip
"""Those whose sweeps can go in too many ways, when CPython runs the code."""
QUICK = ("observe_in_a_branch", "observe_after_the_last")
SLOWER = ("process_instance_for_every_call",)
FALLS_OPEN = """
[assume m (mem (lambda (k) (sample (flip 0.3))))]
[assume a (sample (flip 0.5))]
[observe (flip (if a (if (m 0) 0.9 0.2) 0.5)) true]
[observe (flip (if (m 0) 0.4 0.8)) true]
"""
SHARED = """
[assume m (mem (lambda (k) (sample (flip 0.3))))]
[observe (flip (if (m 1) 0.9 0.2)) true]
[observe (flip (if (m 0) 0.9 0.2)) true]
"""
CHAIN = """
[assume x (sample (flip 0.5))]
[observe (flip (if x 0.9 0.2)) true]
[assume y (sample (flip (if x 0.8 0.3)))]
[observe (flip (if y 0.3 0.7)) true]
[predict x]
"""
URN = """
[assume urn (polya-urn [1.0 0.5])]
[assume x (mem (lambda (t) (sample urn)))]
[observe (flip (nth [0.3 0.8] (x 1))) true]
[observe (flip (nth [0.9 0.4] (x (x 1)))) true]
[predict (x 0)]
"""
SEATS = """
[assume seats (crp 1.0)]
[assume class (mem (lambda (t) (sample seats)))]
[observe (flip (if (= (class 0) (class 1)) 0.9 0.5)) true]
[observe (flip (if (= (class 1) (class 2)) 0.9 0.1)) true]
[observe (flip (if (= (class 2) (class 0)) 0.3 0.8)) true]
[predict (class 2)]
"""
OFTEN_ENOUGH = 0.75
"""Of two particles with weights like 0.9 and 0.1 fewer count than this share, of 0.9 and 0.5 more."""
TEXTS = {**PROGRAMS, "chain": CHAIN, "an urn by memo": URN, **{name: TINY_TEXTS[name] for name in QUICK}}


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_sweep_leaves_the_posterior_as_it_is(name: str, method: str) -> None:
    assert bias(compiled(TEXTS[name]).plan, method) < 1e-13


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_also_where_particles_are_resampled_by_their_weights_only(method: str) -> None:
    assert bias(compiled(SEATS).plan, method, threshold=OFTEN_ENOUGH) < 1e-13


def test_also_replayed_as_a_whole() -> None:
    assert bias(compiled(SEATS).plan, "pgas", even=False, threshold=OFTEN_ENOUGH) < 1e-13


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("name", share([name for name in HAZARDS if name not in LONG], 5))
def test_a_run_that_can_hardly_be_continued(name: str, method: str) -> None:
    assert bias(compiled(HAZARDS[name]).plan, method) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOWER)
def test_a_sweep_of_pgas_leaves_the_posterior_as_it_is(name: str) -> None:
    assert bias(compiled(TINY_TEXTS[name]).plan, "pgas") < 1e-13


WRONG: dict[str, tuple[str, str, str]] = {
    "samples are not scored": ("scored(S, lp_flip(float(x), a0))", "S.lw = S.lw + 0.0", "chain"),
    "values that are left over are ignored": ("S.used != S.left", "False", "memo"),
    "the retained particle draws afresh": ("S.mode = 1 if R.method >= 2 and i == 0 else 0", "S.mode = 0", "branch"),
    "entries that others share are changed": (
        "if p < S.mark or k >= room:\n        more = (k", "if k >= room:\n        more = (k", "shared",
    ),
    "a node that others share is changed": (
        "if p >= S.mark:\n        return p\n    q", "if p >= 0:\n        return p\n    q", "far",
    ),
    "the next segment is left out": ("S.mode = 2\n    s = n", "S.mode = 2\n    s = n + 1", "branch"),
    "weights are forgotten without new ancestors": (
        "R.A[n * L + i] = i\n", "R.A[n * L + i] = i\n                    R.LW[i] = 0.0\n", "seats",
    ),
    "suffixes are not kept up to date": ("if R.even != 0 and weigh_suffixes", "if 1 > 2 and weigh_suffixes", "seats"),
    "what another segment may draw is left over": (" or not has_all(S, s)", "", "the suffix split otherwise"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_variants_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong, program = WRONG[name]
    text = {"seats": SEATS, "shared": SHARED, "far": FALLS_OPEN.replace("(m 0)", "(m -1)")}.get(program) or TEXTS[
        program
    ]
    original = machine.Interpreted.__init__

    def patched(self: Any, source: str, exported: frozenset[str]) -> None:
        assert right in source
        original(self, source.replace(right, wrong), exported)

    machine.made.cache_clear()
    monkeypatch.setattr(machine.Interpreted, "__init__", patched)
    try:
        even, threshold = "has_all" in right or program == "seats", OFTEN_ENOUGH if program == "seats" else 1.0
        found = bias(compiled(text).plan, "pgas", even=even, threshold=threshold)
    except Exception as error:  # what does not fit shows as a failure of the code, too
        assert type(error).__name__ in ("Stopped", "KeyError")
        found = 1.0
    finally:
        machine.made.cache_clear()
    assert found > 1e-3


SWAPPED = """
[assume process {process}]
[assume x (mem (lambda (t) (sample process)))]
[assume a (sample (flip 0.4))]
[observe (flip (if a 0.6 0.3)) true]
[assume s (if a (list (x 0) (x 1)) (list (x 1) (x 0)))]
[observe (flip (if (= (first s) {one}) 0.8 (if (= (first (rest s)) {one}) 0.5 0.1))) true]
"""
OBSERVED = """
[assume process {process}]
[assume a (sample (flip 0.4))]
[observe (flip (if a 0.6 0.3)) true]
[assume x (sample process)]
[observe process (if a x {one})]
[assume y (sample process)]
[observe (flip (if (= y {one}) 0.8 0.3)) true]
"""
PROCESSES = {
    "urn": {"process": "(polya-urn [1.0 0.5])", "one": "1"},
    "coin": {"process": "(beta-flip 1.0 0.5)", "one": "true"},
    "restaurant": {"process": "(crp 0.7)", "one": "0"},
    "discount": {"process": "(crp 0.7 0.2)", "one": "0"},
}
TEXTS_OF_PROCESSES = {
    **{f"{name}, swapped": SWAPPED.format(**given) for name, given in PROCESSES.items()},
    "restaurant, observed": OBSERVED.format(**PROCESSES["restaurant"]),
}


def apart(text: str) -> float:
    """How far a sweep of pgas by machine code is from that of lanes, at most, over where it starts."""
    plan = compiled(text).plan
    machine_laws = from_each(plan, "pgas", 2)
    return max(distance(machine_laws[path], law) for (path, _), _, law in Kernel(plan).from_each("pgas", 2))


@pytest.mark.parametrize("name", TEXTS_OF_PROCESSES)
def test_pgas_of_processes_is_the_kernel_of_lanes(name: str) -> None:
    """From every start: so which of the two does a sweep may depend on what was drawn."""
    assert apart(TEXTS_OF_PROCESSES[name]) < 1e-13


def test_seatings_in_any_order_are_another_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be exact as well, and not that of lanes."""
    original = machine.Interpreted.__init__
    right = "S.z < S.ZS[S.seg + 1] and (S.ZA[S.z] & MASK) == at and S.ZK[S.z] == value"

    def patched(self: Any, source: str, exported: frozenset[str]) -> None:
        assert right in source
        original(self, source.replace(right, "S.z < S.ZS[S.seg + 1]"), exported)

    machine.made.cache_clear()
    monkeypatch.setattr(machine.Interpreted, "__init__", patched)
    try:
        assert apart(TEXTS_OF_PROCESSES["urn, swapped"]) > 1e-3
    finally:
        machine.made.cache_clear()
