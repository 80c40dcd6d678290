"""Notes: what a trace consists of.

Arguments are values of the program, with values over lanes in them; `uses` has all of those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Lane, Mix
from pplc_runtime.specialise.operations import Certain
from pplc_runtime.values import List, Map, inside

Scored: TypeAlias = Family | type[Certain]
"""What gives the density of an observe."""


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

    family: Scored
    parts: tuple[Any, ...]
    value: Any
    uses: tuple[Lane, ...] = ()


@dataclass(slots=True)
class Report:
    """A predict, and its turn in the program."""

    turn: int
    label: Any
    value: Any
    uses: tuple[Lane, ...] = ()


Computed: TypeAlias = Formula | Apply
Note: TypeAlias = Computed | Check | Fit | Draw | Score | Report


_ATOMS: Final = frozenset({int, float, bool, str, np.ndarray, type(None)})
_LARGE: Final = 16


class Trace:
    """What each segment does, in order."""

    def __init__(self) -> None:
        self.segments: list[list[Note]] = []
        self.reports: list[Note] | None = None
        """What is reported at the end, if that is always the same too; and below what it may read if it is not."""
        self.store: dict[Any, Any] = {}
        self.born: dict[int, int] = {}
        """The segment in which each value over lanes comes up, by its identity."""
        self.lane_free: dict[int, Any] = {}
        """Large structures that are known to have no values over lanes inside, by their identity."""

    def has_lanes(self, value: Any) -> bool:
        """Whether there are values over lanes inside of a value."""
        return type(value) not in _ATOMS and bool(self.lanes_in(value))

    def lanes_in(self, value: Any) -> list[Lane]:
        """The values over lanes inside of a value."""
        found: list[Lane] = []
        seen: dict[int, Any] = {}
        stack = [value]
        while stack:
            item = stack.pop()
            kind = type(item)
            if kind is Lane:
                found.append(item)
            elif kind in _ATOMS:
                continue
            elif kind is Mix:
                raise NoFixedCourse("lanes have values of different kinds")
            elif id(item) not in seen and id(item) not in self.lane_free:
                seen[id(item)] = item
                stack.extend(inside(item))
        if not found:
            self.lane_free.update((key, item) for key, item in seen.items() if _is_large(item))
        return found


def _is_large(value: Any) -> bool:
    return type(value) in (tuple, List, Map) and len(value) > _LARGE
