"""The specialised program: what every execution does, as numbered values and operations by name.

    segment 2
      v5 = * 0.9 v3              a number, computed
      v6 ~ normal v5 1.0         a number, drawn
      observe normal v6 0.5 = 0.2

Values are numbers, vectors or matrices that differ between executions; everything else is a constant, or a structure
(a list, a map, a closure, a distribution) with values inside. Back ends write code from it: see `numpy_code`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.lanes.addresses import At
from pplc_runtime.primitives.facts import FACTS
from pplc_runtime.specialise.operations import Certain
from pplc_runtime.values import Place

Scored: TypeAlias = Family | type[Certain]
"""What gives the density of an observe."""

REAL: Final = np.dtype(np.float64)


class NoFixedCourse(Exception):
    """The program may do one thing or another."""


@dataclass(frozen=True, slots=True, eq=False)
class Var:
    """A number, vector or matrix that executions differ in."""

    number: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    segment: int
    """Where it comes up."""

    @property
    def is_real(self) -> bool:
        """Whether it is one real number."""
        return self.dtype is REAL and not self.shape


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A structure with values inside: `like`, rebuilt with other children."""

    like: Any
    children: tuple[Operand, ...]
    uses: tuple[Var, ...]


Operand: TypeAlias = Any
"""A Var, a Struct, or a constant of the language."""


def vars_in(operands: tuple[Operand, ...]) -> tuple[Var, ...]:
    """The values that operands have inside, each once."""
    found: dict[Var, None] = {}
    for operand in operands:
        if type(operand) is Var:
            found[operand] = None
        elif type(operand) is Struct:
            found.update(dict.fromkeys(operand.uses))
    return tuple(found)


class Using:
    """An operation, with the values that its operands have inside."""

    __slots__ = ("uses",)
    uses: tuple[Var, ...]

    @property
    @abstractmethod
    def operands(self) -> tuple[Operand, ...]:
        """What it works on."""

    def __post_init__(self) -> None:
        self.uses = vars_in(self.operands)


@dataclass(slots=True)
class Compute(Using):
    """An operation, by its name in the language or in `operations`."""

    result: Var
    name: str
    arguments: tuple[Operand, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.arguments

    @property
    def is_bare(self) -> bool:
        """Whether it is arithmetic on real numbers, which back ends write as such."""
        facts = FACTS.get(self.name)
        return (
            facts is not None
            and len(self.arguments) in facts.bare
            and self.result.is_real
            and all(type(a) in (float, int) or (type(a) is Var and a.is_real) for a in self.arguments)
        )


@dataclass(slots=True)
class Check(Using):
    """A parameter is in its domain."""

    domain: Domain
    value: Var

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (self.value,)


@dataclass(slots=True)
class Fit(Using):
    """The parameters of a distribution fit together."""

    family: Family
    parts: tuple[Operand, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.parts


@dataclass(slots=True)
class Draw(Using):
    """A sample."""

    result: Var
    at: At
    family: Family
    parts: tuple[Operand, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.parts


@dataclass(slots=True)
class Score(Using):
    """An observe."""

    family: Scored
    parts: tuple[Operand, ...]
    value: Operand

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (*self.parts, self.value)


@dataclass(slots=True)
class Report(Using):
    """A predict, and its turn in the program."""

    turn: int
    label: Any
    value: Operand

    @property
    def operands(self) -> tuple[Operand, ...]:
        return (self.value,)


Operation: TypeAlias = Compute | Check | Fit | Draw | Score | Report


@dataclass(slots=True)
class Trace:
    """What each segment does, in order."""

    segments: list[list[Operation]] = field(default_factory=list)
    ends: list[tuple[Place, int]] = field(default_factory=list)
    """The statements that end the segments, and the lines of the observes that do, 0 for none."""
    parted: bool = False
    """Whether some observe ends none."""
    reports: list[Operation] | None = None
    """What is reported at the end, if that is always the same too; and below what it may read if it is not."""
    store: dict[Any, Operand] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment: what it does, and what there is to do when it is scored for another past."""

    forward: tuple[Operation, ...]
    replay: tuple[Operation, ...]
    """Densities and values that depend on earlier segments, and what they are computed from; none where no density
    depends on what came before."""
    reads: frozenset[int]
    """The cells of earlier segments that a replay reads."""
    writes: tuple[int, ...]
    """The cells that it writes when it runs forward."""
    renews: tuple[int, ...]
    """Those of them that depend on what it draws: replays of it before have found the values of the others."""
    follows: tuple[tuple[int, frozenset[int]], ...]
    """The cells that a replay writes, each with those that it depends on."""
    place: Place
    """The statement that it ends with, or in."""
    line: int
    """That of the observe that ends it, 0 if there is none."""


@dataclass(frozen=True, slots=True)
class Specialised:
    """A program: values that outlive their segment have cells."""

    segments: list[Segment]
    reports: tuple[Operation, ...] | None
    store: dict[Any, Operand]
    """Where what is reported is not always the same: what it may read."""
    cell_of: dict[Var, int]
    readers: list[tuple[int, ...]]
    """The segments whose replays read each cell."""
    draws: list[tuple[int, At]]
    """What is drawn: its cell and address."""
    parted: bool
    """Whether some observe ends no segment."""
