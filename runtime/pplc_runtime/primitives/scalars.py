"""Operations on single numbers and on bare arrays: numpy's results (inf and nan, no exceptions) with Python's types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pplc_runtime.distributions.lanewise import LARGE, absolute_sum
from pplc_runtime.lanes.varying import (
    EXACT,
    beyond_floats,
)
from pplc_runtime.primitives.whole_numbers import (
    Outgrown,
    checked,
    extremes,
    magnitude,
    quotient_fits,
)
from pplc_runtime.values import ModelError

Binary = Callable[[Any, Any], Any]
Unary = Callable[[Any], Any]
REAL: Final = np.dtype(np.float64)


def divide(x: float, y: float) -> float:
    if y == 0:
        raise ModelError("division by zero")
    if type(y) is int and type(x) is int and x % y == 0:
        return x // y
    try:
        return x / y
    except OverflowError:
        with np.errstate(all="ignore"):
            return float(np.true_divide(float(x), float(y)))


def divide_lanes(a: Any, b: Any) -> Any:
    """Whole where all lanes divide evenly; where only some do, a whole float is the same number."""
    if not b if type(b) is not np.ndarray else np.count_nonzero(b) < b.size:
        raise ModelError("division by zero")
    if _is_whole(a) and _is_whole(b):
        if not np.any(np.remainder(a, b)):
            return checked(np.floor_divide, quotient_fits)(a, b)
        if magnitude(a) > EXACT or magnitude(b) > EXACT:  # floats do not hold them
            raise Outgrown
    return np.true_divide(a, b)


def raw_divide(a: Any, b: Any) -> Any:
    """Division of bare numbers and arrays."""
    if type(b) is np.ndarray and b.dtype is REAL and b.ndim == 1:
        result = np.true_divide(a, b)
        if absolute_sum(result) < LARGE:  # no lane was divided by zero
            return result
    return divide_lanes(a, b) if type(a) is np.ndarray or type(b) is np.ndarray else divide(a, b)


def _is_whole(a: Any) -> bool:
    return type(a) is int or (type(a) is np.ndarray and a.dtype.kind == "i")


def single(ufunc: Any) -> Unary:
    """A function of numpy for one number: the same to the last bit as in an array, which those of math are not."""

    def scalar(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return float(ufunc(float(x)))

    return scalar


_MOST_BITS = 1_000_000
"""No integer is made larger than this, for it would take forever: a power or product is infinite, as that of floats."""


def product_of(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int and x.bit_length() + y.bit_length() > _MOST_BITS and x and y:
        return math.inf if (x < 0) == (y < 0) else -math.inf
    return x * y


def can_be_multiplied(numbers: Any) -> bool:
    """Whether a number, or all in an array, are small enough to be multiplied with each other."""
    items = numbers.flat if type(numbers) is np.ndarray else (numbers,)
    return all(type(item) is float or item.bit_length() <= _MOST_BITS for item in items)


def power_of(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int and y >= 0:
        if abs(x) > 1 and x.bit_length() * y > _MOST_BITS:
            return -math.inf if x < 0 and y % 2 else math.inf
        return x**y
    with np.errstate(all="ignore"):
        return float(np.power(np.array([float(x)]), np.array([float(y)]))[0])  # in arrays it may differ


def power_lanes(a: Any, b: Any) -> Any:
    if _is_whole(a) and _is_whole(b):
        least_exponent, exponent = extremes(b)
        largest = magnitude(a)
        bits = largest.bit_length() * exponent if largest > 1 else 1
        if least_exponent >= 0:
            if bits >= 64:
                raise Outgrown
            return np.power(a, b)
        if bits > 53 or exponent > EXACT:  # a float in one lane, and more than a float holds in another
            raise Outgrown
    return np.power(np.asarray(a, float), b)


def quotient(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int:
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    quotient = x / y
    return float(math.trunc(quotient)) if math.isfinite(quotient) else quotient


def quotient_lanes(a: Any, b: Any) -> Any:
    if _is_whole(a) and _is_whole(b):  # in whole numbers all the way: floats have 53 bits only
        floor = checked(np.floor_divide, quotient_fits)(a, b)
        return floor + ((floor < 0) & (floor * b != a))
    return np.trunc(np.true_divide(a, b))


def remainder(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int:
        return x - y * quotient(x, y)
    return math.fmod(x, y) if math.isfinite(x) else math.nan


def rounding(function: Callable[[Any], int], ufunc: Any) -> tuple[Unary, Any]:
    """floor, ceil and round give integers; a float that has no digits after the point stays as it is."""

    def scalar(x: Any) -> Any:
        return function(x) if type(x) is float and abs(x) <= EXACT else x

    def lanes(a: Any) -> Any:
        if a.dtype.kind == "i":
            return a
        data = ufunc(a)
        return data.astype(np.int64) if np.all(np.abs(data) <= EXACT) else data

    return scalar, lanes


def nearest(x: float) -> int:
    below = math.floor(x)
    return below + (x - below >= 0.5)  # x + 0.5 would be rounded itself


def nearest_lanes(a: Any) -> Any:
    below = np.floor(a)
    return below + (a - below >= 0.5)


def one_of(ufunc: Any) -> Binary:
    """The lesser or the larger: a large integer stays what it is beside a float."""

    def lanes(a: Any, b: Any) -> Any:
        data = ufunc(a, b)
        if data.dtype.kind == "f" and (beyond_floats(a) or beyond_floats(b)):
            raise Outgrown
        return data

    return lanes
