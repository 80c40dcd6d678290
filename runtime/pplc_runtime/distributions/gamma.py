"""The gamma distribution and its kin: inverse-gamma and chi-squared."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE
from pplc_runtime.distributions.lanewise import INF, MAX, TINY, bounded, log, log_gamma
from pplc_runtime.distributions.support import OnInterval

SMALL_SHAPE: Final = 0.1
"""Below this shape a gamma draw may well be too small for a float: with shape 0.1, once in 1e30 draws."""


def standard_gamma(rng: np.random.Generator, lanes: int | None, shape: Raw) -> Raw:
    """Gamma draws of rate 1, never zero."""
    draw = rng.standard_gamma(shape, lanes)
    if type(shape) is ndarray or shape < SMALL_SHAPE:
        return bounded(draw, TINY, MAX)
    return draw


class Gamma(OnInterval):
    """Gamma with a shape and a rate (mean shape / rate), on the positive numbers."""

    name: ClassVar[str] = "gamma"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("shape", POSITIVE), Parameter("rate", POSITIVE))
    zone: ClassVar[tuple[float, float]] = (0.0, 1e150)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        shape, rate = parameters
        draw = standard_gamma(rng, lanes, shape) / rate
        # Division by a rate above 1 can take the smallest draws back to zero.
        return bounded(draw, TINY, MAX) if type(shape) is ndarray or shape < SMALL_SHAPE else draw

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        shape, rate = parameters
        constant = shape * log(rate) - log_gamma(shape)
        return (shape - 1.0) * log(value) - rate * value + constant

    def at_end(self, value: float, *parameters: Raw) -> float:
        shape, rate = parameters
        if value > 0 or shape > 1:
            return -INF
        return INF if shape < 1 else math.log(rate)


class InverseGamma(OnInterval):
    """Of shape and scale: the scale over a gamma draw of that shape and rate 1, on the positive numbers."""

    name: ClassVar[str] = "inverse-gamma"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("shape", POSITIVE), Parameter("scale", POSITIVE))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        shape, scale = parameters
        draw = rng.standard_gamma(shape, lanes)
        if type(shape) is ndarray or shape < SMALL_SHAPE:
            least = scale * 1e-300 + TINY
            draw = max(draw, least) if lanes is None else np.maximum(draw, least)
        return scale / draw

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        shape, scale = parameters
        constant = shape * log(scale) - log_gamma(shape)
        return constant - (shape + 1.0) * log(value) - scale / value


_GAMMA: Final = Gamma()


class ChiSquared(OnInterval):
    """Chi-squared with df degrees of freedom: gamma of shape df / 2 and rate 1/2."""

    name: ClassVar[str] = "chi-squared"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("df", POSITIVE),)
    zone: ClassVar[tuple[float, float]] = _GAMMA.zone

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return standard_gamma(rng, lanes, parameters[0] * 0.5) * 2.0

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        return _GAMMA.formula(value, parameters[0] * 0.5, 0.5)

    def at_end(self, value: float, *parameters: Raw) -> float:
        return _GAMMA.at_end(value, parameters[0] * 0.5, 0.5)
