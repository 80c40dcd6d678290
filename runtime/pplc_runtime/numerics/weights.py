"""Weights in logs: sums, normalised weights, effective sample size, evidence.

A log weight of -inf is a weight of 0 and is welcome everywhere; NaN and +inf are not weights. None of these
functions raises a numpy warning.

Sums are numpy's own, whose order goes by the number of terms alone: those of BLAS go by where in memory an array is, or
by how many rows there are, so that the last bit of a run could differ from one time to the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_largest: Final = np.maximum.reduce
_sum: Final = np.add.reduce
_SMALL: Final = 1e-100
_LARGE: Final = 1e100
"""Sums of weights between these two are far from both ends of the floating-point numbers."""


class ZeroWeights(ArithmeticError):
    """All weights are 0: there is nothing to normalise."""


class BadWeights(ArithmeticError):
    """A log weight is NaN or +inf."""


def log_sum_exp(log_weights: NDArray[np.float64]) -> float:
    """log of the sum of the weights; -inf if all are 0."""
    largest = float(_largest(log_weights))
    if not -math.inf < largest < math.inf:
        return largest
    return largest + math.log(_sum(np.exp(log_weights - largest)))


def log_mean_exp(log_weights: NDArray[np.float64]) -> float:
    """log of the mean of the weights."""
    return log_sum_exp(log_weights) - math.log(len(log_weights))


def normalise(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights that sum to 1. Raises ZeroWeights if all are 0, BadWeights if one is NaN or infinite."""
    return normalise_and_sum(log_weights)[0]


def normalise_and_sum(log_weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """What `normalise` and `log_sum_exp` give, for the price of one."""
    largest = float(_largest(log_weights))
    if not -math.inf < largest < math.inf:
        if largest == -math.inf:
            raise ZeroWeights("all weights are 0")
        raise BadWeights(f"a log weight is {largest}")
    weights: NDArray[np.float64] = np.exp(log_weights - largest)
    total = float(_sum(weights))
    weights /= total
    return weights, largest + math.log(total)


def relative(log_weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Weights up to a factor, and the log of what the weights sum to.

    Resampling needs no more. The factor is 1, unless weights are too large or too small for that. Raises as
    `normalise` does; numpy may warn of weights that are too large, which a run ignores."""
    weights: NDArray[np.float64] = np.exp(log_weights)
    total = float(_sum(weights))
    if _SMALL < total < _LARGE:
        return weights, math.log(total)
    place = log_weights.argmax()
    largest = log_weights.item(place)
    if not -math.inf < largest < math.inf:
        if largest == -math.inf:
            raise ZeroWeights("all weights are 0")
        raise BadWeights(f"a log weight is {largest}")
    np.subtract(log_weights, log_weights[place, ...], weights)  # without axes, which numpy is quicker with
    np.exp(weights, weights)
    return weights, largest + math.log(_sum(weights))


def relative_rows(log_weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for each row."""
    weights: NDArray[np.float64] = np.exp(log_weights)
    totals: NDArray[np.float64] = _sum(weights, 1)
    found = totals.tolist()
    if min(found) > _SMALL and sum(found) < _LARGE:  # false if one is NaN, which min may leave out
        return weights, np.log(totals)
    largest = _largest(log_weights, 1, keepdims=True)
    low, high = largest[largest.argmin(), 0], largest[largest.argmax(), 0]
    if not -math.inf < low <= high < math.inf:
        if low == -math.inf and high < math.inf:
            raise ZeroWeights("all weights are 0")
        raise BadWeights(f"a log weight is {high}")
    weights = np.exp(log_weights - largest)
    return weights, largest[:, 0] + np.log(_sum(weights, 1))


def effective_sample_size(weights: NDArray[np.float64]) -> float:
    """(sum w)^2 / sum w^2: n if all are equal, 1 if one has everything.

    A. Kong, J. Liu and W. Wong (1994), "Sequential imputations and Bayesian missing data problems"."""
    return float(_sum(weights) ** 2 / _sum(weights * weights))


def log_evidence(per_sweep: Sequence[float]) -> tuple[float, float]:
    """The log of the mean of independent estimates of the evidence, given as logs, and its standard error.

    Each estimate is unbiased before the log, so it is the estimates that are averaged. The error is that of the
    jackknife: sd / (mean sqrt(n)) where they are near each other; where one has most of the sum, how far it is above
    the rest. Infinite where the others are 0; NaN for one sweep or where all are 0."""
    logs = np.asarray(per_sweep, dtype=float)
    n = len(logs)
    log_total = log_sum_exp(logs)
    if n == 1 or not -math.inf < log_total < math.inf:
        return log_total - math.log(n), math.nan
    none = np.array([-math.inf])
    before = np.concatenate([none, np.logaddexp.accumulate(logs[:-1])])
    after = np.concatenate([np.logaddexp.accumulate(logs[:0:-1])[::-1], none])
    without = np.logaddexp(before, after)
    if without.min() == -math.inf:
        return log_total - math.log(n), math.inf
    deviations = without - without.mean()
    return log_total - math.log(n), math.sqrt(float(deviations @ deviations) * (n - 1) / n)
