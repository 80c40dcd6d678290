"""Forms: segments whose scalar code is the same share a function, and have rows of constants in tables.

A constant that all segments of a form share stands in the code, unless it is what is observed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.native.scalar import Constant, Row, Scalar

_MARK: Final = re.compile(r"@(\d+)@")


@dataclass(slots=True)
class Tables:
    """The constants of all segments: whole numbers, reals, and arrays of reals one after the other."""

    whole: list[int] = field(default_factory=list)
    real: list[float] = field(default_factory=list)
    arrays: list[NDArray[np.float64]] = field(default_factory=list)
    known: dict[bytes, int] = field(default_factory=dict)
    length: int = 0

    def array(self, value: NDArray[np.float64]) -> int:
        """Where an array begins."""
        key = value.tobytes()
        if key not in self.known:
            self.known[key] = self.length
            self.arrays.append(value)
            self.length += len(value)
        return self.known[key]

    def done(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """KI, KF and KA."""
        arrays = np.concatenate([*self.arrays, np.zeros(1)])
        return np.array([*self.whole, 0], np.int64), np.array([*self.real, 0.0]), arrays


@dataclass(frozen=True, slots=True)
class Place:
    """Where a segment is: its form, and its rows in the tables."""

    form: int
    whole: int
    real: int


@dataclass(frozen=True, slots=True)
class Forms:
    """The functions of all forms, and the places of the segments."""

    text: list[str]
    places: list[Place]
    messages: list[list[str]]
    """By segment: what may be wrong."""
    scratch: int
    normals: int
    """How many normal numbers a particle takes that are drawn before its turn; and above how much of `S`."""


def forms(codes: Sequence[Scalar | Row], head: str, first: str, last: str, tables: Tables, loop: str = "") -> Forms:
    """One function a form. `head` begins it, with its number in place of #; the code stands between two texts, and may
    be the body of a loop."""
    known: dict[int, tuple[str, ...]] = {}
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, each in enumerate(codes):
        code = code_of(each)
        key = known.get(id(code))
        if key is None:
            key = known[id(code)] = (*code.before, "", *code.lines, *(constant.kind for constant in code.constants))
        groups.setdefault(key, []).append(number)
    text: list[str] = []
    places: list[Any] = [None] * len(codes)
    for form, members in enumerate(groups.values()):
        literals, unpack, begins = grouped([codes[member] for member in members], tables)
        code = code_of(codes[members[0]])
        before, body = ([filled(line, literals) for line in lines] for lines in (code.before, code.lines))
        text += [head.replace("#", str(form)), *indented("\n".join([first, *unpack, *before, loop]), 1)]
        text += [*indented("\n".join(body), 2 if loop else 1), *indented(last, 1), ""]
        for member, begin in zip(members, begins):
            places[member] = Place(form, *begin)
    messages = [code_of(each).messages for each in codes]
    scratch = max((code_of(each).scratch for each in codes), default=0)
    return Forms(text, places, messages, scratch, max((code_of(each).normals for each in codes), default=0))


def code_of(each: Scalar | Row) -> Scalar:
    return each.code if isinstance(each, Row) else each


def grouped(codes: Sequence[Scalar | Row], tables: Tables) -> tuple[list[str], list[str], list[tuple[int, int]]]:
    """What stands for the constants of codes of one form, the lines that read those in tables, from `i0` and `f0` on,
    and where the rows of each code begin there."""
    rows = [_values(code, tables) for code in codes]
    literals, columns = _columns(code_of(codes[0]).constants, rows)
    unpack = [f"{literals[k]} = {_TABLE[kind]}[{start} + {column}]" for k, (kind, start, column) in columns.items()]
    begins: list[tuple[int, int]] = []
    for row in rows:
        begins.append((len(tables.whole), len(tables.real)))
        for k, (kind, _, _) in columns.items():
            (tables.real if kind == "real" else tables.whole).append(row[k])
    return literals, unpack, begins


_TABLE: Final = {"real": "KF", "whole": "KI", "array": "KI", "segment": "KI"}


def _values(code: Scalar | Row, tables: Tables) -> list[Any]:
    if isinstance(code, Row):
        return code.values
    constants = code.constants
    return [tables.array(each.value) if each.kind == "array" else each.value for each in constants]


def _columns(constants: list[Constant], rows: list[list[Any]]) -> tuple[list[str], dict[int, tuple[str, str, int]]]:
    """What stands for each constant in code; and those in tables: their kind, the start of the row, the column."""
    literals: list[str] = []
    columns: dict[int, tuple[str, str, int]] = {}
    wholes = reals = 0
    for k, constant in enumerate(constants):
        values = {row[k] for row in rows}
        if len(values) == 1 and not constant.data:
            (value,) = values
            literals.append(f"({value!r})" if constant.kind == "real" else str(value))
        elif constant.kind == "real":
            literals.append(f"r{k}")
            columns[k] = ("real", "f0", reals)
            reals += 1
        else:
            literals.append(f"w{k}")
            columns[k] = (constant.kind, "i0", wholes)
            wholes += 1
    return literals, columns


def filled(line: str, literals: list[str]) -> str:
    """A line of code with constants in place of marks."""
    return _MARK.sub(lambda mark: literals[int(mark[1])], line)


def indented(text: str, levels: int) -> list[str]:
    """The lines of a text that have something in them, deeper by some levels."""
    return ["    " * levels + line for line in text.splitlines() if line]


def dispatch(name: str, parameters: str, arguments: str, count: int, otherwise: str) -> list[str]:
    """A function that calls that of a form by its number."""
    lines = [f"def {name}(form: int, {parameters}:"]
    for form in range(count):
        lines.append(f"    if form == {form}: return {name}_{form}({arguments})")
    return [*lines, f"    return {otherwise}", ""]
