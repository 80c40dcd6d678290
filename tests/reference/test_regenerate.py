"""Regeneration: densities by hand, and the paper's operator against running the suffix again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY

from pplc_runtime.reference import ancestor_log_weights
from pplc_runtime.reference.draws import Random
from pplc_runtime.reference.execution import Particle, Plan, extend, start
from pplc_runtime.reference.methods import one_lane, paper_suffix_score, planned, suffix_score, sweep

from .programs import program_of
from .test_evaluate import INFINITE_MIXTURE, log_normal

CHAIN = """
[assume mu (sample (normal 0.0 1.0))]
[observe (normal mu 1.0) 0.1]
[assume twice (* 2 mu)]
[assume x (sample (normal twice 1.0))]
[observe (normal (+ x mu) 0.5) 0.5]
"""


@pytest.mark.parametrize("paper", [False, True])
def test_a_chain(paper: bool) -> None:
    weights = ancestor_log_weights(program_of(CHAIN), 1, [[0.3], [-1.2]], [0.3, 0.8], paper=paper)
    expected = [log_normal(0.1, mu) + log_normal(0.8, 2 * mu) + log_normal(0.5, 0.8 + mu, 0.5) for mu in (0.3, -1.2)]
    assert weights == pytest.approx(expected)


BRANCH = """
[assume a (sample (flip 0.4))]
[observe (flip (if a 0.7 0.5)) true]
[assume b (if a (sample (flip 0.2)) true)]
[observe (flip (if b 0.9 0.1)) true]
"""


@pytest.mark.parametrize("paper", [False, True])
def test_a_sample_that_the_prefix_does_not_draw(paper: bool) -> None:
    program = program_of(BRANCH)
    weights = ancestor_log_weights(program, 1, [[True], [False]], [True, True], paper=paper)
    assert weights == pytest.approx([math.log(0.7 * 0.2 * 0.9), -math.inf])
    weights = ancestor_log_weights(program, 1, [[True], [False]], [False], paper=paper)
    assert weights == pytest.approx([-math.inf, math.log(0.5 * 0.9)])


SAME_SAMPLES = """
[assume a (sample (flip 0.4))]
[observe (flip (if a 0.7 0.5)) true]
[assume b (sample (flip (if a 0.2 0.6)))]
[observe (flip (if b 0.9 0.1)) true]
"""


def test_strict_rejects_a_changed_predicate() -> None:
    program = program_of(SAME_SAMPLES)
    prefixes, retained = [[True], [False]], [True, True]
    relaxed = ancestor_log_weights(program, 1, prefixes, retained)
    assert relaxed == pytest.approx([math.log(0.7 * 0.2 * 0.9), math.log(0.5 * 0.6 * 0.9)])
    strict = ancestor_log_weights(program, 1, prefixes, retained, strict=True)
    assert strict == pytest.approx([relaxed[0], -math.inf])
    assert ancestor_log_weights(program, 1, prefixes, retained, paper=True) == pytest.approx(strict)


MEMO = """
[assume m (mem (lambda (k) (sample (discrete [0.7 0.3]))))]
[assume a (sample (flip 0.5))]
[observe (flip (if a (nth [0.2 0.9] (m 0)) 0.5)) true]
[observe (flip (nth [0.3 0.8] (m 0))) true]
"""


def test_memo_entries_belong_to_who_made_them() -> None:
    program = program_of(MEMO)
    prefixes: list[list[Any]] = [[False], [True, 0], [True, 1]]
    # The retained suffix makes the entry: it cannot follow a prefix that has it.
    exact = ancestor_log_weights(program, 1, prefixes, [False, 1])
    assert exact == pytest.approx([math.log(0.5 * 0.3 * 0.8), -math.inf, -math.inf])
    paper = ancestor_log_weights(program, 1, prefixes, [False, 1], paper=True)
    assert paper == pytest.approx([math.log(0.5 * 0.3 * 0.8), math.log(0.2 * 0.3), math.log(0.9 * 0.8)])
    # The retained suffix finds the entry: it cannot follow a prefix that lacks it.
    exact = ancestor_log_weights(program, 1, prefixes, [True, 1])
    assert exact == pytest.approx([-math.inf, math.log(0.2 * 0.3), math.log(0.9 * 0.8)])
    paper = ancestor_log_weights(program, 1, prefixes, [True, 1], paper=True)
    assert paper == pytest.approx([math.log(0.5 * 0.3 * 0.8), math.log(0.2 * 0.3), math.log(0.9 * 0.8)])


def test_process_draws_are_scored_with_the_state_of_the_prefix() -> None:
    program = program_of(INFINITE_MIXTURE)
    retained = [0, 1.3, 1, -0.4, 1]
    prefixes = [[0, 1.3, 1, -0.4], [0, 1.1, 0], [0, 0.2, 1, 2.0]]
    weights = ancestor_log_weights(program, 2, prefixes, retained)
    assert weights == pytest.approx(
        [
            log_normal(0.6, -0.4) + math.log(1 / 3) + log_normal(1.2, -0.4),
            -math.inf,  # label 1 is new there, and its mean would have to be drawn
            log_normal(0.6, 2.0) + math.log(1 / 3) + log_normal(1.2, 2.0),
        ]
    )


@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ("(poisson 2.0)", "(normal 0.0 1.0)", 2),
        ("(flip 0.5)", "(bernoulli 0.5)", True),
        ("(mvn [0.0 0.0] (eye 2))", "(mvn [0.0] (eye 1))", np.array([0.1, 0.2])),
        ("(uniform-discrete 0 4)", "(uniform-discrete 0 2)", 3),
    ],
)
def test_what_is_impossible_or_of_another_kind_does_not_fit(one: str, other: str, value: Any) -> None:
    program = program_of(f"""
    [assume a (sample (flip 0.5))]
    [observe (flip 0.5) true]
    [assume x (sample (if a {one} {other}))]
    [observe (flip 0.5) true]
    """)
    weights = ancestor_log_weights(program, 1, [[True], [False]], [True, value])
    assert weights[0] > -math.inf and weights[1] == -math.inf


def test_mass_and_density_of_a_process_do_not_stand_for_each_other() -> None:
    program = program_of("""
    [assume d (dp 1.0 (normal 0.0 1.0))]
    [assume x (sample d)]
    [observe (normal x 1.0) 0.0]
    [assume y (sample d)]
    [observe (normal y 1.0) 0.0]
    """)
    weights = ancestor_log_weights(program, 1, [[0.3], [0.4]], [0.3, 0.3])
    assert weights == pytest.approx([2 * log_normal(0.0, 0.3) + math.log(0.5), -math.inf])
    weights = ancestor_log_weights(program, 1, [[0.3], [0.4]], [0.3, 0.8])
    assert weights[0] - weights[1] == pytest.approx(log_normal(0.0, 0.3) - log_normal(0.0, 0.4))


def prefix_of(run: Plan, particle: Particle, n: int) -> Particle:
    """The first n generations of a particle."""
    prefix = start(run)
    given = particle.given()
    for segment in run.segments[:n]:
        extend(prefix, segment, given)
        given = given.rest()
    return prefix


CLOSED_OVER = ("mem_inside_mem", "closure_over_random_value")
"""Programs whose suffix calls a closure of the prefix over a random value."""
OTHER_LENGTHS = ("list_of_random_length",)
"""Programs that decide more or fewer predicates after another prefix, which only the paper accepts."""


@pytest.mark.parametrize("name", [name for name in TINY if name not in CLOSED_OVER])
def test_the_paper_is_exact_where_no_memo_entry_is_lost_or_gained(name: str) -> None:
    run = planned(program_of(TINY[name].source))
    with one_lane():
        particles, weights, _ = sweep(run, 8, Random(np.random.default_rng(3)))
        particles = [particle for particle, weight in zip(particles, weights) if weight > 0.0]
        retained = particles[0]
        for n in range(1, len(run.segments)):
            given = retained.given(n, strict=True)
            for particle in particles:
                prefix = prefix_of(run, particle, n)
                exact = suffix_score(prefix, given, n, run)
                paper = paper_suffix_score(prefix, retained, n, run)
                if exact > -math.inf:
                    assert paper == pytest.approx(exact)
                elif (
                    not any(word in TINY[name].source for word in ("mem ", "(dp 0.8 shape)"))
                    and name not in OTHER_LENGTHS
                ):
                    assert paper == -math.inf
