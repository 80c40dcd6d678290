"""Every name that a program can use without defining it, and what generated code calls it."""

from __future__ import annotations

import builtins
import keyword
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import normalize

import pplc_runtime.program.control as control
from pplc_runtime.primitives import FAST, GENERAL, PRIMITIVES
from pplc_runtime.primitives.base import OPERATORS as OPERATORS
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.program.conditional import conditional
from pplc_runtime.program.constructors import (
    CONSTRUCTORS,
    PROCESS_CONSTRUCTORS,
    WEIGHTING_CONSTRUCTORS,
    arity_of,
    family_of,
    parameters_of,
)
from pplc_runtime.program.densities import OF_DISTRIBUTIONS
from pplc_runtime.program.gaussian_process import gp

CONSTANTS: Final[dict[str, Any]] = {"pi": math.pi, "e": math.e}


@dataclass(frozen=True, slots=True)
class Signature:
    """How a procedure of the language may be called."""

    least: int
    most: int | None
    folds: bool = False
    addressed: bool = False
    parameters: tuple[str, ...] = ()
    """What the arguments of a distribution or process are called."""
    domains: tuple[str, ...] = ()
    """What they must be, where that is not for the distribution itself to say."""
    draws: str | None = None
    """What a draw is: "number", "integer", "boolean", "vector" or "matrix", where that is always the same."""


def _all_primitives() -> dict[str, Primitive]:
    table = dict(PRIMITIVES)
    processes = {**PROCESS_CONSTRUCTORS, "gp": gp}
    table["conditional"] = Primitive("conditional", conditional, 1, 5, addressed=True)
    for constructors, addressed in ((CONSTRUCTORS, False), (processes, True)):
        for name, function in constructors.items():
            least, most = arity_of(name)
            for spelling in (name, f"{name}-dist"):
                table[spelling] = Primitive(spelling, function, least, most, addressed=addressed)
    for name, (function, least, most) in OF_DISTRIBUTIONS.items():
        table[name] = Primitive(name, function, least, most)
    for name, function in WEIGHTING_CONSTRUCTORS.items():
        table[name] = Primitive(name, function, *arity_of(name))
    return table


_TABLE: Final = _all_primitives()

STOCHASTIC: Final = frozenset(
    spelling for name in (*CONSTRUCTORS, *PROCESS_CONSTRUCTORS, "gp") for spelling in (name, f"{name}-dist")
) | {*WEIGHTING_CONSTRUCTORS}
"""The names of distributions and processes, and of what is only observed."""


def _signature(name: str, p: Primitive) -> Signature:
    stem = name.removesuffix("-dist")
    family = family_of(stem) if name in STOCHASTIC else None
    domains = tuple(parameter.domain.text for parameter in family.parameters) if family else ()
    draws = family.value_kind if family else None
    return Signature(p.least, p.most, p.folds, p.addressed, parameters_of(stem), domains, draws)


SIGNATURES: Final = {name: _signature(name, p) for name, p in _TABLE.items()}


def primitive(name: str) -> Primitive:
    """A primitive as a value."""
    return _TABLE[name]


def mangled(name: str) -> str:
    """A Python name that keeps what it can of a name of the language; other names may give the same."""
    text = name.replace("->", "_to_").replace("-", "_").replace("?", "_p").replace("*", "_star")
    if not text.isascii():
        text = normalize("NFKC", text)  # as Python does, to which the two signs for mu are one
    text = "".join([c if c.isidentifier() or ("v" + c).isidentifier() else "_" for c in text])
    if not text.strip("_") or text.startswith("__") or not text[0].isidentifier():
        return f"v{text}"
    return text


def python_name(name: str, arguments: int) -> str:
    """The Python name of a primitive in generated code; a call with two arguments may have a shorter way."""
    return FAST[name] if arguments == 2 and name in FAST else _python_names[name]


def _name_of(name: str) -> str:
    base = GENERAL.get(name) or mangled(name.removesuffix("-dist"))
    return f"{base}_" if keyword.iskeyword(base) or base in _OWN or base in dir(builtins) else base


_OWN: Final = frozenset(
    {"at", "agreed", "branch", "call", "choose", "infer", "mem", "mem_by_lane", "numbers", "observe", "primitive"}
    | {"read", "sample"}
)
_python_names: Final = {name: _name_of(name) for name in _TABLE}

EXPORTS: Final[dict[str, Callable[..., Any]]] = {
    **{_python_names[name]: p.function for name, p in _TABLE.items()},
    **{name: getattr(control, name) for name in _OWN - {"at", "infer", "numbers", "primitive"}},
    "primitive": primitive,
}
"""What generated code may import by name, besides the classes."""

RESERVED: Final = frozenset(
    {*EXPORTS, *FAST.values(), *_OWN, *keyword.kwlist, *dir(builtins)}
    | {"Procedure", "Symbol", "List", "Program", "Assume", "Observe", "Predict", "Input", "Loop"}
    | {"PROGRAM", "_STEPS", "_PLACES", "formula", "raw"}
)


def identifier(name: str) -> str:
    """A Python name for a variable or procedure of a program, none of those that generated code uses itself."""
    text = mangled(name)
    while text in RESERVED:
        text += "_"
    return text
