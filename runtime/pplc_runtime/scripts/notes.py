"""Notes: what a trace consists of.

Arguments are values of the program, with values over lanes in them; `uses` has all of those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from pplc_runtime.addresses import At
from pplc_runtime.control import Memo
from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes import Lane, Mix
from pplc_runtime.values import List, Map, Procedure


class NoFixedCourse(Exception):
    """The program may do one thing or another."""


@dataclass(slots=True)
class Formula:
    """Arithmetic on bare arrays."""

    result: Lane
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    uses: tuple[Lane, ...] = ()


@dataclass(slots=True)
class Apply:
    """Any other primitive, on values."""

    result: Lane
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    uses: tuple[Lane, ...] = ()


@dataclass(slots=True)
class Check:
    """A parameter is in its domain."""

    domain: Domain
    value: Lane
    uses: tuple[Lane, ...] = ()


@dataclass(slots=True)
class Fit:
    """The parameters of a distribution fit together."""

    family: Family
    parts: tuple[Any, ...]
    uses: tuple[Lane, ...] = ()


@dataclass(slots=True)
class Draw:
    """A sample."""

    result: Lane
    at: At
    family: Family
    parts: tuple[Any, ...]
    uses: tuple[Lane, ...] = ()


@dataclass(slots=True)
class Score:
    """An observe."""

    family: Family
    parts: tuple[Any, ...]
    value: Any
    uses: tuple[Lane, ...] = ()


@dataclass(slots=True)
class Report:
    """A predict."""

    label: Any
    value: Any
    uses: tuple[Lane, ...] = ()


Computed: TypeAlias = Formula | Apply
Note: TypeAlias = Computed | Check | Fit | Draw | Score | Report


@dataclass(slots=True)
class Trace:
    """What each segment does, in order."""

    segments: list[list[Note]] = field(default_factory=list)
    born: dict[int, int] = field(default_factory=dict)
    """The segment in which each value over lanes comes up, by its identity."""


_ATOMS: Final = frozenset({int, float, bool, str, np.ndarray, type(None)})


def lanes_in(value: Any) -> Iterator[Lane]:
    """The values over lanes inside of a value."""
    kind = type(value)
    if kind is Lane:
        yield value
    elif kind in _ATOMS:
        return
    elif kind is Mix:
        raise NoFixedCourse("lanes have values of different kinds")
    elif kind is tuple or kind is List:
        for item in value:
            yield from lanes_in(item)
    elif kind is Map:
        for pair in value.items():
            yield from lanes_in(pair)
    elif kind is Procedure:
        yield from lanes_in(value.captured)
    elif kind is Memo:
        yield from lanes_in(value.procedure)
    elif hasattr(value, "parts"):
        yield from lanes_in(value.parts)


def has_lanes(value: Any) -> bool:
    """Whether there are values over lanes inside of a value."""
    kind = type(value)
    if kind is Lane:
        return True
    if kind in _ATOMS:
        return False
    if kind is tuple:
        return any(map(has_lanes, value))
    return any(True for _ in lanes_in(value))
