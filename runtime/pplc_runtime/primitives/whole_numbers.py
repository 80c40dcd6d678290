"""Whole numbers that outgrow machine words: found before an array of them wraps around.

A lone particle has Python's integers, which have no limit. Over lanes they are machine words, and a result that may
not fit raises `Outgrown`; whoever computes it then does so number by number. Asking costs an argmin or two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np


class Outgrown(OverflowError):
    """Whole numbers whose result no machine word may hold: they are computed one by one, in Python's integers."""


LARGEST: Final = 2**63 - 1
"""Of machine words; the least is not minus this but one less, and is taken for too large, having no opposite."""


def extremes(a: Any) -> tuple[int, int]:
    """The least and the largest of some whole numbers. An argmin takes half the time of a min."""
    if type(a) is not np.ndarray:
        return a, a
    return (a.item(a.argmin()), a.item(a.argmax())) if a.size else (0, 0)


def magnitude(a: Any) -> int:
    """The largest absolute value of some whole numbers."""
    low, high = extremes(a)
    return max(-low, high)


def checked(ufunc: Any, fits: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    """A function of two arrays that raises where a result of whole numbers may not fit; floats are not looked at."""

    def function(a: Any, b: Any) -> Any:
        data = ufunc(a, b)
        if data.dtype.kind == "i" and data.size and not fits(a, b):
            raise Outgrown
        return data

    return function


def checked_unary(ufunc: Any, fits: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """The same for a function of one."""

    def function(a: Any) -> Any:
        data = ufunc(a)
        if data.dtype.kind == "i" and data.size and not fits(a):
            raise Outgrown
        return data

    return function


def sum_fits(a: Any, b: Any) -> bool:
    if type(a) is int:
        a, b = b, a
    if type(b) is int:  # then one end will do
        return bool(a.item(a.argmax()) + b <= LARGEST if b >= 0 else a.item(a.argmin()) + b >= -LARGEST)
    (low, high), (other_low, other_high) = extremes(a), extremes(b)
    return low + other_low >= -LARGEST and high + other_high <= LARGEST


def difference_fits(a: Any, b: Any) -> bool:
    if type(b) is int:
        return sum_fits(a, -b)
    (low, high), (other_low, other_high) = extremes(a), extremes(b)
    return low - other_high >= -LARGEST and high - other_low <= LARGEST


def product_fits(a: Any, b: Any) -> bool:
    return magnitude(a) * magnitude(b) <= LARGEST


def has_opposite(a: Any) -> bool:
    return extremes(a)[0] >= -LARGEST


def quotient_fits(a: Any, b: Any) -> bool:
    return has_opposite(a)  # the one quotient that does not fit is that of the least number and -1
