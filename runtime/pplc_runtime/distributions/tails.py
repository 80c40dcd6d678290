"""What a family has below and above a number: the cumulative distribution from both ends, in logs, and its inverse.

`truncated` and `censored` want masses, and draws from them, also far out in a tail, where one minus a probability
has lost everything. So each end has its own function: log P(X <= x) and log P(X > x).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import special

from pplc_runtime.distributions.base import Raw

LOG_2: Final = math.log(2.0)
LARGEST: Final = 2**52
"""Whole numbers up to twice that are exact as floats."""


@dataclass(frozen=True, slots=True)
class Tails:
    """Functions of a number or a log probability, and the parameters of the family; all broadcast."""

    log_below: Callable[..., Raw]
    """log P(X <= x)"""
    log_above: Callable[..., Raw]
    """log P(X > x)"""
    from_below: Callable[..., Raw]
    """The least x whose log P(X <= x) is so much."""
    from_above: Callable[..., Raw]
    """The least x whose log P(X > x) is no more than that."""


def log_complement(log_p: Raw) -> Raw:
    """log(1 - p) from log p."""
    return np.where(np.greater(log_p, -LOG_2), np.log(-np.expm1(log_p)), np.log1p(-np.exp(log_p)))


def _symmetric(log_below: Callable[..., Raw], from_below: Callable[..., Raw]) -> Tails:
    """A family of a location and a scale, its last two parameters, that is symmetric."""

    def z(x: Raw, parameters: tuple[Raw, ...]) -> Raw:
        return (x - parameters[-2]) / parameters[-1]

    return Tails(
        lambda x, *p: log_below(z(x, p), *p[:-2]),
        lambda x, *p: log_below(-z(x, p), *p[:-2]),
        lambda log_p, *p: p[-2] + p[-1] * from_below(log_p, *p[:-2]),
        lambda log_p, *p: p[-2] - p[-1] * from_below(log_p, *p[:-2]),
    )


def _hazard(hazard: Callable[..., Raw], value: Callable[..., Raw]) -> Tails:
    """A family by its cumulative hazard, -log P(X > x), and the inverse of that."""
    return Tails(
        lambda x, *p: np.log(-np.expm1(-hazard(x, *p))),
        lambda x, *p: -hazard(x, *p),
        lambda log_p, *p: value(-log_complement(log_p), *p),
        lambda log_p, *p: value(-np.asarray(log_p), *p),
    )


def _plain(
    below: Callable[..., Raw], above: Callable[..., Raw], quantile: Callable[..., Raw], top: Callable[..., Raw]
) -> Tails:
    """A family by its probabilities and their inverses."""
    return Tails(
        lambda x, *p: np.log(below(x, *p)),
        lambda x, *p: np.log(above(x, *p)),
        lambda log_p, *p: quantile(np.exp(log_p), *p),
        lambda log_p, *p: top(np.exp(log_p), *p),
    )


def _counts(below: Callable[..., Raw], above: Callable[..., Raw]) -> Tails:
    """A family of the whole numbers from 0 by its probabilities, which are asked for whole numbers from 0 only."""

    def log_below(x: Raw, *p: Raw) -> Raw:
        k = np.maximum(np.floor(x), 0.0)
        return np.where(np.greater_equal(x, 0.0), np.log(np.where(k < np.inf, below(k, *p), 1.0)), -np.inf)

    def log_above(x: Raw, *p: Raw) -> Raw:
        k = np.maximum(np.floor(x), 0.0)
        return np.where(np.greater_equal(x, 0.0), np.log(np.where(k < np.inf, above(k, *p), 0.0)), 0.0)

    return Tails(
        log_below,
        log_above,
        lambda log_p, *p: _least(lambda k: log_below(k, *p) >= log_p, np.shape(log_p)),
        lambda log_p, *p: _least(lambda k: log_above(k, *p) <= log_p, np.shape(log_p)),
    )


def _least(holds: Callable[[Raw], Raw], shape: tuple[int, ...]) -> Raw:
    """The least whole number from 0 from which on something holds, one for each element."""
    low, high = np.full(shape, -1.0), np.ones(shape)
    while True:
        beyond = ~holds(high) & (high < LARGEST)
        if not np.any(beyond):
            break
        low, high = np.where(beyond, high, low), np.where(beyond, 2.0 * high, high)
    while np.any(high - low > 1.0):
        middle = np.floor(0.5 * (low + high))
        good = holds(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high


def _lognormal() -> Tails:
    normal = TAILS["normal"]
    return Tails(
        lambda x, *p: normal.log_below(np.log(np.maximum(x, 0.0)), *p),
        lambda x, *p: normal.log_above(np.log(np.maximum(x, 0.0)), *p),
        lambda log_p, *p: np.exp(normal.from_below(log_p, *p)),
        lambda log_p, *p: np.exp(normal.from_above(log_p, *p)),
    )


def _laplace_below(z: Raw) -> Raw:
    return np.where(np.less(z, 0.0), z - LOG_2, np.log1p(-0.5 * np.exp(-np.abs(z))))


def _laplace_from(log_p: Raw) -> Raw:
    return np.where(np.less(log_p, -LOG_2), log_p + LOG_2, -(LOG_2 + log_complement(log_p)))


def _uniform_discrete() -> Tails:
    def share(x: Raw, lower: Raw, upper: Raw) -> Raw:
        return np.clip((np.floor(x) + 1.0 - lower) / (upper - lower), 0.0, 1.0)

    def at(p: Raw, lower: Raw, upper: Raw) -> Raw:
        return lower + np.maximum(np.ceil(p * (upper - lower) - 1e-9) - 1.0, 0.0)

    return _plain(share, lambda x, *p: 1.0 - share(x, *p), at, lambda q, *p: at(1.0 - q, *p))


_ROOT_2: Final = math.sqrt(2.0)

TAILS: Final[dict[str, Tails]] = {
    "normal": _symmetric(special.log_ndtr, special.ndtri_exp),
    "laplace": _symmetric(_laplace_below, _laplace_from),
    "logistic": _symmetric(special.log_expit, lambda log_p: log_p - log_complement(log_p)),
    "cauchy": _symmetric(
        lambda z: np.log(np.arctan2(1.0, -z) / math.pi), lambda log_p: -1.0 / np.tan(math.pi * np.exp(log_p))
    ),
    "student-t": _symmetric(
        lambda z, df: np.log(special.stdtr(df, z)), lambda log_p, df: special.stdtrit(df, np.exp(log_p))
    ),
    "uniform-continuous": _plain(
        lambda x, a, b: np.clip((x - a) / (b - a), 0.0, 1.0),
        lambda x, a, b: np.clip((b - x) / (b - a), 0.0, 1.0),
        lambda p, a, b: a + p * (b - a),
        lambda q, a, b: b - q * (b - a),
    ),
    "exponential": _hazard(lambda x, rate: rate * np.maximum(x, 0.0), lambda h, rate: h / rate),
    "weibull": _hazard(
        lambda x, shape, scale: (np.maximum(x, 0.0) / scale) ** shape,
        lambda h, shape, scale: scale * h ** (1.0 / shape),
    ),
    "pareto": _hazard(
        lambda x, scale, shape: shape * np.log(np.maximum(x, scale) / scale),
        lambda h, scale, shape: scale * np.exp(h / shape),
    ),
    "gamma": _plain(
        lambda x, shape, rate: special.gammainc(shape, rate * np.maximum(x, 0.0)),
        lambda x, shape, rate: special.gammaincc(shape, rate * np.maximum(x, 0.0)),
        lambda p, shape, rate: special.gammaincinv(shape, p) / rate,
        lambda q, shape, rate: special.gammainccinv(shape, q) / rate,
    ),
    "chi-squared": _plain(
        lambda x, df: special.gammainc(0.5 * df, 0.5 * np.maximum(x, 0.0)),
        lambda x, df: special.gammaincc(0.5 * df, 0.5 * np.maximum(x, 0.0)),
        lambda p, df: 2.0 * special.gammaincinv(0.5 * df, p),
        lambda q, df: 2.0 * special.gammainccinv(0.5 * df, q),
    ),
    "inverse-gamma": _plain(
        lambda x, shape, scale: special.gammaincc(shape, scale / np.maximum(x, 0.0)),
        lambda x, shape, scale: special.gammainc(shape, scale / np.maximum(x, 0.0)),
        lambda p, shape, scale: scale / special.gammainccinv(shape, p),
        lambda q, shape, scale: scale / special.gammaincinv(shape, q),
    ),
    "beta": _plain(
        lambda x, a, b: special.betainc(a, b, np.clip(x, 0.0, 1.0)),
        lambda x, a, b: special.betainc(b, a, 1.0 - np.clip(x, 0.0, 1.0)),
        lambda p, a, b: special.betaincinv(a, b, p),
        lambda q, a, b: 1.0 - special.betaincinv(b, a, q),
    ),
    "half-normal": Tails(
        lambda x, sd: np.log(special.erf(np.maximum(x, 0.0) / (sd * _ROOT_2))),
        lambda x, sd: LOG_2 + special.log_ndtr(-np.maximum(x, 0.0) / sd),
        lambda log_p, sd: sd * _ROOT_2 * special.erfinv(np.exp(log_p)),
        lambda log_p, sd: -sd * special.ndtri_exp(log_p - LOG_2),
    ),
    "half-cauchy": _plain(
        lambda x, scale: np.arctan2(np.maximum(x, 0.0), scale) * (2.0 / math.pi),
        lambda x, scale: np.arctan2(scale, np.maximum(x, 0.0)) * (2.0 / math.pi),
        lambda p, scale: scale * np.tan(0.5 * math.pi * p),
        lambda q, scale: scale / np.tan(0.5 * math.pi * q),
    ),
    "poisson": _counts(
        lambda k, rate: special.gammaincc(k + 1.0, rate), lambda k, rate: special.gammainc(k + 1.0, rate)
    ),
    "binomial": _counts(
        lambda k, n, p: np.where(k < n, special.betainc(np.maximum(n - k, 1.0), k + 1.0, 1.0 - p), 1.0),
        lambda k, n, p: np.where(k < n, special.betainc(k + 1.0, np.maximum(n - k, 1.0), p), 0.0),
    ),
    "negative-binomial": _counts(
        lambda k, r, p: special.betainc(r, k + 1.0, p), lambda k, r, p: special.betainc(k + 1.0, r, 1.0 - p)
    ),
    "geometric": _counts(
        lambda k, p: -np.expm1((k + 1.0) * np.log1p(-p)), lambda k, p: np.exp((k + 1.0) * np.log1p(-p))
    ),
    "uniform-discrete": _uniform_discrete(),
}
"""The families that can be truncated and censored."""
TAILS["lognormal"] = _lognormal()
