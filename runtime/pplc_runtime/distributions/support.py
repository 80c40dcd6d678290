"""Densities with a support: the formula where it holds, and what happens at the ends and beyond.

Three shapes of family share their guards here: numbers in an interval, numbers on the whole line with a
location and a scale, and whole numbers from zero.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy import ndarray

from pplc_runtime.distributions.base import Family, Raw
from pplc_runtime.distributions.lanewise import INF, LARGE, LARGEST_SCALE, absolute_sum, apart, log, spread


class OnInterval(Family):
    """A family of numbers in an open interval, whose ends are stated apart."""

    discrete: ClassVar[bool] = False
    ends: ClassVar[tuple[float, float]] = (0.0, INF)
    zone: ClassVar[tuple[float, float]] = (1e-150, 1e150)
    """The part of the interval where the formula cannot overflow in an array."""

    @abstractmethod
    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        """The log density within the interval."""

    def at_end(self, value: float, *parameters: Raw) -> float:
        """The log density of a plain value at a finite end of the interval."""
        return -INF

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        low, high = self.zone
        if type(value) is ndarray:
            if low < value[value.argmin()] and value[value.argmax()] < high:
                return self.formula(value, *parameters)
            return apart(self, self.formula, ~((value > low) & (value < high)), value, *parameters)
        if low < value < high:
            return self.formula(value, *parameters)
        return self._outside_zone(value, parameters)

    def _outside_zone(self, value: float, parameters: tuple[Raw, ...]) -> Raw:
        if any(type(p) is ndarray for p in parameters):
            return apart(self, self.formula, True, value, *parameters)
        low, high = self.ends
        if low < value < high:
            result = self.formula(value, *parameters)
            return result if result == result else -INF
        return self.at_end(value, *parameters) if value in (low, high) else -INF


class OnLine(Family):
    """A family on the whole line whose last two parameters are a location and a scale."""

    discrete: ClassVar[bool] = False

    @abstractmethod
    def kernel(self, z: Raw, *shape: Raw) -> Raw:
        """The log density at location 0 and scale 1."""

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        location, scale = parameters[-2:]
        distance = value - location
        if type(distance) is not ndarray and type(scale) is not ndarray:
            if any(type(p) is ndarray for p in parameters) and not -LARGE < distance / scale < LARGE:
                return apart(self, self._formula, True, value, *parameters)
            result = self._formula(value, *parameters)
            return result if type(result) is ndarray or result == result else -INF
        if is_moderate(distance, scale):
            return self._formula(value, *parameters)
        return apart(self, self._formula, is_odd(distance, scale), value, *parameters)

    def _formula(self, value: Raw, *parameters: Raw) -> Raw:
        location, scale = parameters[-2:]
        return self.kernel((value - location) / scale, *parameters[:-2]) - log(scale)


def is_moderate(distance: Raw, scale: Raw) -> bool:
    """Whether no lane's distance / scale, or its square, can overflow or be NaN."""
    if not (absolute_sum(distance) if type(distance) is ndarray else abs(distance)) < LARGE:
        return False
    return bool((scale[scale.argmin()] if type(scale) is ndarray else scale) > 1 / LARGEST_SCALE)


def is_odd(distance: Raw, scale: Raw) -> Raw:
    """The lanes for which that is not so."""
    return ~((abs(distance) < LARGE) & (scale > 1 / LARGEST_SCALE))


class OnCounts(Family):
    """A family of the whole numbers from zero."""

    discrete: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"

    @abstractmethod
    def formula(self, value: Raw, *parameters: Raw) -> Raw:
        """The log mass of whole numbers, 0 or more."""

    def log_density(self, value: Raw, *parameters: Raw) -> Raw:
        if type(value) is ndarray:
            if value.dtype.kind != "f":
                if value[value.argmin()] >= 0:
                    return self.formula(value, *parameters)
                return apart(self, self.formula, value < 0, value, *parameters)
            whole = (value >= 0) & (value == np.floor(value)) & (value < INF)
            if whole.all():
                return self.formula(value, *parameters)
            return apart(self, self.formula, ~whole, value, *parameters)
        if not 0 <= value < INF or value != math.floor(value):
            return spread(-INF, self, value, parameters)
        try:
            return self.formula(value, *parameters)
        except OverflowError:  # a Python integer too large for a float
            return spread(-INF, self, value, parameters)
