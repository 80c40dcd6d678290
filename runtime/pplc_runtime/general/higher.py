"""Procedures that take procedures, in scalar code: loops that call what they are given at addresses of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from pplc_runtime.general.sequences import array_of, sequence
from pplc_runtime.general.types import NOTHING, NUMBERS, TRUTH, WHOLE, Type, Untyped, Vector
from pplc_runtime.general.values import Val

if TYPE_CHECKING:
    from pplc_runtime.general.program import Whole
    from pplc_runtime.general.writer import Writer

Operation: TypeAlias = "Callable[[Whole, Writer, str, list[Val]], Val]"


def held(writer: Writer, value: Val) -> Val:
    """A procedure that is called again and again, made once."""
    return writer.made(value) if value.parts is not None else value


def _loop(writer: Writer, count: str, body: Callable[[str], Val]) -> tuple[str, list[str], Val]:
    """A counter, the lines of a loop's body and what it comes to in each turn."""
    index = writer.fresh()
    lines, value = writer.inner(lambda: body(index))
    return index, lines, value


def _filled(writer: Writer, count: str, kind: str, body: Callable[[str], Val]) -> Val:
    """A sequence of what each turn of a loop comes to."""
    made = writer.called(f"new_vector(S, {count})", NOTHING).code
    index, lines, value = _loop(writer, count, body)
    more, code = writer.inner(lambda: writer.code(value))
    writer.line(f"for {index} in range({count}):")
    writer.lines += [*lines, *more]
    writer.line(f"    S.{array_of(value.type)}[{made} + 1 + {index}] = {code}")
    if kind != "list":
        kind = "array" if value.type in NUMBERS else "tuple"
    return Val(Vector(value.type, kind), made)


def _map(kind: str) -> Operation:
    def operation(whole: Whole, writer: Writer, address: str, values: list[Val]) -> Val:
        procedure, at = held(writer, values[0]), writer.set(address, WHOLE).code
        found = [sequence(writer, value, "map") for value in values[1:]]
        if any(type_.element is NOTHING and place == "0" for type_, place in found):
            return Val(NOTHING, "0")
        count = writer.set(f"S.I[{found[0][1]}]", WHOLE).code
        for _, place in found[1:]:
            count = writer.set(f"{count} if {count} < S.I[{place}] else S.I[{place}]", WHOLE).code

        def body(index: str) -> Val:
            items = [writer.element(place, f"1 + {index}", type_.element) for type_, place in found]
            return whole.apply(writer, f"mixed({at}, {index})", procedure, items)

        return _filled(writer, count, kind, body)

    return operation


def _repeatedly(whole: Whole, writer: Writer, address: str, values: list[Val]) -> Val:
    if len(values) != 2:
        raise Untyped("repeatedly without an end", writer.node)
    count = writer.set(writer.whole_number(values[0], "repeatedly"), WHOLE).code
    count = writer.set(f"{count} if {count} > 0 else 0", WHOLE).code
    procedure, at = held(writer, values[1]), writer.set(address, WHOLE).code
    return _filled(writer, count, "list", lambda index: whole.apply(writer, f"mixed({at}, {index})", procedure, []))


def _chosen(wanted: bool) -> Operation:
    def operation(whole: Whole, writer: Writer, address: str, values: list[Val]) -> Val:
        procedure, at = held(writer, values[0]), writer.set(address, WHOLE).code
        type_, place = sequence(writer, values[1], "filter")
        made = writer.called(f"new_vector(S, S.I[{place}])", Vector(type_.element, "list"))
        kept = writer.set("0", WHOLE).code

        def body(index: str) -> Val:
            item = writer.element(place, f"1 + {index}", type_.element)
            truth = writer.truth(whole.apply(writer, f"mixed({at}, {index})", procedure, [item]))
            test = truth if isinstance(truth, str) else "True" if truth else "False"
            writer.line(f"if {test}:" if wanted else f"if not ({test}):")
            writer.line(f"    {kept} = {kept} + 1")
            writer.line(f"    S.{array_of(type_.element)}[{made.code} + {kept}] = {item.code}")
            return item

        index, lines, _ = _loop(writer, "", body)
        writer.line(f"for {index} in range(S.I[{place}]):")
        writer.lines += lines
        writer.line(f"S.I[{made.code}] = {kept}")
        return made

    return operation


def _reduce(whole: Whole, writer: Writer, address: str, values: list[Val]) -> Val:
    """(reduce f start xs); without a start there must be an element."""
    procedure, at = held(writer, values[0]), writer.set(address, WHOLE).code
    type_, place = sequence(writer, values[-1], "reduce")
    if type_.element is NOTHING:
        return values[1] if len(values) == 3 else Val(NOTHING, "0")
    if len(values) == 3:
        start, skipped = values[1], 0
    else:
        writer.fail_unless(f"S.I[{place}] > 0", "reduce: there is no element")
        start, skipped = writer.element(place, "1", type_.element), 1
    node = writer.node
    key = f"reduce {writer.name} {getattr(node, 'lineno', 0)} {getattr(node, 'col_offset', 0)} {writer.indent}"
    result: Type = whole.returned(key, start.type)
    total = writer.set(writer.code(start, result), result)

    def body(index: str) -> Val:
        item = writer.element(place, f"{1 + skipped} + {index}", type_.element)
        found = whole.apply(writer, f"mixed({at}, {index})", procedure, [total, item])
        code = writer.code(found, whole.returned(key, found.type))
        writer.line(f"{total.code} = {code}")
        return found

    index, lines, _ = _loop(writer, "", body)
    writer.line(f"for {index} in range(S.I[{place}] - {skipped}):")
    writer.lines += lines
    return total


def _every(whole: Whole, writer: Writer, address: str, values: list[Val]) -> Val:
    """(every? f xs): calls stop where the answer is known."""
    procedure, at = held(writer, values[0]), writer.set(address, WHOLE).code
    type_, place = sequence(writer, values[1], "every?")
    answer = writer.set("1", WHOLE).code

    def body(index: str) -> Val:
        item = writer.element(place, f"1 + {index}", type_.element)
        found = whole.apply(writer, f"mixed({at}, {index})", procedure, [item])
        truth = writer.truth(found)
        test = truth if isinstance(truth, str) else "True" if truth else "False"
        writer.line(f"if not ({test}):")
        writer.line(f"    {answer} = 0")
        writer.line("    break")
        return found

    index, lines, _ = _loop(writer, "", body)
    writer.line(f"for {index} in range(S.I[{place}]):")
    writer.lines += lines
    return Val(TRUTH, answer)


def _apply_to(whole: Whole, writer: Writer, address: str, values: list[Val]) -> Val:
    """(apply f a ... xs) where the number of elements is known: a constant, or a list that was just made."""
    last = values[-1]
    if last.is_constant and isinstance(last.type, Vector):
        items = [writer.constant(item) for item in last.constant]
        return whole.apply(writer, f"mixed({address}, 0)", values[0], [*values[1:-1], *items])
    raise Untyped("apply", writer.node)


HIGHER: Final[dict[str, Operation]] = {
    "map": _map("list"), "mapv": _map("tuple"), "filter": _chosen(True), "remove": _chosen(False), "reduce": _reduce,
    "repeatedly": _repeatedly, "every?": _every, "apply": _apply_to,
}  # fmt: skip
