"""The back end that writes Python over arrays.

A segment becomes two functions. One runs it forward: its draws, its weights, what it reports. The other replays it:
what it has drawn is given, and its density comes out, as far as that depends on what came before. Both keep values
in `cells`, one for each draw and for each value that a later segment uses.

In the code, v1 is an array (or a plain number) and V1 the same as a value of the language. Everything that
differs from segment to segment is a constant, so that segments of the same form share their code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.primitives.facts import FACTS
from pplc_runtime.program.stochastic import MVN, roots_at
from pplc_runtime.specialise.ir import (
    Check,
    Compute,
    Draw,
    Fit,
    NoFixedCourse,
    Operand,
    Operation,
    Report,
    Score,
    Scored,
    Segment,
    Specialised,
    Struct,
    Var,
)
from pplc_runtime.specialise.operations import operation
from pplc_runtime.specialise.scripts import (
    ByProgram,
    Failed,
    Script,
    Scripts,
    Straight,
    alike,
    allow,
    allow_lanes,
    fitting,
    possible,
)
from pplc_runtime.values import List
from pplc_runtime.values.walk import rebuild

MOST_FORMS: Final = 200
"""Code of so many forms takes a second to compile."""
AT_FIRST: Final = 1000
"""So many segments are written at once, and tell whether there are too many forms."""
Code = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its constants."""


def _bare_name(name: str) -> str:
    return f"bare_{name}" if name.isalnum() else f"bare_{ord(name)}"


_NAMES: Final = {
    "Lane": Lane, "List": List, "ndarray": np.ndarray, "Failed": Failed,
    "alike": alike, "allow": allow, "allow_lanes": allow_lanes, "fitting": fitting, "possible": possible,
    "rebuild": rebuild,
    "roots_at": roots_at,
    **{f"{_bare_name(name)}_{count}": bare for name, facts in FACTS.items() for count, bare in facts.bare.items()},
}  # fmt: skip


@lru_cache(512)
def _compiled(text: str) -> Callable[..., Any]:
    space: dict[str, Any] = dict(_NAMES)
    exec(text, space)  # straight code made of names above and numbered constants only
    return cast(Callable[..., Any], space["script"])


def _operator(name: str, last: Operand) -> str | None:
    """What Python writes for an operation on real numbers; nothing divides by zero."""
    if name == "/" and type(last) in (int, float) and last != 0:
        return "/"
    return FACTS[name].operator


