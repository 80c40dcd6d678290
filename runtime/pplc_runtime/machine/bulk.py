"""Random numbers by key in bulk: one for each lane, by machine code, or without it by numpy and Python.

Number i of n is that of lane i mod m, whose key, address and counter are given, all counters less what they share; a
draw of several numbers a lane has them at addresses that follow each other. (`machine/draws` has the samplers.) The
words of addresses that differ by lane are made here, too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from pplc_runtime.machine import draws
from pplc_runtime.machine.generator import mixed
from pplc_runtime.machine.language import MASK

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

SAMPLERS: Final = {
    "uniform": 0, "normal": 0, "exponential": 0, "gamma": 1, "draw_beta": 2, "draw_poisson": 1, "draw_binomial": 2,
    "draw_geometric": 1, "draw_uniform_discrete": 2, "student_t": 1, "cauchy": 0, "laplace": 0, "logistic": 0,
    "weibull": 1, "angle": 1, "hypergeometric": 3,
}  # fmt: skip
"""What there is in bulk, and how many parameters it has."""

FIELDS: Final = {
    "m": "int", "K0": "ints", "K1": "ints", "ks": "int", "C1": "ints", "n": "int", "c1": "int", "c0": "int",
    "C0": "ints", "cs": "int", "out": "floats",
}  # fmt: skip
"""What the machine code of all of them is asked for; after that come the parameters."""


class Lanes:
    """The keys and counters of lanes, less what the counters share, and where they stand in memory; one key may be
    that of all."""

    __slots__ = ("c1", "k0", "k1", "places", "ready")

    def __init__(self, k0: Words, k1: Words, c1: Words) -> None:
        self.k0 = k0
        self.k1 = k1
        self.c1 = c1
        self.places = (len(c1), place_of(k0), place_of(k1), int(len(k0) > 1), place_of(c1))
        self.ready: dict[Any, Any] = {}
        """What has been drawn for them, to be asked for again."""

    def some(self, lanes: Any) -> Lanes:
        """Those of some of the lanes."""
        if len(self.k0) == 1:
            return Lanes(self.k0, self.k1, self.c1.take(lanes))
        return Lanes(self.k0.take(lanes), self.k1.take(lanes), self.c1.take(lanes))


def place_of(array: Any) -> int:
    """Where an array stands in memory, which must be in one piece that may be written to."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


class Where:
    """Where numbers are drawn: for which lanes, what their counters share, and the address; or, where that differs by
    lane, what to add to it."""

    __slots__ = ("c0", "lanes", "own", "shared")

    def __init__(self, lanes: Lanes, shared: int, c0: int, own: Words | None) -> None:
        self.lanes = lanes
        self.shared = shared
        self.c0 = c0
        self.own = own

    def fill(self, record: bytearray) -> None:
        """Write it into what machine code is asked for."""
        own = self.own
        if own is None:
            _fill(record, _AT, self.shared, self.c0 & MASK, NOWHERE, 0)
        else:
            _fill(record, _AT, self.shared, self.c0 & MASK, place_of(own), 1)


class Ready:
    """What a sampler is asked for again and again, but for where it draws, and where it writes."""

    __slots__ = ("out", "place", "record")

    def __init__(self, asked: Callable[..., bytes], lanes: Lanes, n: int) -> None:
        self.out = np.empty(n)
        self.record = bytearray(asked(*lanes.places, n, 0, 0, NOWHERE, 0, place_of(self.out)))
        self.place = place_of(self.record)


