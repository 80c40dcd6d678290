"""Functions of raw numbers, plain or one a lane, and the way out for lanes that need care.

A plain number goes through `math`: a numpy call on it costs ten times as much. Densities run a formula over
all lanes at once when a cheap test shows that no lane can overflow or fall off the support. The tests:

- `x[x.argmin()] > 0` is the cheapest way to ask whether all lanes are positive, and is false for NaN;
- `absolute_sum(x) < LARGE` is false where any lane is NaN, infinite or huge. It is a function of BLAS: unlike
  a sum or product of numpy it never warns of overflow, and it costs a third.

Otherwise `apart` takes the odd lanes out and does them one by one as plain numbers.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy import ndarray
from scipy import special
from scipy.linalg.blas import dasum

from pplc_runtime.distributions.base import Family, Lanes, Raw

INF: Final = math.inf
MAX: Final = sys.float_info.max
TINY: Final = sys.float_info.min
LARGE: Final = 1e50
"""Numbers below this have squares that are far from overflow."""
LARGEST_SCALE: Final = 1e90
"""And they may be multiplied by as much as this before they are squared."""
MANY: Final = 4096
"""From how many numbers on it counts to look at each of them once more."""
absolute_sum: Final = dasum


def log(x: Raw) -> Raw:
    """The logarithm of positive numbers."""
    return np.log(x) if type(x) is ndarray else math.log(x)


def log_or_never(x: Raw) -> Raw:
    """The logarithm of numbers that are not negative; -inf at zero."""
    if type(x) is not ndarray:
        return math.log(x) if x > 0 else -INF
    if x[x.argmin()] > 0:
        return np.log(x)
    return np.log(x, out=np.full(x.shape, -INF), where=x > 0)


def log_gamma(x: Raw) -> Raw:
    """log Gamma of positive numbers."""
    if type(x) is ndarray:
        return special.gammaln(x)
    try:
        return math.lgamma(x)
    except OverflowError:
        return INF


def log_beta(a: Raw, b: Raw) -> Raw:
    """log B of positive numbers. Differences of log-gammas lose digits when an argument is large."""
    if type(a) is not ndarray and type(b) is not ndarray:
        if a + b < 1e3:
            return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        return float(special.betaln(a, b))
    return special.betaln(a, b)


def times_log(k: Raw, p: Raw) -> Raw:
    """k log p, where 0 log 0 = 0."""
    if type(k) is ndarray or type(p) is ndarray:
        return special.xlogy(k, p)
    return (k * math.log(p) if p > 0 else -INF) if k else 0.0


def times_log_complement(k: Raw, p: Raw) -> Raw:
    """k log(1 - p), where 0 log 0 = 0."""
    if type(k) is ndarray or type(p) is ndarray:
        return special.xlog1py(k, -p)
    return (k * math.log1p(-p) if p < 1 else -INF) if k else 0.0


def sigmoid(x: Raw) -> Raw:
    """1 / (1 + exp(-x)), without overflow."""
    if type(x) is not ndarray:
        return 1.0 / (1.0 + math.exp(-x)) if x >= 0 else math.exp(x) / (1.0 + math.exp(x))
    small = np.exp(-np.abs(x))
    return np.where(np.greater_equal(x, 0), 1.0, small) / (1.0 + small)


def log_sigmoid(x: Raw) -> Raw:
    """log(1 / (1 + exp(-x))), without loss where the sigmoid is close to 0 or 1; log(1 - sigmoid(x)) is that of -x."""
    if type(x) is ndarray:
        return np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


def times_log_sigmoid(k: Raw, x: Raw) -> Raw:
    """k log(sigmoid(x)), where 0 log 0 = 0."""
    if type(k) is not ndarray and type(x) is not ndarray:
        return k * log_sigmoid(x) if k else 0.0
    lanes = np.broadcast_shapes(np.shape(k), np.shape(x))
    return np.multiply(k, log_sigmoid(x), out=np.zeros(lanes), where=np.greater(k, 0))


def bounded(x: Raw, low: float, high: float) -> Raw:
    """x moved into [low, high]. Draws from heavy or narrow tails round to 0, 1 or infinity, where the density
    may be infinite; moved by a rounding error, they keep a finite one."""
    if type(x) is ndarray:
        return np.minimum(np.maximum(x, low), high)
    return min(max(x, low), high)


def everywhere(condition: Raw) -> bool:
    """Whether a condition, plain or one a lane, holds in all lanes."""
    return bool(condition.all()) if type(condition) is ndarray else bool(condition)


def number_of_lanes(family: Family, value: Raw, parameters: tuple[Raw, ...]) -> int | None:
    """The number of lanes over which a value or a parameter varies; None where all are shared."""
    if type(value) is ndarray and value.ndim > family.event_rank:
        return int(value.shape[-1])
    for raw, parameter in zip(parameters, family.parameters):
        if type(raw) is ndarray and raw.ndim > parameter.domain.rank:
            return int(raw.shape[-1])
    return None


def spread(result: float, family: Family, value: Raw, parameters: tuple[Raw, ...]) -> Raw:
    """One result for all lanes: as it is where everything is shared, else repeated."""
    lanes = number_of_lanes(family, value, parameters)
    return result if lanes is None else np.full(lanes, result)


def _select(raw: Raw, rank: int, index: Raw) -> Raw:
    if type(raw) is not ndarray or raw.ndim == rank:
        return raw
    part = raw[..., index]
    return part.item() if part.ndim == 0 else part


def apart(family: Family, formula: Callable[..., Raw], odd: Raw, value: Raw, *parameters: Raw) -> Lanes:
    """Log densities by the formula, except for the odd lanes (a bool, or one a lane), which the family does
    one by one as plain values."""
    lanes = number_of_lanes(family, value, parameters)
    assert lanes is not None, "plain values are never set apart"
    ranks = (family.event_rank, *(p.domain.rank for p in family.parameters))
    raws = (value, *parameters)
    result = np.empty(lanes)
    is_odd = np.broadcast_to(odd, (lanes,))
    rest = np.flatnonzero(~is_odd)
    if rest.size:
        result[rest] = formula(*(_select(raw, rank, rest) for raw, rank in zip(raws, ranks)))
    for lane in np.flatnonzero(is_odd):
        result[lane] = family.log_density(*(_select(raw, rank, lane) for raw, rank in zip(raws, ranks)))
    return result
