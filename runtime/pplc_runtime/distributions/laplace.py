"""The Laplace, or double exponential, distribution."""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE, REAL
from pplc_runtime.distributions.support import OnLine

LOG_2: Final = math.log(2.0)


class Laplace(OnLine):
    """Laplace with a location and a scale, on the whole line."""

    name: ClassVar[str] = "laplace"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("location", REAL), Parameter("scale", POSITIVE))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        location, scale = parameters
        return location + scale * rng.laplace(0.0, 1.0, lanes)

    def kernel(self, z: Raw, *shape: Raw) -> Raw:
        return -LOG_2 - abs(z)
