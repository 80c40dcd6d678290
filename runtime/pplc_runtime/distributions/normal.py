"""The normal distribution and the exponential of it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Lanes, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE, REAL
from pplc_runtime.distributions.lanewise import INF, LARGE, LARGEST_SCALE, absolute_sum, apart, bounded
from pplc_runtime.distributions.support import OnInterval, is_moderate, is_odd

ROOT_2: Final = math.sqrt(2.0)
HALF_LOG_PI: Final = 0.5 * math.log(math.pi)
# As arrays without axes, which numpy combines with lanes in half of the time that it takes for Python floats.
_ROOT_2: Final = np.array(ROOT_2)
_MINUS_HALF_LOG_PI: Final = np.array(-HALF_LOG_PI)
LEAST_EXPONENT: Final = -708.0
LARGEST_EXPONENT: Final = 708.0
"""Between these two, exp gives a normal floating-point number."""


class Normal(Family):
    """Normal with a mean and a standard deviation, on the whole line.

    With s = sd sqrt 2 and z = (x - mean) / s the log density is -z^2 - log s - (log pi) / 2: one operation
    on lanes less than with a factor 1/2.
    """

    name: ClassVar[str] = "normal"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("mean", REAL), Parameter("sd", POSITIVE))
    discrete: ClassVar[bool] = False

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        mean, sd = parameters
        if lanes is None:
            return mean + sd * rng.standard_normal()
        noise = rng.standard_normal(lanes)
        noise *= sd if type(sd) is ndarray else _scale(sd)[0]
        noise += mean
        return noise

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        mean, sd = parameters
        distance = value - mean
        if type(sd) is not ndarray:
            s = sd * ROOT_2
            if type(distance) is not ndarray:
                z = distance / s
                result = -HALF_LOG_PI - math.log(s) - z * z
                return result if result == result else -INF
            if absolute_sum(distance) < LARGE and s > 1 / LARGEST_SCALE:
                _, inverse, log_peak = _scale(sd)
                z = distance * inverse
                z *= z
                return np.subtract(log_peak, z, z)
        elif is_moderate(distance, sd):
            s = sd * _ROOT_2
            z = distance / s
            return _MINUS_HALF_LOG_PI - np.log(s) - z * z
        return apart(self, self._formula, is_odd(distance, sd), value, mean, sd)

    @staticmethod
    def _formula(value: Raw, mean: Raw, sd: Raw) -> Raw:
        s = sd * ROOT_2
        z = (value - mean) / s
        return -HALF_LOG_PI - np.log(s) - z * z


@lru_cache(256)
def _scale(sd: float) -> tuple[Lanes, Lanes, Lanes]:
    """A standard deviation, one over sd sqrt 2, and the log density at the mean, as arrays without axes."""
    s = sd * ROOT_2
    return np.array(float(sd)), np.array(1 / s), np.array(-HALF_LOG_PI - math.log(s))


_NORMAL: Final = Normal()


class LogNormal(OnInterval):
    """The exponential of a normal with mean mu and standard deviation sigma, on the positive numbers."""

    name: ClassVar[str] = "lognormal"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("mu", REAL), Parameter("sigma", POSITIVE))
    zone: ClassVar[tuple[float, float]] = (0.0, INF)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        mu, sigma = parameters
        exponent = mu + sigma * rng.standard_normal(lanes)
        if lanes is None:
            return math.exp(bounded(exponent, LEAST_EXPONENT, LARGEST_EXPONENT))
        if not absolute_sum(exponent) < LARGEST_EXPONENT:
            exponent = bounded(exponent, LEAST_EXPONENT, LARGEST_EXPONENT)
        return np.exp(exponent)

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        log_value = np.log(value) if type(value) is ndarray else math.log(value)
        return _NORMAL.log_density(log_value, *parameters) - log_value