class Writer(ABC):
    """The code of one segment, line by line."""

    def __init__(self, cell_of: dict[Var, int]) -> None:
        self.cell_of = cell_of
        self.numbers: dict[Var, int] = {}
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

    def number(self, var: Var) -> int:
        """Numbers are given in the order of appearance, so that segments of one form read the same."""
        return self.numbers.setdefault(var, len(self.numbers))

    def load(self, var: Var) -> None:
        """Make sure that a value is there."""
        number = self.number(var)
        if number not in self.bare and number not in self.whole:
            self.line(f"V{number} = cells[{self.constant(self.cell_of[var])}]")
            self.whole.add(number)

    def array(self, var: Var) -> str:
        """A value as an array."""
        self.load(var)
        number = self.number(var)
        if number not in self.bare:
            self.line(self.unwrapped(number))
            self.bare.add(number)
        return f"v{number}"

    def unwrapped(self, number: int) -> str:
        return f"v{number} = V{number}.data if V{number}.frame is frame else V{number}.at(frame)"

    def lane(self, var: Var) -> str:
        """A value as one of the language."""
        self.load(var)
        number = self.number(var)
        if number not in self.whole:
            self.line(self.wrapped(number))
            self.whole.add(number)
        return f"V{number}"

    def wrapped(self, number: int) -> str:
        return f"V{number} = Lane(v{number}, frame)"

    def value(self, value: Operand) -> str:
        """Any value of the language."""
        if type(value) is Var:
            return self.lane(value)
        return self.structure(value) if type(value) is Struct else self.constant(value)

    def structure(self, value: Struct) -> str:
        items = self.items(value.children)
        if type(value.like) is tuple:
            return f"({items})"
        return f"List(({items}))" if type(value.like) is List else f"rebuild({self.constant(value.like)}, ({items}))"

    def items(self, values: tuple[Operand, ...]) -> str:
        return "".join(f"{self.value(value)}, " for value in values)

    def bare_value(self, value: Operand) -> str:
        return self.array(value) if type(value) is Var else self.constant(value)

    def parts(self, family: Scored, parts: tuple[Operand, ...]) -> str:
        """The parameters of a distribution, as its family takes them."""
        if family is MVN and type(parts[1]) is Var:
            return f"{self.bare_value(parts[0])}, {self.roots(parts[1])}"
        return ", ".join(map(self.bare_value, parts))

    def roots(self, covariance: Var) -> str:
        return f"roots_at({self.lane(covariance)}, frame)"

    def write(self, operation: Operation) -> None:
        """The code of an operation."""
        match operation:
            case Compute():
                self.compute(operation)
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

    def compute(self, computed: Compute) -> None:
        name, arguments = computed.name, computed.arguments
        if computed.is_bare:
            given = [self.bare_value(argument) for argument in arguments]
            operator = _operator(name, arguments[-1])
            number = self.number(computed.result)
            if operator is not None and len(given) == 2:
                self.line(f"v{number} = {given[0]} {operator} {given[1]}")
            else:
                self.line(f"v{number} = {_bare_name(name)}_{len(given)}({', '.join(given)})")
            self.bare.add(number)
        else:
            given = [self.value(argument) for argument in arguments]
            number = self.number(computed.result)
            function = self.constant(operation(name, len(arguments)))
            self.line(f"V{number} = {function}({', '.join(given)})")
            self.guard(number, computed.result)
            self.whole.add(number)

    def keep(self, result: Var) -> None:
        """Put a value into its cell."""
        self.line(f"cells[{self.constant(self.cell_of[result])}] = {self.lane(result)}")

    @abstractmethod
    def draw(self, result: Var, at: At, family: Family, parts: tuple[Operand, ...]) -> None:
        """A sample."""

    @abstractmethod
    def score(self, family: Scored, parts: tuple[Operand, ...], value: Operand) -> None:
        """An observe."""

    def guard(self, number: int, result: Var) -> None:
        """What a primitive gives must be of the kind that it was in the trace."""
        data = f"V{number}.data"
        self.line(f"if type(V{number}) is not Lane or {data}.dtype is not {self.constant(result.dtype)}: raise Failed")
        if result.shape:
            self.line(f"if {data}.shape[:-1] != {self.constant(result.shape)}: raise Failed")
        else:
            self.line(f"if {data}.ndim != 1: raise Failed")

    def check(self, domain: Domain, value: Var) -> None:
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

    def write_all(self, operations: Iterable[Operation]) -> None:
        operations = tuple(operations)
        self.draws_left = sum(isinstance(each, Draw) for each in operations)
        for each in operations:
            self.write(each)
            if isinstance(each, Compute) and each.result in self.cell_of:
                self.keep(each.result)

    def draw(self, result: Var, at: At, family: Family, parts: tuple[Operand, ...]) -> None:
        number = self.number(result)
        given = self.parts(family, parts)
        name = self.constant(at)
        self.line(f"v{number} = {self.constant(family)}.sample(chance.at({name}, frame), size, {given})")
        place = "..., position" if result.shape else "position"
        self.line(f"for position, chain in kept: v{number}[{place}] = retained[chain][{name}]")
        self.line(f"V{number} = cells[{self.constant(self.cell_of[result])}] = Lane(v{number}, frame)")
        self.line(f"if draws is not None: draws.append(({name}, frame, V{number}))")
        self.bare.add(number)
        self.whole.add(number)
        self.draws_left -= 1

    def score(self, family: Scored, parts: tuple[Operand, ...], value: Operand) -> None:
        density = f"{self.constant(family)}.log_density({self.bare_value(value)}, {self.parts(family, parts)})"
        self.line(f"handler.log_weights += {f'possible({density})' if self.draws_left else density}")

    def script(self) -> Code:
        return self.done(
            "def script(run, frame, constants):",
            ["    handler = run.handler; cells = run.cells; chance = run.chance; size = frame.size",
             "    draws = handler.draws; retained = handler.retained",
             "    kept = frame.kept if retained is not None else ()"],
        )  # fmt: skip


