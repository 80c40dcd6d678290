"""Choices by weight in bulk: one a lane, by machine code, each by a uniform number by key.

They are those that numpy comes to by running sums from the same numbers, for sums are taken in the same order. None
stands for "not here": there is no machine code, or the weights are not in one piece of memory.
"""

from __future__ import annotations

from functools import cache, lru_cache
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.machine.bulk import FIELDS, NOWHERE, Lanes, Where, place_of, text_of

Places = NDArray[np.int64]

_MORE: Final = {
    "W": "floats", "count": "int", "width": "int", "A": "floats", "each": "int", "T": "ints", "N": "floats",
    "I": "ints", "some": "int", "S": "floats",
}  # fmt: skip
"""What is asked for beside what samplers are: weights, of which there are so many, in rows of some width; and of
restaurants the parameter, tables and customers, and which lanes of those there are."""

_TEXT: Final = f"""
class Asked:
{"".join(f"    {field}: {kind}{chr(10)}" for field, kind in {**FIELDS, "out": "ints", **_MORE}.items())}
def point(asked: Asked, l: int) -> float:
    k = l * asked.ks
    c0 = asked.c0 + asked.C0[l * asked.cs]
    return uniform(asked.K0[k], asked.K1[k], c0 & MASK, (asked.C1[l] + asked.c1) & MASK)

def by_weight(asked: Asked) -> int:
    total = 0.0
    for k in range(asked.count):
        total += asked.W[k]
        asked.S[k] = total
    for l in range(asked.n):
        x = point(asked, l) * total
        low = 0
        high = asked.count
        while low < high:
            middle = (low + high) >> 1
            if asked.S[middle] <= x:
                low = middle + 1
            else:
                high = middle
        asked.out[l] = low
    return asked.n

def by_rows(asked: Asked) -> int:
    for l in range(asked.n):
        total = 0.0
        for k in range(asked.count):
            total += asked.W[k * asked.width + l]
        x = point(asked, l) * total
        running = 0.0
        chosen = 0
        for k in range(asked.count - 1):
            running += asked.W[k * asked.width + l]
            if running <= x:
                chosen += 1
        asked.out[l] = chosen
    return asked.n

def at_tables(asked: Asked) -> int:
    for l in range(asked.n):
        lane = l
        if asked.some > 0:
            lane = asked.I[l]
        x = point(asked, l) * (asked.N[lane] + asked.A[l * asked.each])
        running = 0.0
        chosen = 0
        for k in range(asked.T[lane]):
            running += asked.W[k * asked.width + lane]
            if running <= x:
                chosen += 1
        asked.out[l] = chosen
    return asked.n
"""


@cache
def _code() -> Any:
    """The functions as machine code; None where there is nothing that makes it."""
    from pplc_runtime.machine.machine import Machine, is_available

    names = frozenset({"by_weight", "by_rows", "at_tables"})
    return Machine(text_of("generator") + _TEXT, names).functions if is_available() else None


_asked: Final = Struct(f"{len(FIELDS) + len(_MORE)}Q").pack
_fill: Final = Struct(f"{len(_MORE) - 1}Q").pack_into
_MORE_AT: Final = 8 * len(FIELDS)


class _Ready:
    """What is asked for again and again, but for where it is drawn and by which weights, and where the choices are."""

    __slots__ = ("out", "place", "record", "sums")

    def __init__(self, lanes: Lanes, n: int, count: int) -> None:
        self.out = np.empty(n, np.int64)
        self.sums = np.empty(count)
        more = [0] * (len(_MORE) - 1) + [place_of(self.sums)]
        self.record = bytearray(_asked(*lanes.places, n, 0, 0, NOWHERE, 0, place_of(self.out), *more))
        self.place = place_of(self.record)


def _chosen(name: str, n: int, where: Where, weights: Any, width: int, *more: int) -> Places | None:
    functions = _code()
    count = len(weights)
    if functions is None or weights.dtype != np.float64:
        return None
    ready = where.lanes.ready.get((name, n, count))
    if ready is None:
        ready = where.lanes.ready[name, n, count] = _Ready(where.lanes, n, count)
    where.fill(ready.record)
    try:
        _fill(ready.record, _MORE_AT, place_of(weights), count, width, *more)
    except TypeError:  # it is not in one piece, or nobody may write to it
        return None
    functions[name](ready.place)
    return ready.out.copy()


_NO_TABLES: Final = (NOWHERE, 0, NOWHERE, NOWHERE, NOWHERE, 0)


def by_weight(n: int, where: Where, weights: Any) -> Places | None:
    """n places by weight, independent of each other."""
    return _chosen("by_weight", n, where, weights, 0, *_NO_TABLES)


def by_rows(n: int, where: Where, weights: Any) -> Places | None:
    """A row for each lane, by weights that differ by lane."""
    return _chosen("by_rows", n, where, weights, n, *_NO_TABLES)


def at_tables(n: int, where: Where, state: Any, index: Any, alpha: Any) -> Places | None:
    """A table of a Chinese restaurant for each lane, or the next new one: by counts, tables and customers."""
    counts, tables, customers = state
    try:
        of_lanes = (place_of(index), 1) if index is not None else (NOWHERE, 0)
        parameter = (place_of(alpha), 1) if type(alpha) is np.ndarray else (_shared(float(alpha))[1], 0)
        return _chosen(
            "at_tables", n, where, counts, len(tables), *parameter, place_of(tables), place_of(customers), *of_lanes
        )
    except TypeError:
        return None


@lru_cache(256)
def _shared(number: float) -> tuple[Any, int]:
    """A number that all lanes share, as an array, and where it is."""
    array = np.array([number])
    return array, place_of(array)
