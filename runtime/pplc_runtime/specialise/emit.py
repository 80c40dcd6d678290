"""The code of scripts: straight Python over arrays.

A segment becomes two functions. One runs it forward: its draws, its weights, what it reports. The other replays it:
what it has drawn is given, and its density comes out, as far as that depends on what came before. Both keep values
in `cells`, one for each draw and for each value that a later segment uses.

In the code, v1 is an array (or a plain number) and V1 the same as a value of the language. Everything that
differs from segment to segment is a constant, so that segments of the same form share their code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.program.stochastic import MVN, roots_at
from pplc_runtime.specialise.notes import (
    Apply,
    Check,
    Draw,
    Fit,
    Formula,
    NoFixedCourse,
    Note,
    Report,
    Score,
    Scored,
    Trace,
)
from pplc_runtime.values import Compound, List, Map

Code = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its constants."""


class Failed(Exception):
    """Something out of the ordinary: the program itself has to be run."""


# What scripts call


def allow(domain: Domain, value: Any) -> None:
    """A parameter must be in its domain, in every lane."""
    if type(value) is np.ndarray and value.ndim > domain.rank and domain.surely is not None and domain.surely(value):
        return
    holds = domain.holds(value)
    if not (holds is True or (holds is not False and holds.all())):
        raise Failed


def allow_lanes(domain: Domain, value: Lane, data: Any) -> None:
    """The same of a value that is kept, which need not be looked at again."""
    allow(domain, data)
    value.checked = domain


def fitting(family: Family, *parts: Any) -> None:
    """The parameters of a distribution must fit together."""
    if family.problem(*parts) is not None:
        raise Failed


def alike(value: Any, dtype: Any, shape: tuple[int, ...]) -> None:
    """What a primitive gives in a replay must be of the kind that it was in the trace; all lanes may share it."""
    if type(value) is Lane:
        if value.data.dtype is not dtype or value.data.shape[:-1] != shape:
            raise Failed
    elif not (value.shape == shape if type(value) is np.ndarray else shape == () and type(value) in (float, int, bool)):
        raise Failed


def possible(score: Any) -> Any:
    """A score of which no lane dies: those that go on draw."""
    lowest = score.min() if type(score) is np.ndarray else score
    if not lowest > -np.inf:
        raise Failed
    return score


_NAMES: Final = {
    "Lane": Lane, "List": List, "Map": Map, "ndarray": np.ndarray, "Failed": Failed,
    "alike": alike, "allow": allow, "allow_lanes": allow_lanes, "fitting": fitting, "possible": possible,
    "roots_at": roots_at,
}  # fmt: skip


@lru_cache(512)
def _compiled(text: str) -> Callable[..., Any]:
    space: dict[str, Any] = dict(_NAMES)
    exec(text, space)  # straight code made of names above and numbered constants only
    return cast(Callable[..., Any], space["script"])