class Bulk:
    """A sampler for lanes."""

    def __init__(self, name: str) -> None:
        self.count = SAMPLERS[name]
        self.own: Callable[..., float] = getattr(draws, name)
        self.name = name
        self.asked: Callable[..., bytes] = Struct(f"{len(FIELDS) + 2 * self.count}Q").pack
        """What machine code is asked for, as its record."""

    def __call__(self, n: int, where: Where, *parameters: Any) -> Floats:
        """n numbers."""
        lanes, own, code = where.lanes, where.own, _code(self.name)
        if code is not None and not parameters:
            ready = lanes.ready.get((self.name, n))
            if ready is None:
                ready = lanes.ready[self.name, n] = Ready(self.asked, lanes, n)
            where.fill(ready.record)
            code(ready.place)
            return ready.out.copy()
        out = np.empty(n)
        given = [_as_floats(parameter, n) for parameter in parameters]
        if code is None:
            m = len(lanes.c1)
            c0s = np.full(n, where.c0 & MASK, np.uint64) + np.repeat(np.arange(-(-n // m), dtype=np.uint64), m)[:n]
            if own is not None:
                c0s += np.resize(own, n)
            c1s = np.resize(lanes.c1, n) + np.uint64(where.shared)
            _by_numpy(self, np.resize(lanes.k0, n), np.resize(lanes.k1, n), c0s, c1s, given, out)
            return out
        apart = (NOWHERE, 0) if own is None else (place_of(own), 1)
        more = [each for array in given for each in (place_of(array), int(len(array) > 1))]
        code(self.asked(*lanes.places, n, where.shared, where.c0 & MASK, *apart, place_of(out), *more))
        return out


_NOTHING: Final = np.zeros(1, np.uint64)
NOWHERE: Final = place_of(_NOTHING)
"""What is added to the address of each lane, where that is nothing."""
_fill: Final = Struct("4Q").pack_into
_AT: Final = 8 * list(FIELDS).index("c1")
"""Where in a record the counters and addresses stand."""


def _as_floats(parameter: Any, n: int) -> Floats:
    """A parameter as one number or as n, in memory of its own."""
    if type(parameter) is not np.ndarray:
        return np.array([parameter], np.float64)
    values = np.array(parameter, np.float64, order="C")
    flat = values.ravel()
    return flat if len(flat) == n or len(flat) == 1 else np.resize(flat, n)


# By machine code


def _text(name: str) -> str:
    """A loop around a sampler. What it is asked for comes as one record, since every argument of a call takes time."""
    fields = dict(FIELDS)
    for k in range(SAMPLERS[name]):
        fields |= {f"P{k}": "floats", f"s{k}": "int"}
    declared = "".join(f"    {field}: {kind}\n" for field, kind in fields.items())
    taken = "".join(f", P{k}[i * s{k}]" for k in range(SAMPLERS[name]))
    return f"""
class Asked:
{declared}
def loop({", ".join(f"{field}: {kind}" for field, kind in fields.items())}) -> int:
    i = 0
    part = 0
    while i < n:
        for l in range(m):
            if i < n:
                out[i] = {name}(K0[l * ks], K1[l * ks], (c0 + C0[l * cs] + part) & MASK, (C1[l] + c1) & MASK{taken})
                i += 1
        part += 1
    return i

def bulk(asked: Asked) -> int:
    return loop({", ".join(f"asked.{field}" for field in fields)})
"""


@cache
def _code(name: str) -> Callable[..., Any] | None:
    """The loop around a sampler, or around the words of addresses, as machine code; None where there is nothing that
    makes it."""
    from pplc_runtime.machine.machine import Machine, is_available

    if not is_available():
        return None
    text = _WORDS_BELOW if name == "words_below" else _text(name)
    return Machine(text_of("generator") + text_of("draws") + text, frozenset({"bulk"}))["bulk"]


def text_of(part: str) -> str:
    """A part of the library of the middle language, as text."""
    return files("pplc_runtime.machine").joinpath(f"{part}.py").read_text(encoding="utf-8")


# Addresses


_WORDS_BELOW: Final = """
class Below:
    n: int
    labels: ints
    word: int
    count: int
    sites: ints
    out: ints

def bulk(below: Below) -> int:
    for l in range(below.n):
        word = mixed(below.word, below.labels[l])
        for k in range(below.count):
            word = mixed(word, below.sites[k])
        below.out[l] = word
    return below.n
"""
_below: Final = Struct("6Q").pack


def words_below(word: int, labels: NDArray[np.int64], sites: tuple[int, ...]) -> Words:
    """The words of addresses below another, by a label a lane and the sites below that."""
    out = np.empty(len(labels), np.uint64)
    code = _code("words_below")
    if code is None:
        words = [mixed(word, label) for label in labels.tolist()]
        for site in sites:
            words = [mixed(each, site) for each in words]
        out[:] = words
        return out
    given, place = _in_memory(sites)
    code(_below(len(labels), place_of(labels), word, len(given), place, place_of(out)))
    return out


@lru_cache(256)
def _in_memory(sites: tuple[int, ...]) -> tuple[NDArray[np.int64], int]:
    """Sites as an array, and where it is."""
    array = np.array(sites, np.int64)
    return array, place_of(array) if sites else 0


# By numpy and Python


_ROTATIONS: Final = ((16, 42, 12, 31), (16, 32, 24, 21), (16, 42, 12, 31), (16,))


def uniforms(k0: Words, k1: Words, c0: Words, c1: Words) -> Floats:
    """Numbers between 0 and 1, as `draws.uniform` has them."""
    k2 = k0 ^ k1 ^ np.uint64(0x1BD11BDAA9FC1A22)
    keys = (k0, k1, k2)
    x, y = c0 + k0, c1 + k1
    for number, rotations in enumerate(_ROTATIONS):
        for rotation in rotations:
            x = x + y
            y = ((y << np.uint64(rotation)) | (y >> np.uint64(64 - rotation))) ^ x
        if number < 3:
            x = x + keys[(number + 1) % 3]
            y = y + keys[(number + 2) % 3] + np.uint64(number + 1)
    return ((x >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _by_numpy(bulk: Bulk, k0: Words, k1: Words, c0: Words, c1: Words, given: list[Floats], out: Floats) -> None:
    match bulk.name:
        case "uniform":
            out[:] = uniforms(k0, k1, c0, c1)
        case "normal":
            out[:] = special.ndtri(uniforms(k0, k1, c0, c1))
        case "exponential":
            out[:] = -np.log(uniforms(k0, k1, c0, c1))
        case _:
            words = zip(k0.tolist(), k1.tolist(), c0.tolist(), c1.tolist())
            rows = zip(*(np.broadcast_to(each, out.shape).tolist() for each in given)) if given else [()] * len(out)
            for place, (own, parameters) in enumerate(zip(words, rows)):
                out[place] = bulk.own(*own, *parameters)


BULK: Final = {name: Bulk(name) for name in SAMPLERS}