class ReplayWriter(Writer):
    """Scores a segment. What it reads may be plain, where all lanes have the retained value."""

    def unwrapped(self, number: int) -> str:
        return f"v{number} = V{number}.at(frame) if type(V{number}) is Lane else V{number}"

    def wrapped(self, number: int) -> str:
        return f"V{number} = Lane(v{number}, frame) if type(v{number}) is ndarray else v{number}"

    def roots(self, covariance: Var) -> str:
        name = self.lane(covariance)
        return f"roots_at({name}, frame) if type({name}) is Lane else {name}"

    def guard(self, number: int, result: Var) -> None:
        self.line(f"alike(V{number}, {self.constant(result.dtype)}, {self.constant(result.shape)})")

    def check(self, domain: Domain, value: Var) -> None:
        number = self.number(value)
        data = self.array(value)
        name = self.constant(domain)
        if number in self.whole:
            self.line(f"if type(V{number}) is not Lane or V{number}.checked is not {name}: allow({name}, {data})")
        else:
            self.line(f"allow({name}, {data})")

    def write_all(self, segment: Segment) -> None:
        follows = {cell for cell, _ in segment.follows}
        for each in segment.replay:
            self.write(each)
            if isinstance(each, Compute) and self.cell_of.get(each.result) in follows:
                self.keep(each.result)

    def draw(self, result: Var, at: At, family: Family, parts: tuple[Operand, ...]) -> None:
        self.score(family, parts, result)

    def score(self, family: Scored, parts: tuple[Operand, ...], value: Operand) -> None:
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

    def draw(self, result: Var, at: At, family: Family, parts: tuple[Operand, ...]) -> None:
        raise AssertionError("nothing is drawn here")

    def score(self, family: Scored, parts: tuple[Operand, ...], value: Operand) -> None:
        raise AssertionError("nothing is scored here")

    def script(self) -> Code:
        return self.done("def script(store, cells, constants):", ["    pass"])


def scripts_of(program: Specialised) -> Scripts:
    """A specialised program as scripts; those of a long one are written when somebody asks for them."""
    first, rest = program.segments[:AT_FIRST], program.segments[AT_FIRST:]
    written = _written(first, program)

    def write() -> list[Script]:
        found = _written(rest, program)
        _check_forms([*written, *found])
        return found

    _check_forms(written)
    found = _reports(program), len(program.cell_of), program.readers, program.draws, program
    return Scripts(written, write if rest else None, *found)


def _written(segments: list[Segment], program: Specialised) -> list[Script]:
    return [_script(segment, program.cell_of) for segment in segments]


def _check_forms(segments: list[Script]) -> None:
    if len({script.forward for script in segments}) > MOST_FORMS:
        raise NoFixedCourse("too many segments that are each of a form of their own")


def _script(segment: Segment, cell_of: dict[Var, int]) -> Script:
    forward = ForwardWriter(cell_of)
    forward.write_all(segment.forward)
    replay: tuple[Any, tuple[Any, ...]] = None, ()
    if segment.replay:
        writer = ReplayWriter(cell_of)
        writer.write_all(segment)
        replay = writer.script()
    return Script(*forward.script(), *replay, segment.writes, segment.renews, segment.follows, segment.line)


def _reports(program: Specialised) -> Straight | ByProgram:
    if program.reports is not None:
        straight = ForwardWriter(program.cell_of)
        straight.write_all(program.reports)
        return Straight(*straight.script())
    lanes = tuple((cell, program.cell_of[value]) for cell, value in program.store.items() if type(value) is Var)
    others = StoreWriter(program.cell_of)
    for cell, value in program.store.items():
        if type(value) is not Var:
            others.store(cell, value)
    return ByProgram(lanes, *others.script())
