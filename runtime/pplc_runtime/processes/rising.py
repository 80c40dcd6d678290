"""Rising factorials: what the draws of an urn multiply up to.

An urn that holds weight x for a value gives that value m times in a row with a probability whose numerator is
x (x+1) ... (x+m-1) = Gamma(x+m) / Gamma(x). The difference of two log Gammas loses all digits when x is
large; so the first factors are multiplied out and the rest comes from Stirling's series, differenced by hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.base import Lanes

_DIRECT = 32
"""Factors that are multiplied out. Beyond them the argument is at least 32, where the first term of
Stirling's series that is left out, 1 / (1680 x^7), is below 2e-14."""

_CHEAP = 2048
"""So many logs take no longer than Stirling's series does for one lane."""


def log_rising(x: Lanes, m: int) -> Lanes:
    """log of x (x+1) ... (x+m-1) for x > 0; the time does not grow with m."""
    direct = m if m * x.size <= _CHEAP else min(m, _DIRECT)
    total: Lanes = np.log(np.add.outer(np.arange(direct), x)).sum(0)
    if m > direct:
        total += _stirling_difference(x + direct, m - direct)
    return total


def _stirling_difference(x: Lanes, m: int) -> Lanes:
    """log Gamma(x+m) - log Gamma(x) for x >= 32."""
    end = x + m
    leading = (x - 0.5) * np.log1p(m / x) + m * np.log(end) - m
    difference: Lanes = leading + (_stirling_tail(end) - _stirling_tail(x))
    return difference


def _stirling_tail(x: Lanes) -> Lanes:
    inverse = 1 / x
    square = inverse * inverse
    tail: Lanes = inverse * (1 / 12 - square * (1 / 360 - square / 1260))
    return tail


class LogGammaTable:
    """log Gamma(n) for ints n >= 1 by lookup, and 0 for n = 0, so that an empty table is a factor 1."""

    def __init__(self) -> None:
        self._table = np.zeros(2)

    def up_to(self, n: int) -> NDArray[np.float64]:
        """A table that can be indexed with 0 to n."""
        table = self._table  # another thread may put a shorter one there
        if n >= len(table):
            size = max(n + 1, 2 * len(table))
            table = self._table = np.concatenate([np.zeros(2), np.log(np.arange(1.0, size - 1)).cumsum()])
        return table


LOG_GAMMA = LogGammaTable()
