"""The von Mises distribution of angles."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray
from scipy import special

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE, REAL
from pplc_runtime.distributions.lanewise import INF, bounded

TWO_PI: Final = 2.0 * math.pi
LOG_2_PI: Final = math.log(TWO_PI)


class VonMises(Family):
    """An angle from -pi to pi about a mean, of any turn: the density is proportional to
    exp(concentration cos(value - mean))."""

    name: ClassVar[str] = "von-mises"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("mean", REAL), Parameter("concentration", POSITIVE))
    discrete: ClassVar[bool] = False

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        mean, concentration = parameters
        angle = mean + rng.vonmises(0.0, concentration, lanes)
        return bounded((angle + math.pi) % TWO_PI - math.pi, -math.pi, math.pi)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        mean, concentration = parameters
        inside = abs(value) <= math.pi
        angle = np.where(inside, value, 0.0) - mean
        # cos - 1 and the scaled Bessel function do not overflow.
        log_peak = -LOG_2_PI - np.log(special.i0e(concentration))
        result = np.where(inside, log_peak - 2.0 * concentration * np.sin(0.5 * angle) ** 2, -INF)
        return result if any(type(x) is ndarray for x in (value, *parameters)) else float(result)
