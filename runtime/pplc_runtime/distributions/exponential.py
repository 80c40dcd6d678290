"""Waiting times: exponential and Weibull."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE
from pplc_runtime.distributions.lanewise import INF, TINY, bounded, log
from pplc_runtime.distributions.support import OnInterval

LARGEST_EXPONENT: Final = 709.0


class Exponential(OnInterval):
    """Exponential with a rate (mean 1 / rate), on the numbers from 0."""

    name: ClassVar[str] = "exponential"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("rate", POSITIVE),)
    # The smallest negative float: zero is within.
    ends: ClassVar[tuple[float, float]] = (-5e-324, INF)
    zone: ClassVar[tuple[float, float]] = (-5e-324, 1e150)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return rng.standard_exponential(lanes) / parameters[0]

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        (rate,) = parameters
        return log(rate) - rate * value


class Weibull(OnInterval):
    """Weibull with a shape k and a scale s, on the positive numbers: s E^(1/k) for E exponential."""

    name: ClassVar[str] = "weibull"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("shape", POSITIVE), Parameter("scale", POSITIVE))
    zone: ClassVar[tuple[float, float]] = (0.0, INF)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        shape, scale = parameters
        draw = rng.weibull(shape, lanes)
        if type(shape) is ndarray or shape < 1:
            # Small shapes under- and overflow; the bounds leave room for the scale.
            return bounded(bounded(draw, TINY, 1e150) * scale, TINY, 1e300)
        return draw * scale

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        shape, scale = parameters
        log_value = log(value)
        # log of (x / s)^k. Beyond the largest exponent the density is zero in all but name.
        log_power = shape * (log_value - log(scale))
        exponent = bounded(log_power, -INF, LARGEST_EXPONENT)
        power = np.exp(exponent) if type(exponent) is ndarray else math.exp(exponent)
        return log(shape) + log_power - log_value - power

    def at_end(self, value: float, *parameters: Raw) -> float:
        shape, scale = parameters
        if value > 0 or shape > 1:
            return -INF
        return INF if shape < 1 else -math.log(scale)
