"""The lane engine leaves the posterior invariant: by its exact transition kernel on small programs.

With PPLC_LONG=1 also programs whose sweeps can go in more ways, in about ten seconds each.
"""

from __future__ import annotations

import os

import pytest
from tests.posteriors.tiny import TINY, enumerate_joint
from tests.reference.test_kernels import DECIDES_MORE_OR_LESS, PROGRAMS
from tests.share import share

from pplc_runtime.values import key_of

from .hazards import HAZARDS
from .interplay import INTERPLAY
from .kernels import Kernel, bias, distance
from .sweeps import compiled

LONG = bool(os.environ.get("PPLC_LONG"))
QUICK = (
    "memo_first_touched_by_branch",
    "memo_behind_and_or",
    "sample_in_one_branch",
    "global_read_by_every_observe",
    "hard_constraints",
    "observe_after_the_last",
    "observe_inside_mem",
    "observe_in_a_branch",
    "process_instance_for_every_call",
)
SLOWER = (
    "memo_chain_read_ahead",
    "memo_calls_memo",
    "memo_keys_by_value",
    "samples_in_both_branches",
    "closure_chosen_at_random",
    "list_of_random_length",
    "sample_depends_on_the_prefix",
    "support_depends_on_the_prefix",
    "derived_values_follow_the_ancestor",
    "crp_drawn_in_a_branch",
    "beta_flip_shared",
    "process_for_every_memo_key",
)
QUICK_INTERPLAY = (
    "closures in a list, applied by map",
    "recursion to a random depth, through a memo that observes",
    "distributions passed around",
    "a loop with a random end",
    "processes that observe what is random",
    "observes in a map over a list of random length",
)
ORDER_OF_SEATINGS = """
[assume urn (polya-urn [1.0 0.5])]
[assume x (mem (lambda (t) (sample urn)))]
[observe (flip (nth [0.3 0.8] (x 1))) true]
[observe (flip (nth [0.9 0.4] (x (x 1)))) true]
[predict (x 0)]
"""
KEYS_AT_ONCE = """
[assume k (mem (lambda (i) (sample (flip 0.4))))]
[assume m (mem (lambda (j) (sample (flip (if (= j 0) 0.3 0.8)))))]
[observe (flip (if (m (if (k 0) 1 0)) 0.9 0.2)) true]
[observe (flip (if (m (if (k 1) 1 0)) 0.4 0.7)) true]
[predict (m 0)]
"""
LISTS_AT_ONCE = """
[assume k (sample (flip 0.4))]
[assume m (mem (lambda (j) (list "entry" j (sample (flip (if (= j 0) 0.3 0.8))))))]
[observe (flip (if (nth (m (if k 1 0)) 2) 0.9 0.2)) true]
[observe (flip (if (nth (m 1) 2) 0.4 0.7)) true]
[predict (nth (m 1) 1)]
"""
"""The first call computes the entries of both keys at once, in a table or, where there are lists, in none."""
ENTRIES_THAT_END = """
[assume m (mem (lambda (k) (do (observe (flip (if (= k 1) 0.0 0.5)) true) (sample (flip 0.5)))))]
[assume z (sample (flip 0.5))]
[observe (flip (if (m 0) 0.9 0.2)) true]
[observe (flip (if (m (if z 0 1)) 0.4 0.7)) true]
"""
"""All that ask for an entry which others do not ask for end there."""
SOURCES = {
    "entries that end": ENTRIES_THAT_END,
    **PROGRAMS,
    "keys at once": KEYS_AT_ONCE,
    "lists at once": LISTS_AT_ONCE,
    "the order of seatings": ORDER_OF_SEATINGS,
    **{name: program.source for name, program in TINY.items() if name in QUICK + SLOWER * LONG},
    **{name: source for name, source in INTERPLAY.items() if name in QUICK_INTERPLAY or LONG},
    **HAZARDS,
}
METHODS = {"icsmc": ("icsmc", False), "pgas": ("pgas", False), "strict pgas": ("pgas", True)}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", share(SOURCES, 6))
def test_the_posterior_is_invariant(name: str, method: str) -> None:
    assert bias(compiled(SOURCES[name]).plan, METHODS[method][0], 2, METHODS[method][1]) < 1e-13


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", share(["branch", "same samples", "lists at once"], 3))
def test_three_particles(name: str, method: str) -> None:
    assert bias(compiled(SOURCES[name]).plan, METHODS[method][0], 3, METHODS[method][1]) < 1e-13


@pytest.mark.parametrize("threshold", [0.6, 0.9])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", share(["branch", "memo", "crp", "impossible", "the suffix split otherwise"], 5))
def test_resampling_only_where_it_is_due(name: str, method: str, threshold: float) -> None:
    assert bias(compiled(PROGRAMS[name]).plan, METHODS[method][0], 2, METHODS[method][1], threshold) < 1e-13


@pytest.mark.slow
def test_strict_asks_for_all_the_predicates() -> None:
    assert bias(compiled(DECIDES_MORE_OR_LESS).plan, "pgas", 3, strict=True) < 1e-13


@pytest.mark.parametrize("name", TINY)
def test_the_posterior_itself(name: str) -> None:
    """The executions of the lane engine, one lane at a time, against the enumerated twin."""
    kernel = Kernel(compiled(TINY[name].source).plan)
    law: dict[object, float] = {}
    with kernel.enumerated():
        for _, predicts, probability in kernel.posterior():
            law[frozenset(predicts)] = law.get(frozenset(predicts), 0.0) + probability
    _, joint = enumerate_joint(TINY[name].twin)
    exact: dict[object, float] = {}
    for outcome, probability in joint.items():
        key = frozenset((label, key_of(value)) for label, value in outcome)
        exact[key] = exact.get(key, 0.0) + probability
    assert distance(law, exact) < 1e-12
