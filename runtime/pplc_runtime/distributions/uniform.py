"""Uniform distributions: on an interval and on a range of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Parameter, Raw
from pplc_runtime.distributions.binomial import as_integers
from pplc_runtime.distributions.domains import INTEGER, REAL
from pplc_runtime.distributions.lanewise import INF, everywhere, log


class UniformContinuous(Family):
    """Uniform on [a, b]."""

    name: ClassVar[str] = "uniform-continuous"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("a", REAL), Parameter("b", REAL))
    discrete: ClassVar[bool] = False

    def problem(self, *parameters: Raw) -> str | None:
        a, b = parameters
        if not everywhere(a < b):
            return "a must be less than b"
        if not everywhere(b * 0.5 - a * 0.5 < 8e307):
            return "b - a must be a finite number"
        return None

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        a, b = parameters
        return a + (b - a) * rng.random(lanes)

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        a, b = parameters
        return _flat(value, (value >= a) & (value <= b), b - a)


class UniformDiscrete(Family):
    """Uniform on the whole numbers from lower, inclusive, to upper, exclusive."""

    name: ClassVar[str] = "uniform-discrete"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("lower", INTEGER), Parameter("upper", INTEGER))
    discrete: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"

    def problem(self, *parameters: Raw) -> str | None:
        lower, upper = parameters
        return None if everywhere(lower < upper) else "lower must be less than upper"

    def outcomes(self, *parameters: Raw) -> Sequence[Raw]:
        return range(*map(as_integers, parameters))

    def sample(self, rng: np.random.Generator, lanes: int | None, *parameters: Raw) -> Raw:
        draw = rng.integers(as_integers(parameters[0]), as_integers(parameters[1]), lanes)
        return int(draw) if lanes is None else draw

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        lower, upper = parameters
        inside = (value >= lower) & (value < upper)
        if type(value) is ndarray:
            if value.dtype.kind == "f":
                inside = inside & (value == np.floor(value))
        elif inside is not False and not (-INF < value < INF and value == math.floor(value)):
            inside = inside & False
        return _flat(value, inside, upper - lower)


def _flat(value: Raw, inside: Raw, size: Raw) -> Raw:
    """-log size inside, -inf outside."""
    if type(inside) is ndarray:
        return np.where(inside, -log(size), -INF)
    return -math.log(size) if inside else -INF