class Writer(ABC):
    """The code of one segment, line by line."""

    def __init__(self, trace: Trace, cell_of: dict[int, int]) -> None:
        self.trace = trace
        self.cell_of = cell_of
        self.numbers: dict[int, int] = {}
        self.lines: list[str] = []
        self.constants: list[Any] = []
        self.bare: set[int] = set()
        """The values that there are as arrays, and below as values of the language."""
        self.whole: set[int] = set()

    def line(self, text: str) -> None:
        self.lines.append(f"    {text}")

    def constant(self, value: Any) -> str:
        self.constants.append(value)
        return f"k{len(self.constants) - 1}"

    def number(self, lane: Lane) -> int:
        """Numbers are given in the order of appearance, so that segments of one form read the same."""
        return self.numbers.setdefault(id(lane), len(self.numbers))

    def load(self, lane: Lane) -> None:
        """Make sure that a value is there."""
        number = self.number(lane)
        if number not in self.bare and number not in self.whole:
            cell = self.cell_of.get(id(lane))
            if cell is None:
                raise NoFixedCourse("a value that is nowhere kept")
            self.line(f"V{number} = cells[{self.constant(cell)}]")
            self.whole.add(number)

    def array(self, lane: Lane) -> str:
        """A value as an array."""
        self.load(lane)
        number = self.number(lane)
        if number not in self.bare:
            self.line(self.unwrapped(number))
            self.bare.add(number)
        return f"v{number}"

    def unwrapped(self, number: int) -> str:
        return f"v{number} = V{number}.data if V{number}.frame is frame else V{number}.at(frame)"

    def lane(self, lane: Lane) -> str:
        """A value as one of the language."""
        self.load(lane)
        number = self.number(lane)
        if number not in self.whole:
            self.line(self.wrapped(number))
            self.whole.add(number)
        return f"V{number}"

    def wrapped(self, number: int) -> str:
        return f"V{number} = Lane(v{number}, frame)"

    def value(self, value: Any) -> str:
        """Any value of the language."""
        if type(value) is Lane:
            return self.lane(value)
        if not self.trace.has_lanes(value):
            return self.constant(value)
        kind = type(value)
        if kind is tuple or kind is List:
            items = "".join(f"{self.value(item)}, " for item in value)
            return f"({items})" if kind is tuple else f"List(({items}))"
        if kind is Map:
            keys = tuple(key for key, _ in value.items())
            items = "".join(f"{self.value(item)}, " for _, item in value.items())
            return f"Map.of(zip({self.value(keys)}, ({items})))"
        if isinstance(value, Compound):
            return f"{self.constant(value)}.with_parts({self.value(value.parts)})"
        raise NoFixedCourse(f"a {kind.__name__} over lanes")

    def bare_value(self, value: Any) -> str:
        return self.array(value) if type(value) is Lane else self.constant(value)

    def parts(self, family: Scored, parts: tuple[Any, ...]) -> str:
        """The parameters of a distribution, as its family takes them."""
        if family is MVN and type(parts[1]) is Lane:
            return f"{self.bare_value(parts[0])}, {self.roots(parts[1])}"
        return ", ".join(map(self.bare_value, parts))

    def roots(self, covariance: Lane) -> str:
        return f"roots_at({self.lane(covariance)}, frame)"

    def write(self, note: Note) -> None:
        """Compute what a note tells of."""
        match note:
            case Formula(result, function, arguments):
                given = ", ".join(map(self.bare_value, arguments))
                number = self.number(result)
                self.line(f"v{number} = {self.constant(function)}({given})")
                self.bare.add(number)
            case Apply(result, function, arguments):
                given = ", ".join(map(self.value, arguments))
                number = self.number(result)
                self.line(f"V{number} = {self.constant(function)}({given})")
                self.guard(number, result)
                self.whole.add(number)
            case Check(domain, value):
                self.check(domain, value)
            case Fit(family, parts):
                self.line(f"fitting({self.constant(family)}, {self.parts(family, parts)})")
            case Draw(result, at, family, parts):
                self.draw(result, at, family, parts)
            case Score(family, parts, value):
                self.score(family, parts, value)
            case Report(turn, label, value):
                row = f"{self.constant(turn)}, {self.constant(label)}, {self.value(value)}"
                self.line(f"run.reports.append(({row}))")

    def keep(self, result: Lane) -> None:
        """Put a value into its cell."""
        self.line(f"cells[{self.constant(self.cell_of[id(result)])}] = {self.lane(result)}")

    @abstractmethod
    def draw(self, result: Lane, at: At, family: Family, parts: tuple[Any, ...]) -> None:
        """A sample."""

    @abstractmethod
    def score(self, family: Scored, parts: tuple[Any, ...], value: Any) -> None:
        """An observe."""

    def guard(self, number: int, result: Lane) -> None:
        """What a primitive gives must be of the kind that it was in the trace."""
        data = f"V{number}.data"
        self.line(
            f"if type(V{number}) is not Lane or {data}.dtype is not {self.constant(result.data.dtype)}: raise Failed"
        )
        if result.data.ndim > 1:
            self.line(f"if {data}.shape[:-1] != {self.constant(result.data.shape[:-1])}: raise Failed")
        else:
            self.line(f"if {data}.ndim != 1: raise Failed")

    def check(self, domain: Domain, value: Lane) -> None:
        number = self.number(value)
        data = self.array(value)
        name = self.constant(domain)
        if number in self.whole:
            self.line(f"if V{number}.checked is not {name}: allow_lanes({name}, V{number}, {data})")
        elif domain.surely is not None:
            self.line(f"if not {self.constant(domain.surely)}({data}): allow({name}, {data})")
        else:
            self.line(f"allow({name}, {data})")

    def done(self, head: str, first: list[str]) -> Code:
        """The function."""
        names = "".join(f"k{i}, " for i in range(len(self.constants)))
        unpack = [f"    {names}= constants"] if names else []
        return _compiled("\n".join([head, *unpack, *first, *self.lines]) + "\n"), tuple(self.constants)


