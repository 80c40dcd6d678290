"""Equality in scalar code: a test of two values of known types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pplc_runtime.general.types import (
    NIL,
    NOTHING,
    NUMBERS,
    REAL,
    SYMBOL,
    TABLE,
    TEXT,
    TRUTH,
    WHOLE,
    Maybe,
    Untyped,
    Vector,
    join,
)
from pplc_runtime.general.values import Val

if TYPE_CHECKING:
    from pplc_runtime.general.writer import Writer


def equality(writer: Writer, a: Val, b: Val) -> str:
    """Whether two values are equal, as a test."""
    for value, other in ((a, b), (b, a)):
        if isinstance(value.type, Maybe):
            present = equality(
                writer, Val(value.type.of, value.code), Val(NOTHING, "0") if other.type == NIL else other
            )
            nil = writer.is_nil(value)
            if other.type == NIL:
                return f"({nil})"
            if isinstance(other.type, Maybe):
                inner = equality(writer, Val(value.type.of, value.code), Val(other.type.of, other.code))
                none = writer.is_nil(other)
                return f"(({nil}) and ({none}) or not ({nil}) and not ({none}) and {inner})"
            return f"(not ({nil}) and {present})"
    if NOTHING in (a.type, b.type):
        return "(0 != 0)"
    if a.type in NUMBERS and b.type in NUMBERS:
        type_ = join(a.type, b.type)
        return f"({writer.code(a, type_)} == {writer.code(b, type_)})"
    if a.type == b.type and a.type in (TRUTH, TEXT, SYMBOL, TABLE):
        return f"({writer.code(a)} == {writer.code(b)})"
    if isinstance(a.type, Vector) and isinstance(b.type, Vector):
        first, second = a.type.element, b.type.element
        if first in NUMBERS and second in NUMBERS and first != second:
            wanted = Vector(REAL, "array")
            return f"(equal_reals(S, {writer.code(a, wanted)}, {writer.code(b, wanted)}) != 0)"
        flat = (WHOLE, REAL, TRUTH, TEXT, SYMBOL, NOTHING)
        if first in flat and second in flat and (first == second or NOTHING in (first, second)):
            name = "equal_reals" if REAL in (first, second) else "equal_wholes"
            return f"({name}(S, {writer.code(a)}, {writer.code(b)}) != 0)"
        raise Untyped(f"'=' of a {a.type} and a {b.type}", writer.node)
    scalars = (*NUMBERS, TRUTH, TEXT, SYMBOL, NIL)
    if a.type in scalars and b.type in scalars:
        return "(0 == 0)" if a.type == b.type == NIL else "(0 != 0)"
    raise Untyped(f"'=' of a {a.type} and a {b.type}", writer.node)
