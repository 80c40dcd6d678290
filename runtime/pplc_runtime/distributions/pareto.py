"""The Pareto distribution."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.domains import POSITIVE
from pplc_runtime.distributions.lanewise import INF, bounded, log
from pplc_runtime.distributions.normal import LARGEST_EXPONENT


class Pareto(Family):
    """Pareto on the numbers from a scale, which is the least: the logarithm of value / scale is exponential with
    the shape as its rate."""

    name: ClassVar[str] = "pareto"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("scale", POSITIVE), Parameter("shape", POSITIVE))
    discrete: ClassVar[bool] = False

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        scale, shape = parameters
        log_value = log(scale) + rng.standard_exponential(lanes) / shape
        log_value = bounded(log_value, -INF, LARGEST_EXPONENT)
        value = np.exp(log_value)
        # Rounding may take the smallest draws below the scale.
        return float(max(value, scale)) if lanes is None else np.maximum(value, scale)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        scale, shape = parameters
        inside = (value >= scale) & (value < INF)
        if type(inside) is not ndarray:
            if not inside:
                return np.full(shape.shape, -INF) if type(shape) is ndarray else -INF
            return log(shape) + shape * (math.log(scale) - math.log(value)) - math.log(value)
        log_value = np.log(np.where(inside, value, 1.0))
        return np.where(inside, log(shape) + shape * (log(scale) - log_value) - log_value, -INF)
