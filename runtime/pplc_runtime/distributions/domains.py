"""What values a parameter may take. Booleans are not numbers; NaN is in no domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Domain, Lanes, Raw
from pplc_runtime.distributions.factors import covariance_factor, lane_factors
from pplc_runtime.distributions.lanewise import INF, LARGE, MAX, TINY, absolute_sum
from pplc_runtime.distributions.weights import lane_weights_hold, weight_facts

LARGEST_WHOLE: Final = 2**53
"""Whole numbers up to here are exact as floats."""
LARGEST_RATE: Final = 9.2e18
"""The largest Poisson rate whose draws fit into 64 bits."""


# As arrays without axes, which numpy compares with lanes in half of the time that Python numbers take.
_ZERO: Final = np.array(0.0)
_ONE: Final = np.array(1.0)


def _moderate(x: Lanes) -> bool:
    return bool(absolute_sum(x) < LARGE)


def _moderate_vectors(x: Lanes) -> bool:
    return bool(absolute_sum(x.ravel()) < LARGE)


def _numbers(
    text: str,
    one: Callable[[Raw], bool],
    many: Callable[[Lanes], Lanes],
    surely: Callable[[Lanes], bool] | None = None,
) -> Domain:
    """A domain of numbers from its test of a Python number and its test of an array of them."""

    def holds(x: Raw) -> Raw:
        kind = type(x)
        if kind is float or kind is int:
            return one(x)
        if kind is ndarray:
            if x.ndim != 1:
                return False
            return many(x) if x.dtype.kind in "fiu" else np.zeros(x.shape, np.bool_)
        return isinstance(x, np.floating | np.integer) and one(x.item())

    return Domain(text, 0, holds, one, surely)


def _whole(x: Lanes) -> Lanes:
    good: Lanes = (x == np.floor(x)) & (abs(x) <= LARGEST_WHOLE)
    return good


REAL: Final = _numbers("a finite number", lambda x: -MAX <= x <= MAX, np.isfinite, _moderate)
LOG_WEIGHT: Final = _numbers(
    "a number below infinity", lambda x: -MAX <= x <= MAX or x == -INF, lambda x: x < INF, _moderate
)
"""The logarithm of a weight: -inf where that is zero."""
BOUND: Final = _numbers("a number", lambda x: x == x, lambda x: ~np.isnan(x))
"""An end of an interval, which may be infinite."""
LOGIT: Final = _numbers("a number", lambda x: -MAX <= x <= MAX or x in (-INF, INF), lambda x: ~np.isnan(x), _moderate)
"""The logarithm of p / (1 - p): infinite where p is 0 or 1."""
POSITIVE: Final = _numbers("a positive number", lambda x: 0 < x <= MAX, lambda x: (x > _ZERO) & np.isfinite(x))
RATE_OF_COUNTS: Final = _numbers(
    "a number from 0 to 9.2e18", lambda x: 0 <= x <= LARGEST_RATE, lambda x: (x >= 0) & (x <= LARGEST_RATE)
)
PROBABILITY: Final = _numbers("a probability, from 0 to 1", lambda x: 0 <= x <= 1, lambda x: (x >= _ZERO) & (x <= _ONE))
POSITIVE_PROBABILITY: Final = _numbers(
    "a probability above 0, up to 1", lambda x: 0 < x <= 1, lambda x: (x > _ZERO) & (x <= _ONE)
)
OPEN_PROBABILITY: Final = _numbers(
    "a probability above 0 and below 1", lambda x: 0 < x < 1, lambda x: (x > _ZERO) & (x < _ONE)
)
INTEGER: Final = _numbers(
    "a whole number from -2^53 to 2^53", lambda x: -LARGEST_WHOLE <= x <= LARGEST_WHOLE and x == int(x), _whole
)
COUNT: Final = _numbers(
    "a whole number from 0 to 2^53",
    lambda x: 0 <= x <= LARGEST_WHOLE and x == int(x),
    lambda x: (x >= 0) & _whole(x),
)


def _is_numeric(x: Raw, rank: int) -> bool:
    """Whether x is an array of numbers, of the rank or with lanes besides, and not empty."""
    return type(x) is ndarray and x.dtype.kind in "fiu" and 0 <= x.ndim - rank <= 1 and x.size > 0


def _holds_vector(x: Raw) -> Raw:
    if not _is_numeric(x, 1):
        return False
    finite = np.isfinite(x)
    return bool(finite.all()) if x.ndim == 1 else finite.all(0)


def _holds_positive_vector(x: Raw) -> Raw:
    if not _is_numeric(x, 1):
        return False
    good = (x > 0) & (x < INF)
    return bool(good.all()) if x.ndim == 1 else good.all(0)


def _holds_weights(x: Raw) -> Raw:
    if not _is_numeric(x, 1):
        return False
    return weight_facts(x).holds if x.ndim == 1 else lane_weights_hold(x)


def _holds_covariance(x: Raw) -> Raw:
    if not _is_numeric(x, 2) or x.shape[0] != x.shape[1]:
        return False
    return covariance_factor(x).holds if x.ndim == 2 else lane_factors(x).holds


def _holds_truth(x: Raw) -> Raw:
    if type(x) is ndarray:
        return np.ones(x.shape, np.bool_) if x.dtype.kind == "b" and x.ndim == 1 else False
    return type(x) is bool


TRUTH: Final = Domain("true or false", 0, _holds_truth, boolean=True)
VECTOR: Final = Domain("a vector of finite numbers", 1, _holds_vector, surely=_moderate_vectors)
POSITIVE_VECTOR: Final = Domain("a vector of positive numbers", 1, _holds_positive_vector)
WEIGHTS: Final = Domain(
    "a vector of weights, none negative and not all zero", 1, _holds_weights,
    surely=lambda x: x.ndim == 2 and x.size > 0 and x.item(x.argmin()) > TINY and absolute_sum(x.ravel()) < LARGE,
)  # fmt: skip
POSITIVE_DEFINITE: Final = Domain(
    "a symmetric positive definite matrix", 2, _holds_covariance,
    surely=lambda x: x.ndim == 2 and 0 < len(x) == x.shape[1] and covariance_factor(x).holds,
)  # fmt: skip
