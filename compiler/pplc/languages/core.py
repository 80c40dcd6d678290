"""The core language: the paper's constant, symbol, application, lambda, if and quote, with let and letrec.

`expand` makes it with every name a `Name`; `resolve` turns each name into a `Local`, a `Global` or a
`Primitive`. `Sample`, `Observe` and `Mem` are nodes of their own, since the whole compiler asks for them. `sites` gives
every node that may evaluate something at an address a number for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pplc.source import Span

UNNAMED: Final = "_"
"""What a let binds that is a form in the middle of a body, there for its effect; no variable has this name."""


@dataclass(frozen=True, slots=True)
class Const:
    """A plain value: a literal, quoted data, or a vector or matrix of numbers."""

    value: Any
    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """A name that is not resolved yet."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Local:
    """A variable of an enclosing procedure, let or for; no two binders share a name."""

    name: str
    span: Span
    site: int = 0


@dataclass(frozen=True, slots=True)
class Global:
    """A variable that an assume or an input defines."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Primitive:
    """A procedure or constant of the language itself."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class App:
    """An application; the operator is evaluated first, then the arguments from left to right."""

    operator: Expr
    arguments: tuple[Expr, ...]
    span: Span
    site: int = 0


@dataclass(frozen=True, slots=True)
class Lambda:
    """A procedure; `rest` takes what arguments there are beyond the parameters, as a list.

    One that is written for several numbers of arguments has them in `arities`, each with whether more may follow;
    that is for `resolve`, and no later pass knows of it."""

    name: str
    parameters: tuple[str, ...]
    rest: str | None
    body: Expr
    span: Span
    arities: tuple[tuple[int, bool], ...] = ()
    site: int = 0


@dataclass(frozen=True, slots=True)
class If:
    """A choice; only false and nil are false."""

    test: Expr
    then: Expr
    other: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Let:
    """A local variable."""

    name: str
    value: Expr
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Letrec:
    """Local procedures that may call themselves and each other."""

    bindings: tuple[tuple[str, Lambda], ...]
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Sample:
    """A draw from a distribution or a process."""

    source: Expr
    span: Span
    site: int = 0


@dataclass(frozen=True, slots=True)
class Observe:
    """Conditions the execution on a value, weighting it where it stands; its value is that value."""

    source: Expr
    value: Expr
    span: Span
    site: int = 0


@dataclass(frozen=True, slots=True)
class Mem:
    """A memoised procedure."""

    procedure: Expr
    span: Span
    site: int = 0


Expr: TypeAlias = Const | Name | Local | Global | Primitive | App | Lambda | If | Let | Letrec | Sample | Observe | Mem


Sited: TypeAlias = Local | App | Lambda | Sample | Observe | Mem
"""What may have a number in addresses."""


def itself(name: str, procedure: Lambda) -> Letrec:
    """A procedure that can call itself by a name."""
    return Letrec(((name, procedure),), Name(name, procedure.span), procedure.span)


def primitive_call(name: str, span: Span, *arguments: Expr) -> App:
    """A call of a primitive, whatever a program itself calls by that name."""
    return App(Primitive(name, span), arguments, span)


@dataclass(frozen=True, slots=True)
class AssumeStatement:
    """[assume name value]"""

    name: str
    value: Expr
    span: Span
    name_span: Span


@dataclass(frozen=True, slots=True)
class ObserveStatement:
    """[observe source value]: where particles are weighted and resampled."""

    source: Expr
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class PredictStatement:
    """[predict label value]"""

    label: Expr
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class InputStatement:
    """[input name default]"""

    name: str
    default: Expr | None
    span: Span
    name_span: Span


@dataclass(frozen=True, slots=True)
class ForStatement:
    """[for [name sequence] statement ...]: the statements once for each element.

    One that is a `test` has one turn or none: it stands for one side of an if."""

    name: str
    sequence: Expr
    body: tuple[Statement, ...]
    span: Span
    test: bool = False


@dataclass(frozen=True, slots=True)
class SharedStatement:
    """An observe or predict that stands in the program with several rows of literals.

    `literals` are the local names that stand for them in `statement`; the first row that is met carries the
    statement, and each further one only its values and its place."""

    shape: int
    literals: tuple[str, ...]
    statement: ObserveStatement | PredictStatement
    row: tuple[Any, ...]
    span: Span


Statement: TypeAlias = (
    AssumeStatement | ObserveStatement | PredictStatement | InputStatement | ForStatement | SharedStatement
)


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program."""

    statements: tuple[Statement, ...]
