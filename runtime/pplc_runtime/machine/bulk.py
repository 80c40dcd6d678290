"""Random numbers by key in bulk: one for each lane, by machine code, or without it by numpy and Python.

Number i of n is that of lane i mod m, whose key, address and counter are given, all counters less what they share; a
draw of several numbers a lane has them at addresses that follow each other. (`machine/draws` has the samplers.)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from struct import Struct
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from pplc_runtime.machine import draws
from pplc_runtime.machine.language import MASK

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

SAMPLERS: Final = {
    "uniform": 0, "normal": 0, "exponential": 0, "gamma": 1, "draw_beta": 2, "draw_poisson": 1, "draw_binomial": 2,
    "draw_geometric": 1, "draw_uniform_discrete": 2, "student_t": 1, "cauchy": 0, "laplace": 0, "logistic": 0,
    "weibull": 1, "angle": 1, "hypergeometric": 3,
}  # fmt: skip
"""What there is in bulk, and how many parameters it has."""

_FIELDS: Final = {
    "m": "int", "K0": "ints", "K1": "ints", "ks": "int", "C1": "ints", "n": "int", "c1": "int", "c0": "int",
    "C0": "ints", "cs": "int", "out": "floats",
}  # fmt: skip
"""What the machine code of all of them is asked for; after that come the parameters."""


class Lanes:
    """The keys and counters of lanes, less what the counters share, and where they stand in memory; one key may be
    that of all."""

    __slots__ = ("c1", "k0", "k1", "places")

    def __init__(self, k0: Words, k1: Words, c1: Words) -> None:
        self.k0 = k0
        self.k1 = k1
        self.c1 = c1
        self.places = (len(c1), _place(k0), _place(k1), int(len(k0) > 1), _place(c1))


def _place(array: Any) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


class Bulk:
    """A sampler for lanes."""

    def __init__(self, name: str) -> None:
        self.count = SAMPLERS[name]
        self.own: Callable[..., float] = getattr(draws, name)
        self.name = name
        self.asked: Callable[..., bytes] = Struct(f"{len(_FIELDS) + 2 * self.count}Q").pack
        """What machine code is asked for, as its record."""

    def __call__(self, n: int, lanes: Lanes, shared: int, c0: int, own: Words | None, *parameters: Any) -> Floats:
        """n numbers; `shared` is what all counters have in common, and `own` what to add to the address `c0` in each
        lane, where it is not the same in all."""
        out = np.empty(n)
        code = _code(self.name)
        if code is not None and not parameters and own is None:
            code(self.asked(*lanes.places, n, shared, c0 & MASK, _NOWHERE, 0, _place(out)))
            return out
        given = [_as_floats(parameter, n) for parameter in parameters]
        if code is None:
            m = len(lanes.c1)
            c0s = np.full(n, c0 & MASK, np.uint64) + np.repeat(np.arange(-(-n // m), dtype=np.uint64), m)[:n]
            if own is not None:
                c0s += np.resize(own, n)
            c1s = np.resize(lanes.c1, n) + np.uint64(shared)
            _by_numpy(self, np.resize(lanes.k0, n), np.resize(lanes.k1, n), c0s, c1s, given, out)
            return out
        apart = (_NOWHERE, 0) if own is None else (_place(own), 1)
        more = [each for array in given for each in (_place(array), int(len(array) > 1))]
        code(self.asked(*lanes.places, n, shared, c0 & MASK, *apart, _place(out), *more))
        return out


_NOTHING: Final = np.zeros(1, np.uint64)
_NOWHERE: Final = _place(_NOTHING)
"""What is added to the address of each lane, where that is nothing."""


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
    fields = dict(_FIELDS)
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
    """The loop as machine code; None where there is nothing that makes it."""
    from pplc_runtime.machine.machine import Machine, is_available

    if not is_available():
        return None
    folder = files("pplc_runtime.machine")
    samplers = [folder.joinpath(f"{part}.py").read_text(encoding="utf-8") for part in ("generator", "draws")]
    return Machine("".join([*samplers, _text(name)]), frozenset({"bulk"}))["bulk"]


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
