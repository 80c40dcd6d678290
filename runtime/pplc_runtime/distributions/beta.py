"""The beta distribution."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE
from pplc_runtime.distributions.lanewise import INF, TINY, bounded, log, log_beta
from pplc_runtime.distributions.support import OnInterval

BELOW_1: Final = 1.0 - 2.0**-53


class Beta(OnInterval):
    """Beta with parameters a and b (mean a / (a + b)), on [0, 1]."""

    name: ClassVar[str] = "beta"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("a", POSITIVE), Parameter("b", POSITIVE))
    ends: ClassVar[tuple[float, float]] = (0.0, 1.0)
    zone: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        a, b = parameters
        draw = rng.beta(a, b, lanes)
        if type(a) is ndarray or type(b) is ndarray or a < 1 or b < 1:
            return bounded(draw, TINY, BELOW_1)
        return draw

    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        a, b = parameters
        log_complement = np.log1p(-value) if type(value) is ndarray else math.log1p(-value)
        return (a - 1.0) * log(value) + (b - 1.0) * log_complement - log_beta(a, b)

    def at_end(self, value: float, *parameters: Raw) -> float:
        near, far = parameters if value == 0 else reversed(parameters)
        if near > 1:
            return -INF
        return INF if near < 1 else math.log(far)
