"""The positive halves of distributions about zero: half-normal and half-Cauchy."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE
from pplc_runtime.distributions.lanewise import INF
from pplc_runtime.distributions.normal import Normal
from pplc_runtime.distributions.student_t import Cauchy
from pplc_runtime.distributions.support import OnInterval

LOG_2: Final = math.log(2.0)
_NORMAL: Final = Normal()
_CAUCHY: Final = Cauchy()


class HalfNormal(OnInterval):
    """The absolute value of a normal of mean 0 and a standard deviation, on the numbers from 0."""

    name: ClassVar[str] = "half-normal"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("sd", POSITIVE),)
    # The smallest negative float: zero is within.
    ends: ClassVar[tuple[float, float]] = (-5e-324, INF)
    zone: ClassVar[tuple[float, float]] = (-5e-324, INF)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return abs(rng.standard_normal(lanes)) * parameters[0]

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        return _NORMAL.log_density(value, 0.0, *parameters) + LOG_2


class HalfCauchy(OnInterval):
    """The absolute value of a Cauchy of location 0 and a scale, on the numbers from 0."""

    name: ClassVar[str] = "half-cauchy"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("scale", POSITIVE),)
    ends: ClassVar[tuple[float, float]] = HalfNormal.ends
    zone: ClassVar[tuple[float, float]] = HalfNormal.zone

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        return abs(rng.standard_cauchy(lanes)) * parameters[0]

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        return _CAUCHY.log_density(value, 0.0, *parameters) + LOG_2
