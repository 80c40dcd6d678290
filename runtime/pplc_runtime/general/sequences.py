"""Sequences in scalar code: made, taken apart and put together. A vector is a length and its elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from pplc_runtime.general.types import (
    NOTHING,
    NUMBERS,
    REAL,
    TRUTH,
    WHOLE,
    Structure,
    Tag,
    Type,
    Untyped,
    Vector,
    join,
    word,
)
from pplc_runtime.general.values import Val

if TYPE_CHECKING:
    from pplc_runtime.general.writer import Writer

Operation: TypeAlias = "Callable[[Writer, list[Val]], Val]"


def array_of(type_: Type) -> str:
    """The view of the arena that has the words of a type."""
    return "H" if word(type_) == "float" else "I"


def literal(writer: Writer, items: list[Val], kind: str) -> Val:
    """A vector or list of some values; a vector of different kinds is a structure."""
    element: Type = NOTHING
    try:
        for item in items:
            element = join(element, item.type)
    except Untyped:
        if kind == "list":
            raise
        tag = Tag("tuple", "", tuple(item.type for item in items))
        return Val(Structure(frozenset({tag})), parts=tuple(items))
    if kind != "list":
        kind = "array" if element in NUMBERS or _is_array(element) else "tuple"
    type_ = Vector(element, kind)
    codes = [writer.code(item, element) for item in items]
    place = writer.called(f"new_vector(S, {len(items)})", type_)
    for position, code in enumerate(codes, 1):
        writer.line(f"S.{array_of(element)}[{place.code} + {position}] = {code}")
    return place


def _is_array(type_: Type) -> bool:
    return isinstance(type_, Vector) and type_.kind == "array"


def sequence(writer: Writer, value: Val, what: str) -> tuple[Vector, str]:
    """The type of a sequence, and where it is."""
    if value.type is NOTHING:
        return Vector(NOTHING, "array"), "0"
    if not isinstance(value.type, Vector):
        raise Untyped(f"{what} of a {value.type}", writer.node)
    code = writer.code(value)
    return value.type, code if code.isidentifier() or code.isdigit() else writer.set(code, value.type).code


def _vector(writer: Writer, values: list[Val]) -> Val:
    return literal(writer, values, "tuple")


def _list(writer: Writer, values: list[Val]) -> Val:
    return literal(writer, values, "list")


def _count(writer: Writer, values: list[Val]) -> Val:
    if isinstance(values[0].type, Structure) and values[0].tag.kind == "tuple":
        return writer.constant(len(values[0].tag.detail))
    type_, place = sequence(writer, values[0], "count")
    return writer.set(f"S.I[{place}]", WHOLE) if type_.element is not NOTHING or place != "0" else Val(NOTHING, "0")


def _nth(writer: Writer, values: list[Val]) -> Val:
    value, index = values[0], values[1]
    if isinstance(value.type, Structure) and value.tag.kind == "tuple" and index.is_constant:
        parts = writer.parts_of(value, value.tag)
        if type(index.constant) is int and 0 <= index.constant < len(parts):
            return parts[index.constant]
        if len(values) == 3:
            return values[2]
    type_, place = sequence(writer, value, "nth")
    if type_.element is NOTHING:
        return Val(NOTHING, "0")
    position = writer.whole_number(index, "nth")
    if len(values) == 3:
        inside = f"({position} >= 0 and {position} < S.I[{place}])"
        return _within(writer, inside, lambda: writer.element(place, f"1 + {position}", type_.element), values[2])
    writer.fail_unless(f"{position} >= 0 and {position} < S.I[{place}]", "nth: the index is out of range")
    return writer.element(place, f"1 + {position}", type_.element)


def _within(writer: Writer, test: str, then: Callable[[], Val], other: Val) -> Val:
    return writer.joined([test, ""], [writer.inner(then), writer.inner(lambda: other)])


def _get(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[0], "get")
    if type_.element is NOTHING:
        return Val(NOTHING, "0")
    position = writer.whole_number(values[1], "get")
    other = values[2] if len(values) == 3 else writer.constant(None)
    test = f"{position} >= 0 and {position} < S.I[{place}]"
    return _within(writer, test, lambda: writer.element(place, f"1 + {position}", type_.element), other)


def _item(position: int) -> Operation:
    """The element at a position, from the end if that is negative; nil where there is none."""

    def operation(writer: Writer, values: list[Val]) -> Val:
        if isinstance(values[0].type, Structure) and values[0].tag.kind == "tuple":
            parts = writer.parts_of(values[0], values[0].tag)
            return parts[position] if -len(parts) <= position < len(parts) else writer.constant(None)
        type_, place = sequence(writer, values[0], "first")
        if type_.element is NOTHING:
            return Val(NOTHING, "0")
        index = str(position + 1) if position >= 0 else f"S.I[{place}]"
        test = f"S.I[{place}] > {max(position, 0)}"
        return _within(writer, test, lambda: writer.element(place, index, type_.element), writer.constant(None))

    return operation


def part(writer: Writer, type_: Vector, place: str, start: str, end: str) -> Val:
    """The elements from a position up to another, as a list."""
    return writer.called(f"sliced(S, {place}, {start}, {end})", Vector(type_.element, "list"))


def _rest(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[0], "rest")
    return part(writer, type_, place, "1", f"S.I[{place}]")


def _butlast(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[0], "butlast")
    return part(writer, type_, place, "0", f"S.I[{place}] - 1")


def _take(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[1], "take")
    return part(writer, type_, place, "0", writer.whole_number(values[0], "take"))


def _drop(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[1], "drop")
    return part(writer, type_, place, writer.whole_number(values[0], "drop"), f"S.I[{place}]")


def _reverse(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[0], "reverse")
    return writer.called(f"reversed_vector(S, {place})", Vector(type_.element, "list"))


def _added(writer: Writer, value: Val, item: Val, kind: str, front: bool, what: str) -> Val:
    type_, _ = sequence(writer, value, what)
    element = join(type_.element, item.type)
    if kind != "list":
        kind = "array" if element in NUMBERS else "tuple"
    whole = Vector(element, kind)
    place = writer.code(value, Vector(element, type_.kind))
    code = writer.code(item, element)
    made = writer.called(f"longer(S, {place}, {int(front)})", whole)
    index = "1" if front else f"S.I[{made.code}]"
    writer.line(f"S.{array_of(element)}[{made.code} + {index}] = {code}")
    return made


def _conj(writer: Writer, values: list[Val]) -> Val:
    result = values[0]
    for item in values[1:]:
        type_, _ = sequence(writer, result, "conj")
        result = _added(writer, result, item, type_.kind, type_.kind == "list", "conj")
    return result


def _cons(writer: Writer, values: list[Val]) -> Val:
    return _added(writer, values[1], values[0], "list", True, "cons")


def _concat(writer: Writer, values: list[Val]) -> Val:
    element: Type = NOTHING
    for value in values:
        element = join(element, sequence(writer, value, "concat")[0].element)
    result = literal(writer, [], "list")
    whole = Vector(element, "list")
    for value in values:
        type_, _ = sequence(writer, value, "concat")
        place = writer.code(value, Vector(element, type_.kind))
        result = writer.called(f"concatenated(S, {result.code}, {place})", whole)
    return Val(whole, result.code)


def _vec(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[0], "vec")
    return Val(Vector(type_.element, "array" if type_.element in NUMBERS else "tuple"), place)


def _range(writer: Writer, values: list[Val]) -> Val:
    if any(value.type == REAL for value in values):
        raise Untyped("a range of real numbers", writer.node)
    numbers = [writer.whole_number(value, "range") for value in values]
    start, stop, step = ("0", numbers[0], "1") if len(numbers) == 1 else (*numbers, "1")[:3]
    if len(numbers) == 3:
        writer.fail_unless(f"{step} != 0", "range: a step of zero")
    return writer.called(f"range_vector(S, {start}, {stop}, {step})", Vector(WHOLE, "list"))


def _empty(writer: Writer, values: list[Val]) -> Val:
    _, place = sequence(writer, values[0], "empty?")
    return writer.set(f"int(S.I[{place}] == 0)", TRUTH)


def _sum(writer: Writer, values: list[Val]) -> Val:
    type_, place = sequence(writer, values[0], "sum")
    if type_.element == WHOLE:
        return writer.called(f"sum_of_wholes(S, {place})", WHOLE)
    if type_.element is NOTHING:
        return Val(NOTHING, "0") if not values[0].is_constant else writer.constant(0)
    if type_.element != REAL:
        raise Untyped(f"the sum of a {type_}", writer.node)
    return writer.set(f"sum_of_reals(S, {place})", REAL)


def _repeat(writer: Writer, values: list[Val]) -> Val:
    if len(values) != 2:
        raise Untyped("repeat without an end", writer.node)
    count, item = writer.whole_number(values[0], "repeat"), values[1]
    code = writer.code(item)
    made = writer.called(f"new_vector(S, {count} if {count} > 0 else 0)", Vector(item.type, "list"))
    index = writer.fresh()
    writer.line(f"for {index} in range(S.I[{made.code}]):")
    writer.line(f"    S.{array_of(item.type)}[{made.code} + 1 + {index}] = {code}")
    return made


SEQUENCES: Final[dict[str, Operation]] = {
    "vector": _vector, "list": _list, "count": _count, "nth": _nth, "get": _get, "first": _item(0), "second": _item(1),
    "third": _item(2), "last": _item(-1), "rest": _rest, "butlast": _butlast, "take": _take, "drop": _drop,
    "reverse": _reverse, "conj": _conj, "cons": _cons, "concat": _concat, "append": _concat, "vec": _vec,
    "range": _range, "empty?": _empty, "sum": _sum, "repeat": _repeat,
}  # fmt: skip
