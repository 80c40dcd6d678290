"""Heavy tails: Student's t and Cauchy."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE, REAL
from pplc_runtime.distributions.lanewise import absolute_sum, bounded, log, log_beta
from pplc_runtime.distributions.support import OnLine

LOG_PI: Final = math.log(math.pi)
LARGEST_DRAW: Final = 1e300


def _log_1_plus_square(z: Raw) -> Raw:
    """log(1 + z^2), also where the square of a plain z overflows."""
    if type(z) is ndarray:
        return np.log1p(z * z)
    return math.log1p(z * z) if -1e100 < z < 1e100 else 2.0 * math.log(abs(z))


class StudentT(OnLine):
    """Student's t with df degrees of freedom, a location and a scale, on the whole line."""

    name: ClassVar[str] = "student-t"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("df", POSITIVE),
        Parameter("location", REAL),
        Parameter("scale", POSITIVE),
    )

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        df, location, scale = parameters
        draw = location + scale * rng.standard_t(df, lanes)
        # With few degrees of freedom a draw may be too large for a float.
        if (abs(draw) if lanes is None else absolute_sum(draw)) < LARGEST_DRAW:
            return draw
        return bounded(draw, -LARGEST_DRAW, LARGEST_DRAW)

    def kernel(self, z: Raw, *shape: Raw) -> Raw:
        (df,) = shape
        root_df = np.sqrt(df) if type(df) is ndarray else math.sqrt(df)
        constant = -log_beta(0.5 * df, 0.5) - log(root_df)
        return constant - (0.5 * df + 0.5) * _log_1_plus_square(z / root_df)


class Cauchy(OnLine):
    """Cauchy with a location and a scale, on the whole line."""

    name: ClassVar[str] = "cauchy"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("location", REAL), Parameter("scale", POSITIVE))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        location, scale = parameters
        return location + scale * rng.standard_cauchy(lanes)

    def kernel(self, z: Raw, *shape: Raw) -> Raw:
        return -LOG_PI - _log_1_plus_square(z)
