"""The logistic distribution."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE, REAL
from pplc_runtime.distributions.support import OnLine


class Logistic(OnLine):
    """Logistic with a location and a scale, on the whole line: its cumulative distribution is a sigmoid."""

    name: ClassVar[str] = "logistic"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("location", REAL), Parameter("scale", POSITIVE))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        location, scale = parameters
        return location + scale * rng.logistic(0.0, 1.0, lanes)

    def kernel(self, z: Raw, *shape: Raw) -> Raw:
        far = abs(z)
        if type(far) is ndarray:
            return -far - 2.0 * np.log1p(np.exp(-far))
        return -far - 2.0 * math.log1p(math.exp(-far))
