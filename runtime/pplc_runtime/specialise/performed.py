"""Segments that are written anew, as data: what performs them, as part of a program.

Its functions call the engine as generated code does, so that a plan of them is run, traced and made scripts like any
other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from pplc_runtime.lanes.addresses import At
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.program.control import call, choose, read, sample
from pplc_runtime.values import rebuild


@dataclass(frozen=True, slots=True)
class Slot:
    """A value of the segments, by its number."""

    number: int


class Call(NamedTuple):
    """A primitive of values."""

    result: Slot
    primitive: Primitive
    arguments: tuple[Any, ...]


class Choose(NamedTuple):
    """One of two numbers, by lane."""

    result: Slot
    arguments: tuple[Any, Any, Any]


class Sample(NamedTuple):
    """A draw from a distribution."""

    result: Slot
    at: At
    source: Slot


class Rebuild(NamedTuple):
    """A structure with other values inside."""

    result: Slot
    like: Any
    children: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """What one segment does: the cells that it reads, with where each value stands in them, and what it writes."""

    reads: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    instructions: tuple[Any, ...]
    writes: tuple[int, ...]


def given(value: Any, values: dict[int, Any]) -> Any:
    return values[value.number] if type(value) is Slot else value


def perform(at: At, work: Work) -> Any:
    """The values that a segment writes."""
    values = {}
    for name, places in work.reads:
        cell = read(name)
        for number, place in places:
            values[number] = cell[place]
    for each in work.instructions:
        kind = type(each)
        if kind is Call:
            found = call(at, each.primitive, *[given(value, values) for value in each.arguments])
        elif kind is Choose:
            found = choose(*[given(value, values) for value in each.arguments])
        elif kind is Sample:
            found = sample(each.at, values[each.source.number])
        else:
            found = rebuild(each.like, tuple([given(value, values) for value in each.children]))
        values[each.result.number] = found
    return tuple([values[number] for number in work.writes])


def observed(at: At, name: str, source: int, value: Any) -> Any:
    """What an observe gives: a distribution, and what was seen."""
    cell = read(name)
    return cell[source], cell[value.number] if type(value) is Slot else value


def predicted(at: At, label: Any, name: str, value: Any) -> Any:
    """What a predict gives: its label, and the value."""
    return label, read(name)[value.number] if type(value) is Slot else value
