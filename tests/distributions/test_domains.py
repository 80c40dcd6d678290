"""Domains of parameters take what they should and reject the rest, lane by lane."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.distributions.base import Domain
from pplc_runtime.distributions.domains import (
    COUNT,
    INTEGER,
    LOGIT,
    POSITIVE,
    POSITIVE_DEFINITE,
    POSITIVE_PROBABILITY,
    POSITIVE_VECTOR,
    PROBABILITY,
    RATE_OF_COUNTS,
    REAL,
    VECTOR,
    WEIGHTS,
)

pytestmark = pytest.mark.filterwarnings("error")

NEVER: list[Any] = [nan, inf, -inf]


@pytest.mark.parametrize(
    ("domain", "good", "bad"),
    [
        (REAL, [0.0, -3, 1e308], []),
        (POSITIVE, [1, 5e-324, 1e308], [0, 0.0, -0.0, -1]),
        (RATE_OF_COUNTS, [0, 0.0, 3.5, 1e18], [-1e-9, 1e19]),
        (PROBABILITY, [0, 1, 0.0, 1.0, 0.5, 1e-300], [-1e-300, 1.0000000001, 2]),
        (POSITIVE_PROBABILITY, [1, 1.0, 0.5, 1e-300], [0, 0.0, -0.5, 2]),
        (INTEGER, [0, -7, 3.0, 2**53], [0.5, -0.1, 2**54, -(2**54)]),
        (COUNT, [0, 7, 3.0, 2**53], [0.5, -1, -1.0, 2**54]),
    ],
    ids=lambda x: x.text if isinstance(x, Domain) else "",
)
def test_numbers(domain: Domain, good: list[Any], bad: list[Any]) -> None:
    bad = bad + NEVER
    for x in good:
        assert domain.holds(x) is True
    for x in [*bad, True, False, None, "1", (1.0,), np.zeros((2, 2)), 10**400]:
        assert domain.holds(x) is False
    assert domain.holds(np.array(good + bad, float)).tolist() == [True] * len(good) + [False] * len(bad)
    whole = [x for x in good if type(x) is int]
    if whole:
        assert domain.holds(np.array(whole)).tolist() == [True] * len(whole)
    assert domain.holds(np.array([True, False])).tolist() == [False, False]


def test_a_logit_may_be_infinite() -> None:
    for x in (0, -3.5, 800, inf, -inf):
        assert LOGIT.holds(x) is True
    others: list[Any] = [nan, True, None, "1", 10**400, np.zeros((2, 2))]
    assert not any(LOGIT.holds(x) for x in others)
    assert LOGIT.holds(np.array([1.0, inf, nan, -inf])).tolist() == [True, True, False, True]


@pytest.mark.parametrize(
    ("domain", "good", "bad"),
    [
        (VECTOR, [[0.0, 1.0], [-1e308, 1e308]], []),
        (POSITIVE_VECTOR, [[0.1, 1e300], [1.0, 1.0]], [[0.0, 1.0], [-1.0, 1.0]]),
        (WEIGHTS, [[0.0, 1.0], [2.0, 3.0]], [[0.0, 0.0], [-1.0, 2.0], [1e308, 1e308], [1e-320, 0.0]]),
    ],
    ids=lambda x: x.text if isinstance(x, Domain) else "",
)
def test_vectors(domain: Domain, good: list[Any], bad: list[Any]) -> None:
    bad = [*bad, *([x, 1.0] for x in NEVER)]
    for x in good:
        assert domain.holds(np.array(x)) is True
    for x in bad:
        assert domain.holds(np.array(x)) is False
    for x in [1.0, None, True, (1.0, 2.0), np.ones((2, 2, 2)), np.array([]), np.array([True, True])]:
        assert domain.holds(x) is False
    lanes = np.array(good + bad).T
    assert domain.holds(lanes).tolist() == [True] * len(good) + [False] * len(bad)
    assert domain.holds(np.array([1, 2])) is True


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_positive_definite_matrices(d: int) -> None:
    eye = np.eye(d)
    skewed = eye.copy()
    skewed[0, -1] += 0.5
    broken = eye.copy()
    broken[-1, -1] = nan
    endless = eye.copy()
    endless[0, 0] = inf
    good = [eye, eye * 1e-20, eye * 1e20, eye + 0.5]
    bad = [-eye, 0 * eye, broken, endless, eye * nan]
    if d > 1:
        bad += [skewed, np.ones((d, d)) * 2, eye - 2]
    for matrix in good:
        assert POSITIVE_DEFINITE.holds(matrix) is True
    for matrix in bad:
        assert POSITIVE_DEFINITE.holds(matrix) is False
    assert POSITIVE_DEFINITE.holds(np.stack(good, -1)).tolist() == [True] * len(good)
    mixed = [m for pair in zip(good * 2, bad) for m in pair]
    assert POSITIVE_DEFINITE.holds(np.stack(mixed, -1)).tolist() == [True, False] * (len(mixed) // 2)


def test_other_things_are_not_covariances() -> None:
    for x in [1.0, None, np.ones(3), np.ones((2, 3)), np.ones((2, 3, 4)), np.ones((0, 0)), np.eye(2) > 0]:
        assert POSITIVE_DEFINITE.holds(x) is False
    assert POSITIVE_DEFINITE.holds(np.eye(2, dtype=np.int64)) is True


@pytest.mark.parametrize(
    ("family", "good", "bad"),
    [
        ("uniform-continuous", [(0, 1), (np.zeros(2), 1)], [(1, 1), (np.arange(2), 1), (-1e308, 1e308)]),
        ("uniform-discrete", [(0, 1), (np.array([0, -1]), 1)], [(1, 1), (np.array([0, 2]), 1)]),
        ("mvn", [(np.zeros(2), np.eye(2))], [(np.zeros(3), np.eye(2)), (np.zeros((1, 2)), np.eye(2))]),
        ("hypergeometric", [(3, 2, 5), (np.arange(4), 2, 2)], [(3, 2, 6), (10**9, 0, 1), (np.arange(4), 1, 2)]),
        ("wishart", [(2.5, np.eye(3))], [(2.0, np.eye(3)), (np.array([3.0, 1.0]), np.eye(3))]),
    ],
)
def test_problems(family: str, good: list[Any], bad: list[Any]) -> None:
    for parameters in good:
        assert DISTRIBUTIONS[family].problem(*parameters) is None
    for parameters in bad:
        assert isinstance(DISTRIBUTIONS[family].problem(*parameters), str)
