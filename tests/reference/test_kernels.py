"""Particle Gibbs leaves the posterior invariant: by the exact kernel of the sampler on small programs."""

from __future__ import annotations

import pytest
from tests.share import share

from pplc_runtime.reference.methods import Settings, planned

from .kernels import after_one_sweep, distance
from .programs import program_of
from .test_regenerate import BRANCH, MEMO, SAME_SAMPLES

CRP = """
[assume c (crp 1.0)]
[assume bias (mem (lambda (k) (if (sample (flip 0.5)) 0.9 0.2)))]
[observe (flip (bias (sample c))) true]
[observe (flip (bias (sample c))) false]
"""

OBSERVE_AFTER_THE_LAST = """
[assume a (sample (flip 0.5))]
[observe (flip (if a 0.6 0.5)) true]
[assume b (sample (flip (if a 0.2 0.5)))]
[observe (flip (if b 0.6 0.5)) true]
[assume seen (observe (flip (if (= a b) 0.9 0.1)) true)]
"""

OBSERVE_IN_MEMO = """
[assume m (mem (lambda (k) (let [x (sample (flip 0.5))] (observe (flip (if x 0.9 0.3)) true) x)))]
[assume a (sample (flip 0.5))]
[observe (flip (if (m (if a 0 1)) 0.2 0.7)) true]
[observe (flip (if (m 0) 0.6 0.8)) true]
"""

IMPOSSIBLE = """
[assume a (sample (discrete [0.3 0.3 0.4]))]
[observe (flip (nth [0.0 0.5 0.9] a)) true]
[assume b (sample (uniform-discrete 0 a))]
[observe (flip (if (= b 0) 0.3 0.8)) true]
"""

SPLIT_OTHERWISE = """
[assume m (mem (lambda (k) (sample (flip 0.3))))]
[assume a (sample (flip 0.5))]
[observe (flip (if a 0.6 0.5)) true]
[observe (flip (if a (if (m 0) 0.9 0.2) 0.5)) true]
[observe (flip (if (m 0) 0.4 0.8)) true]
"""

PROGRAMS = {
    "branch": BRANCH,
    "same samples": SAME_SAMPLES,
    "memo": MEMO,
    "crp": CRP,
    "observe after the last": OBSERVE_AFTER_THE_LAST,
    "observe in a memo": OBSERVE_IN_MEMO,
    "impossible": IMPOSSIBLE,
    "the suffix split otherwise": SPLIT_OTHERWISE,
}
SETTINGS = {
    "icsmc": Settings(),
    "pgas": Settings(ancestors=True),
    "strict pgas": Settings(ancestors=True, strict=True),
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("name", share(PROGRAMS, 4))
def test_the_posterior_is_invariant(name: str, settings: str) -> None:
    posterior, after = after_one_sweep(planned(program_of(PROGRAMS[name])), 2, SETTINGS[settings])
    assert distance(posterior, after) < 1e-14


@pytest.mark.slow
def test_three_particles() -> None:
    posterior, after = after_one_sweep(planned(program_of(BRANCH)), 3, Settings(ancestors=True))
    assert distance(posterior, after) < 1e-14


DECIDES_MORE_OR_LESS = """
[assume a (sample (discrete [0.3 0.3 0.4]))]
[observe (flip (nth [0.2 0.5 0.8] a)) true]
[assume xs (map (lambda (i) (if (= a 1) 1 0)) (range 0 (min a 1)))]
[observe (flip (nth [0.9 0.3 0.5] a)) true]
"""


@pytest.mark.slow
def test_strict_asks_for_all_the_predicates() -> None:
    """Prefix 0 decides none, 1 and 2 differ in theirs: to fit where both decide is no equivalence."""
    run = planned(program_of(DECIDES_MORE_OR_LESS))
    posterior, after = after_one_sweep(run, 3, Settings(ancestors=True, strict=True))
    assert distance(posterior, after) < 1e-14


def test_the_treatment_of_memo_entries_in_the_paper_is_biased() -> None:
    """Chains that start from the posterior have left it after one sweep."""
    posterior, after = after_one_sweep(planned(program_of(MEMO)), 2, Settings(ancestors=True, paper=True))
    assert sum(after.values()) == pytest.approx(1.0)
    assert distance(posterior, after) > 0.02
    posterior, after = after_one_sweep(planned(program_of(BRANCH)), 2, Settings(ancestors=True, paper=True))
    assert distance(posterior, after) < 1e-14
