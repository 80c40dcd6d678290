"""What generated code calls of the engine, as scalar code: branches, calls, look-ups, memos, samples and observes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from pplc_runtime.general.families import observed, sampled
from pplc_runtime.general.gaussian import point_of
from pplc_runtime.general.primitives import apply_primitive
from pplc_runtime.general.sequences import literal
from pplc_runtime.general.types import (
    NOTHING,
    REAL,
    SYMBOL,
    TABLE,
    TEXT,
    TRUTH,
    WHOLE,
    Structure,
    Tag,
    Untyped,
    Vector,
    word,
)
from pplc_runtime.general.values import FUNCTION, Val
from pplc_runtime.numerics.keys import number_of
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.program.names import primitive
from pplc_runtime.values import key_of

if TYPE_CHECKING:
    from pplc_runtime.general.program import Whole
    from pplc_runtime.general.writer import Writer

Call: TypeAlias = "Callable[[Whole, Writer, list[ast.expr]], Val]"


def _sample(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    address = writer.address(arguments[0])
    return sampled(whole, writer, address, writer.expr(arguments[1]))


def _observe(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    source, value = writer.expr(arguments[1]), writer.expr(arguments[2])
    observed(whole, writer, writer.address(arguments[0]), source, value)
    return value


def _read(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    name = arguments[0]
    assert isinstance(name, ast.Constant) and isinstance(name.value, str)
    if name.value in whole.plan.inputs:
        return writer.constant(whole.plan.inputs[name.value])
    type_, slot = whole.assumed(name.value, NOTHING)
    array = "P" if word(type_) == "float" else "Q"
    return writer.set(f"S.{array}[S.g + {slot}]", type_) if type_ is not NOTHING else Val(NOTHING, "0")


def _branch(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    test = writer.expr(arguments[0])
    return writer.branch(test, lambda: writer.thunk(arguments[1]), lambda: writer.thunk(arguments[2]))


def _choose(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    test = writer.expr(arguments[0])
    return writer.branch(test, lambda: writer.expr(arguments[1]), lambda: writer.expr(arguments[2]))


def _agreed(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    return writer.expr(arguments[0])


def _call(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    address = writer.address(arguments[0])
    operator, *values = [writer.expr(argument) for argument in arguments[1:]]
    return apply(whole, writer, address, operator, values)


def apply(whole: Whole, writer: Writer, address: str, operator: Val, values: list[Val]) -> Val:
    """A call of whatever an operator is."""
    if operator.type is NOTHING:
        return Val(NOTHING, "0")
    if operator.is_constant and isinstance(operator.constant, Primitive):
        own = operator.constant
        if len(values) < own.least or (own.most is not None and len(values) > own.most):
            raise Untyped(f"'{own.name}' with {len(values)} arguments", writer.node)
        return apply_primitive(whole, writer, own.name, address, values)
    if isinstance(operator.type, Vector) and len(values) == 1:
        return apply_primitive(whole, writer, "nth", address, [operator, *values])
    if not isinstance(operator.type, Structure):
        raise Untyped(f"a call of a {operator.type}", writer.node)

    def by_tag(tag: Tag, parts: list[Val]) -> Val:
        if tag.kind == "proc":
            return whole.applied(
                writer, tag.name, address, [*_with_rest(whole, writer, tag, values, len(parts)), *parts]
            )
        if tag.kind == "memo":
            given = _with_rest(whole, writer, tag, values, len(parts) - 2)
            if given is not values:
                raise Untyped("a memoised procedure of any number of arguments", writer.node)
            whole.keys[tag.name] = len(values)
            memo = writer.code(parts[0])
            key = memo if whole.is_near(tag.name) else entry(writer, memo, values)
            return whole.applied(writer, tag.name, key, [*values, *parts[2:]], writer.code(parts[1]))
        if tag == FUNCTION:
            return point_of(writer, parts, values)
        raise Untyped(f"a call of a {tag}", writer.node)

    return writer.by_tag(operator, by_tag)


def _with_rest(whole: Whole, writer: Writer, tag: Tag, values: list[Val], captured: int) -> list[Val]:
    """The arguments as a function takes them: what is beyond the parameters of a variadic one comes in a list."""
    wanted = len(whole.parameters_of(tag.name)) - captured
    if tag.name in whole.variadic:
        if len(values) < wanted - 1:
            raise Untyped(f"'{tag.name}' is given {len(values)} arguments", writer.node)
        return [*values[: wanted - 1], literal(writer, values[wanted - 1 :], "list")]
    if len(values) != wanted:
        raise Untyped(f"'{tag.name}' is given {len(values)} arguments", writer.node)
    return values


def entry(writer: Writer, memo: str, values: list[Val]) -> str:
    """The address of the entry of a memo for some arguments, as `numerics/keys` has it."""
    keys = [_key(writer, value) for value in values]
    if len(keys) == 1:
        return writer.set(f"mixed({memo}, {keys[0]})", WHOLE).code
    several = str(number_of(("arguments",)))
    for key in keys:
        several = f"mixed({several}, {key})"
    return writer.set(f"mixed({memo}, {several})", WHOLE).code


def _key(writer: Writer, value: Val) -> str:
    if value.type == WHOLE:
        return writer.code(value)
    if value.type == TABLE:
        return f"key_of_table(S, {writer.code(value)})"
    if value.type == NOTHING:
        return str(number_of(None))
    if value.type == REAL:
        return f"key_of_real(S, {writer.code(value)})"
    if value.type == TRUTH:
        yes, no = (number_of(key_of(truth)) for truth in (True, False))
        return f"({yes} if {writer.code(value)} != 0 else {no})"
    if value.type in (TEXT, SYMBOL):
        return f"S.I[S.texts + {writer.code(value)}]"
    raise Untyped(f"a memoised call with a {value.type}", writer.node)


def _mem(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    address, procedure = writer.address(arguments[0]), writer.expr(arguments[1])
    if not isinstance(procedure.type, Structure) or len(procedure.type.tags) != 1 or procedure.tag.kind != "proc":
        raise Untyped(f"mem of a {procedure.type}", writer.node)
    tag = Tag("memo", procedure.tag.name)
    where = writer.set(address, WHOLE)
    nowhere = Val(WHOLE, "(-1)")
    return Val(Structure(frozenset({tag})), parts=(where, nowhere, *writer.parts_of(procedure, procedure.tag)))


def _procedure(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    function, _, _, variadic, *rest = arguments
    assert isinstance(function, ast.Name) and isinstance(variadic, ast.Constant)
    if variadic.value:
        whole.variadic.add(function.id)
    parts = rest[0].elts if rest and isinstance(rest[0], ast.Tuple) else []
    tag = Tag("proc", function.id)
    return Val(Structure(frozenset({tag})), parts=tuple(writer.expr(part) for part in parts))


def _primitive(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    assert isinstance(arguments[0], ast.Constant) and isinstance(arguments[0].value, str)
    return writer.constant(primitive(arguments[0].value))


def _list(whole: Whole, writer: Writer, arguments: list[ast.expr]) -> Val:
    assert isinstance(arguments[0], ast.Tuple)
    return literal(writer, [writer.expr(item) for item in arguments[0].elts], "list")


CALLS: Final[dict[str, Call]] = {
    "sample": _sample, "observe": _observe, "read": _read, "branch": _branch, "choose": _choose, "agreed": _agreed,
    "call": _call, "mem": _mem, "mem_by_lane": _mem, "Procedure": _procedure, "primitive": _primitive, "List": _list,
}  # fmt: skip
