"""Facts about primitives that passes and engines go by, one row each.

A primitive without a row looks at all of its arguments and calls no procedure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pplc_runtime.primitives import arithmetic, scalars

NONE: Final = slice(0)
BUT_FIRST: Final = slice(1, None)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a primitive."""

    looks: slice = field(default_factory=lambda: slice(None))
    """The arguments by which it goes. Others it only passes on, whatever they are."""
    calls: int | None = None
    """The argument that is a procedure, which it calls."""
    goes_by: bool = False
    """Whether it goes by what that procedure gives."""
    bare: Mapping[int, Callable[..., Any]] = field(default_factory=dict)
    """By the number of arguments: itself on real numbers and arrays of them."""
    operator: str | None = None
    """What Python writes for it, of two such arguments."""
    keeps_whole: bool = False
    """Whether it gives a whole number for a whole one."""


def _function(name: str, keeps_whole: bool = False) -> Facts:
    return Facts(bare={1: arithmetic.RAW[name]}, keeps_whole=keeps_whole)


_ADD: Final = Facts(bare={1: lambda a: a, 2: lambda a, b: a + b}, operator="+")
_SUB: Final = Facts(bare={1: lambda a: -a, 2: lambda a, b: a - b}, operator="-")
_MUL: Final = Facts(bare={1: lambda a: a, 2: lambda a, b: a * b}, operator="*")
_DIV: Final = Facts(bare={1: lambda a: scalars.raw_divide(1, a), 2: scalars.raw_divide})

FACTS: Final[dict[str, Facts]] = {
    "+": _ADD,
    "add": _ADD,
    "-": _SUB,
    "sub": _SUB,
    "*": _MUL,
    "mul": _MUL,
    "/": _DIV,
    "div": _DIV,
    **{
        name: _function(name)
        for name in (
            "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
            "tanh", "sigmoid",
        )
    },
    **{name: _function(name, keeps_whole=True) for name in ("abs", "square", "inc", "dec")},
    # What puts values together without looking at them
    **{
        name: Facts(looks=NONE)
        for name in (
            "list", "vector", "cons", "concat", "append", "count", "identity", "constantly", "partial", "comp",
            "complement", "keys", "vals", "merge", "flatten",
        )
    },
    # What takes values out of its first argument
    **{
        name: Facts(looks=BUT_FIRST)
        for name in (
            "first", "second", "third", "last", "rest", "next", "butlast", "peek", "pop", "reverse", "vec", "seq",
            "empty?", "nth", "get", "dissoc", "contains?",
        )
    },
    # What takes values out of its last argument
    **{name: Facts(looks=slice(0, -1)) for name in ("take", "drop", "partition", "repeat")},
    "subvec": Facts(looks=BUT_FIRST),
    # What goes by keys
    "hash-map": Facts(looks=slice(0, None, 2)),
    "zipmap": Facts(looks=slice(0, 1)),
    "assoc": Facts(looks=slice(1, None, 2)),
    "get-in": Facts(looks=slice(1, 2)),
    "assoc-in": Facts(looks=slice(1, 2)),
    # What calls procedures
    **{name: Facts(calls=0) for name in ("map", "mapv", "map-indexed", "mapcat", "reduce", "reductions", "apply")},
    "repeatedly": Facts(calls=1),
    "update": Facts(calls=2),
    "update-in": Facts(calls=2),
    **{
        name: Facts(calls=0, goes_by=True)
        for name in ("filter", "remove", "sort-by", "some", "every?", "take-while", "drop-while", "group-by")
    },
}  # fmt: skip
