"""The syntax of the reference engine: the paper's grammar (section 2.1), with let, letrec and mem.

Every node has its place in the source: line, column and width. What evaluates something at an address has its number
there, its `site`, as the compiler gives it: 0 is the address of what stands around it. So addresses are those of the
other engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

Place: TypeAlias = tuple[int, int, int]
NOWHERE: Place = (1, 1, 1)


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant c, or quoted data."""

    value: Any
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Local:
    """A symbol s that is looked up in the local environment."""

    name: str
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Global:
    """A symbol s that is looked up in the global environment."""

    name: str
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Primitive:
    """A procedure of the language itself."""

    name: str
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Application:
    """(e e ...)"""

    operator: Expression
    arguments: tuple[Expression, ...]
    place: Place = NOWHERE
    site: int = 0


@dataclass(frozen=True, slots=True)
class Lambda:
    """(lambda (s ...) e). `free` are the local variables that the body uses and does not bind. One that is `constant`
    closes over nothing, or over procedures only that do not."""

    name: str
    parameters: tuple[str, ...]
    rest: str | None
    body: Expression
    free: tuple[str, ...]
    place: Place = NOWHERE
    site: int = 0
    constant: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """(if e e e). `number` tells the ifs of a program apart."""

    test: Expression
    then: Expression
    other: Expression
    number: int
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Let:
    """(let (s e) e)"""

    name: str
    value: Expression
    body: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Letrec:
    """Local procedures that may call themselves and each other."""

    bindings: tuple[tuple[str, Lambda], ...]
    body: Expression
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Sample:
    """(sample e)"""

    source: Expression
    place: Place = NOWHERE
    site: int = 0


@dataclass(frozen=True, slots=True)
class Observe:
    """(observe e e), inside an expression or as a statement."""

    source: Expression
    value: Expression
    place: Place = NOWHERE
    site: int = 0
    label: int = 0


@dataclass(frozen=True, slots=True)
class Mem:
    """(mem e)"""

    procedure: Expression
    place: Place = NOWHERE
    site: int = 0


Expression: TypeAlias = (
    Constant | Local | Global | Primitive | Application | Lambda | If | Let | Letrec | Sample | Observe | Mem
)


@dataclass(frozen=True, slots=True)
class Assume:
    """[assume s e]. `label` is the number of a statement in the program, here and below. What a `shared` one draws is
    read by many statements."""

    name: str
    value: Expression
    place: Place = NOWHERE
    label: int = 0
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Predict:
    """[predict name e]. One that `waits` is evaluated when particles are finished, in the globals of its place."""

    name: Expression
    value: Expression
    place: Place = NOWHERE
    label: int = 0
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """[input s default]"""

    name: str
    default: Expression | None
    place: Place = NOWHERE
    label: int = 0


@dataclass(frozen=True, slots=True)
class For:
    """[for [s e] statement ...], or one side of an if, as a `test`"""

    name: str
    sequence: Expression
    body: tuple[Statement, ...]
    place: Place = NOWHERE
    label: int = 0
    test: bool = False
    together: tuple[str, ...] = ()


Statement: TypeAlias = Assume | Observe | Predict | Input | For


@dataclass(frozen=True, slots=True)
class Program:
    """F: a sequence of statements, and the name of its source in messages."""

    statements: tuple[Statement, ...]
    source: str = "program"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that the program is given."""
        return tuple(s.name for s in self.statements if isinstance(s, Input))