class ForwardWriter(Writer):
    """Runs a segment."""

    draws_left = 0

    def write_all(self, notes: list[Note]) -> None:
        self.draws_left = sum(isinstance(note, Draw) for note in notes)
        for note in notes:
            self.write(note)
            if isinstance(note, Formula | Apply) and id(note.result) in self.cell_of:
                self.keep(note.result)

    def draw(self, result: Lane, at: At, family: Family, parts: tuple[Any, ...]) -> None:
        number = self.number(result)
        given = self.parts(family, parts)
        name = self.constant(at)
        self.line(f"v{number} = {self.constant(family)}.sample(rng, size, {given})")
        place = "position" if result.data.ndim == 1 else "..., position"
        self.line(f"for position, chain in kept: v{number}[{place}] = retained[chain][{name}]")
        self.line(f"V{number} = cells[{self.constant(self.cell_of[id(result)])}] = Lane(v{number}, frame)")
        self.line(f"if draws is not None: draws.append(({name}, frame, V{number}))")
        self.bare.add(number)
        self.whole.add(number)
        self.draws_left -= 1

    def score(self, family: Scored, parts: tuple[Any, ...], value: Any) -> None:
        density = f"{self.constant(family)}.log_density({self.bare_value(value)}, {self.parts(family, parts)})"
        self.line(f"handler.log_weights += {f'possible({density})' if self.draws_left else density}")

    def script(self) -> Code:
        return self.done(
            "def script(run, frame, constants):",
            ["    handler = run.handler; cells = run.cells; rng = run.rng; size = frame.size",
             "    draws = handler.draws; retained = handler.retained",
             "    kept = frame.kept if retained is not None else ()"],
        )  # fmt: skip


class ReplayWriter(Writer):
    """Scores a segment. What it reads may be plain, where all lanes have the retained value."""

    def unwrapped(self, number: int) -> str:
        return f"v{number} = V{number}.at(frame) if type(V{number}) is Lane else V{number}"

    def wrapped(self, number: int) -> str:
        return f"V{number} = Lane(v{number}, frame) if type(v{number}) is ndarray else v{number}"

    def roots(self, covariance: Lane) -> str:
        name = self.lane(covariance)
        return f"roots_at({name}, frame) if type({name}) is Lane else {name}"

    def guard(self, number: int, result: Lane) -> None:
        data = result.data
        self.line(f"alike(V{number}, {self.constant(data.dtype)}, {self.constant(data.shape[:-1])})")

    def check(self, domain: Domain, value: Lane) -> None:
        number = self.number(value)
        data = self.array(value)
        name = self.constant(domain)
        if number in self.whole:
            self.line(f"if type(V{number}) is not Lane or V{number}.checked is not {name}: allow({name}, {data})")
        else:
            self.line(f"allow({name}, {data})")

    def draw(self, result: Lane, at: At, family: Family, parts: tuple[Any, ...]) -> None:
        self.score(family, parts, result)

    def score(self, family: Scored, parts: tuple[Any, ...], value: Any) -> None:
        given = f"{self.bare_value(value)}, {self.parts(family, parts)}"
        self.line(f"score = {self.constant(family)}.log_density({given})")
        self.line("if type(score) is ndarray: total = score if total is None else total + score")

    def script(self) -> Code:
        self.line("return total")
        return self.done("def script(cells, frame, constants):", ["    total = None"])


class StoreWriter(Writer):
    """Puts values back into the cells that the program knows, from the cells of scripts."""

    def store(self, cell: Any, value: Any) -> None:
        self.line(f"store[{self.constant(cell)}] = {self.value(value)}")

    def draw(self, result: Lane, at: At, family: Family, parts: tuple[Any, ...]) -> None:
        raise AssertionError("nothing is drawn here")

    def score(self, family: Scored, parts: tuple[Any, ...], value: Any) -> None:
        raise AssertionError("nothing is scored here")

    def script(self) -> Code:
        return self.done("def script(store, cells, constants):", ["    pass"])
