"""Resampling schemes against their exact joint laws, and conditional SMC against the exact posterior.

The joint law of the ancestors under each scheme is enumerated from its textbook definition followed by the
shuffle that the scheme names, independently of how the library draws. Three comparisons follow: `draw` and
`conditional` have the enumerated laws (chi-square); a sweep of conditional SMC built on the enumerated laws
leaves the posterior of a small hidden Markov model invariant, in exact arithmetic; and so does a sweep that
calls the library's functions, within Monte Carlo error. The last two catch what is not valid.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.resampling_laws import LAWS, Law, Weights, fractions, given

from pplc_runtime.numerics.resampling import SCHEMES

EACH_SCHEME = pytest.mark.parametrize("name", list(SCHEMES))
CASES = [
    (fractions(5, 2, 3), 3),
    (fractions(1, 1, 1), 3),
    (fractions(7, 0, 2), 3),
    (fractions(1, 8), 2),
    (fractions(1, 5, 2, 3), 4),
    (fractions(3, 1, 4), 4),
    (fractions(3, 1, 4, 2), 2),
]


def test_table() -> None:
    assert list(SCHEMES) == list(LAWS)
    assert all(scheme.name == name for name, scheme in SCHEMES.items())


@EACH_SCHEME
@pytest.mark.parametrize("weights, n", CASES)
def test_every_slot_has_the_weights_as_its_marginal_law(name: str, weights: Weights, n: int) -> None:
    law = LAWS[name](weights, n)
    for slot, (k, weight) in itertools.product(range(n), enumerate(weights)):
        assert sum(m for a, m in law.items() if a[slot] == k) == weight


def check_law(draws: list[tuple[int, ...]], law: Law) -> None:
    """A chi-square test that errs once in 10^5 seeds; there are about 110 of them in this file."""
    observed = Counter(draws)
    assert set(observed) <= set(law)
    outcomes = list(law)
    if len(outcomes) > 1:
        expected = np.array([float(law[a]) for a in outcomes]) * len(draws)
        assert stats.chisquare([observed[a] for a in outcomes], expected).pvalue > 1e-5


@EACH_SCHEME
@pytest.mark.parametrize("weights, n", CASES)
def test_draws_have_the_joint_law(name: str, weights: Weights, n: int) -> None:
    rng = np.random.default_rng(17)
    array = np.array(weights, dtype=float)
    draws = [tuple(SCHEMES[name].draw(rng, array, n).tolist()) for _ in range(8000)]
    check_law(draws, LAWS[name](weights, n))


@EACH_SCHEME
@pytest.mark.parametrize("weights, n", CASES)
def test_conditional_draws_have_the_conditional_law(name: str, weights: Weights, n: int) -> None:
    rng = np.random.default_rng(18)
    array = np.array(weights, dtype=float)
    law = LAWS[name](weights, n)
    for kept in np.flatnonzero(array).tolist():
        draws = [tuple(SCHEMES[name].conditional(rng, array, n, kept).tolist()) for _ in range(4000)]
        check_law(draws, given(law, kept))


class Extreme:
    """A generator whose uniform numbers are all as small, or as large, as they can be."""

    def __init__(self, uniform: float) -> None:
        self.uniform = uniform
        self.permutation = np.random.default_rng(0).permutation
        self.integers = np.random.default_rng(0).integers

    def random(self, n: int | None = None) -> Any:
        return self.uniform if n is None else np.full(n, self.uniform)


@EACH_SCHEME
@pytest.mark.parametrize("uniform", [0.0, float(np.nextafter(1.0, 0.0))])
def test_a_weight_of_zero_is_never_drawn(name: str, uniform: float) -> None:
    rng: Any = Extreme(uniform)
    source = np.random.default_rng(4)
    for _ in range(300):
        weights = source.random(10) ** 3 * (source.random(10) < 0.6)
        weights[[0, -1]] = 0.0
        weights[5] += 0.01
        weights *= 10.0 ** source.integers(-300, 300)
        positive = set(np.flatnonzero(weights).tolist())
        assert set(SCHEMES[name].draw(rng, weights, 10).tolist()) <= positive
        for kept in positive:
            ancestors = SCHEMES[name].conditional(rng, weights, 10, kept)
            assert ancestors[0] == kept
            assert set(ancestors.tolist()) <= positive


@EACH_SCHEME
def test_weights_stay_as_they_are_and_need_not_sum_to_one(name: str) -> None:
    weights = np.array([1.0, 2.0, 5.0])
    drawn = [SCHEMES[name].draw(np.random.default_rng(2), weights * c, 50).tolist() for c in (1.0, 0.125)]
    assert drawn[0] == drawn[1]
    SCHEMES[name].conditional(np.random.default_rng(2), weights, 5, 1)
    assert weights.tolist() == [1.0, 2.0, 5.0]


@EACH_SCHEME
def test_one_particle(name: str) -> None:
    rng = np.random.default_rng(1)
    assert SCHEMES[name].draw(rng, np.array([0.3]), 1).tolist() == [0]
    assert SCHEMES[name].conditional(rng, np.array([0.3]), 1, 0).tolist() == [0]
    assert SCHEMES[name].conditional(rng, np.array([0.3, 0.7]), 1, 1).tolist() == [1]


@pytest.mark.parametrize("name", ["stratified", "systematic", "residual"])
def test_equal_weights_leave_everyone_one_child(name: str) -> None:
    rng = np.random.default_rng(6)
    for n in (2, 3, 8, 64):
        assert sorted(SCHEMES[name].draw(rng, np.full(n, 1 / n), n).tolist()) == list(range(n))
