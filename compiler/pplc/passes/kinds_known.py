"""A part of kinds: the kinds that there are, and what is known of those of constants and primitives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

from pplc.languages import core
from pplc_runtime.program.constructors import CONSTRUCTORS
from pplc_runtime.program.names import SIGNATURES
from pplc_runtime.values import List, Symbol


@dataclass(frozen=True, slots=True)
class Drawable:
    """A distribution or process; its name is empty where it may be one of several."""

    what: str
    name: str
    draw: Plain | None = None

    def __str__(self) -> str:
        return f"the {self.what} <{self.name}>" if self.name else f"a {self.what}"


@dataclass(frozen=True, slots=True)
class Plain:
    """A value that is neither drawn from nor called; not `surely` where it may be a vector of such values."""

    text: str
    surely: bool = True

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Operation:
    """A primitive."""

    name: str

    def __str__(self) -> str:
        return "a procedure"


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure of the program, and the local variables of the statement that it stands in."""

    code: core.Lambda
    local: Locals = field(compare=False)

    def __str__(self) -> str:
        return "a procedure"


Kind: TypeAlias = Drawable | Plain | Operation | Procedure
Locals: TypeAlias = dict[str, core.Expr]

NUMBER: Final = Plain("a number")
BOOLEAN: Final = Plain("true or false")
_DRAWS: Final = {
    "number": NUMBER, "integer": NUMBER, "boolean": BOOLEAN,
    "vector": Plain("a vector"), "matrix": Plain("a matrix"),
}  # fmt: skip
POINT: Final = Drawable("process", "gp at a point", NUMBER)
FUNCTION: Final = Drawable("process of functions", "gp")


COMPARE: Final = ("<", ">", "<=", ">=")
"""What looks at no argument that stands alone."""


def _each(wanted: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), wanted)


WANTED: Final = {
    **_each(
        "takes numbers",
        "+ - * / add sub mul div min max mod rem quot pow expt inc dec abs square sqrt exp expm1 log log1p sin cos tan"
        " asin acos atan atan2 sinh cosh tanh sigmoid floor ceil round int float double sum product mean variance std"
        " cumsum argmax argmin logsumexp normalize mmul dot outer transpose diag trace det inverse solve cholesky norm"
        " log-sigmoid logit softplus erf erfc normal-cdf Phi probit lgamma digamma lbeta softmax range",
    ),
    **_each("compares numbers", " ".join(COMPARE)),
    **_each("takes a number", "zero? pos? neg? nan? even? odd?"),
    **_each("takes a truth value", "not boolean"),
    **_each(
        "takes a list or vector",
        "vec seq first second third last rest next butlast count peek reverse sort distinct frequencies",
    ),
}  # fmt: skip
"""Primitives none of whose arguments may be a distribution, and what they take instead."""
GIVES: Final = {
    **_each("true or false", "= not= < > <= >= not boolean zero? pos? neg? nan? even? odd? every?"),
    **_each("a vector", "vector vec"),
    **_each("a list", "list map filter remove take-while drop-while reductions range repeat repeatedly concat append"),
    **_each("a map", "hash-map zipmap group-by"),
    **_each("a string", "str"),
    **_each("a number", "logpdf cdf quantile"),
}


def of_constant(value: Any) -> Kind | None:
    match value:
        case bool():
            return BOOLEAN
        case int() | float():
            return NUMBER
        case str():
            return Plain("a string")
        case Symbol():
            return Plain("a symbol")
        case List():
            return Plain("a list")
        case tuple() | np.ndarray():
            return Plain("a vector")
        case _:
            return None


def made_by(name: str) -> Drawable:
    """What a constructor makes."""
    stem = name.removesuffix("-dist")
    if stem == "gp":
        return FUNCTION
    draws = SIGNATURES[name].draws
    return Drawable("distribution" if stem in CONSTRUCTORS else "process", stem, _DRAWS[draws] if draws else None)


def joined(one: Kind | None, other: Kind | None) -> Kind | None:
    """What is one of two things."""
    if isinstance(one, Drawable) and isinstance(other, Drawable) and one.what == other.what:
        name = one.name if one.name == other.name else ""
        return Drawable(one.what, name, one.draw if one.draw == other.draw else None)
    return one if one == other else None
