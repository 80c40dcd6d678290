"""Primitives in scalar code: arithmetic, comparison and truth; those of sequences and procedures are beside it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from pplc_runtime.general.equality import equality
from pplc_runtime.general.families import FAMILIES, constructed
from pplc_runtime.general.higher import HIGHER
from pplc_runtime.general.sequences import SEQUENCES
from pplc_runtime.general.types import (
    NIL,
    NOTHING,
    NUMBERS,
    REAL,
    TRUTH,
    WHOLE,
    Maybe,
    Untyped,
    join,
)
from pplc_runtime.general.values import Val
from pplc_runtime.native.computed import NORMAL_CDF
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.program import names

if TYPE_CHECKING:
    from pplc_runtime.general.program import Whole
    from pplc_runtime.general.writer import Writer

Operation: TypeAlias = "Callable[[Writer, list[Val]], Val]"

NAMES: Final[dict[str, Primitive]] = {
    names.python_name(name, count): names.primitive(name) for name in names.SIGNATURES for count in (1, 2)
}
"""The primitives by their names in generated code."""


def apply_primitive(whole: Whole, writer: Writer, name: str, address: str, values: list[Val]) -> Val:
    """A call of a primitive."""
    family = name.removesuffix("-dist")
    if family in FAMILIES:
        return constructed(whole, writer, family, address, values)
    if name in HIGHER:
        return HIGHER[name](whole, writer, address, values)
    operation = OPERATIONS.get(name) or SEQUENCES.get(name)
    if operation is None:
        raise Untyped(f"'{name}'", writer.node)
    if name in OPERATIONS and name not in OF_ANYTHING:
        values = [writer.present(value, name) for value in values]
    return operation(writer, values)


# Numbers


def _are_numbers(writer: Writer, values: list[Val], name: str) -> bool:
    """Whether all are known to be numbers; an error if one is something else."""
    for value in values:
        if value.type not in (*NUMBERS, NOTHING):
            raise Untyped(f"'{name}' of a {value.type}", writer.node)
    return all(value.type is not NOTHING for value in values)


def _binary(name: str, real: str, whole: str) -> Operation:
    """An operation on two numbers or more; on whole ones with a care for their size."""

    def operation(writer: Writer, values: list[Val]) -> Val:
        result = values[0]
        for value in values[1:]:
            if not _are_numbers(writer, [result, value], name):
                result = Val(NOTHING, "0")
            elif join(result.type, value.type) == WHOLE:
                result = writer.called(whole.format(writer.code(result), writer.code(value)), WHOLE)
            else:
                result = writer.set(real.format(writer.code(result, REAL), writer.code(value, REAL)), REAL)
        return result

    return operation


_add: Final = _binary("+", "{0} + {1}", "sized(S, {0} + {1})")
_sub: Final = _binary("-", "{0} - {1}", "sized(S, {0} - {1})")
_mul: Final = _binary("*", "{0} * {1}", "product(S, {0}, {1})")


def _minus(writer: Writer, values: list[Val]) -> Val:
    return _sub(writer, values if len(values) > 1 else [writer.constant(0), *values])


def _over(writer: Writer, values: list[Val]) -> Val:
    result, *rest = values if len(values) > 1 else [writer.constant(1), *values]
    for value in rest:
        if not _are_numbers(writer, [result, value], "/"):
            return Val(NOTHING, "0")
        divisor = writer.code(value, REAL)
        if not (value.is_constant and value.constant != 0):
            writer.fail_unless(f"{divisor} != 0.0", "division by zero")
        result = writer.set(f"{writer.code(result, REAL)} / {divisor}", REAL)
    return result


def _extreme(sign: str) -> Operation:
    def operation(writer: Writer, values: list[Val]) -> Val:
        result = values[0]
        for value in values[1:]:
            if not _are_numbers(writer, [result, value], "min or max"):
                result = Val(NOTHING, "0")
                continue
            type_ = join(result.type, value.type)
            a, b = writer.code(result, type_), writer.code(value, type_)
            result = writer.set(f"{a} if {a} {sign} {b} or {a} != {a} else {b}", type_)
        return result

    return operation


def _real_function(form: str) -> Operation:
    def operation(writer: Writer, values: list[Val]) -> Val:
        if not _are_numbers(writer, values, form.split("(")[0]):
            return Val(NOTHING, "0")
        return writer.set(form.format(*(writer.code(value, REAL) for value in values)), REAL)

    return operation


def _keeping(real: str, whole: str) -> Operation:
    """A function of one number that gives a whole one for a whole one."""

    def operation(writer: Writer, values: list[Val]) -> Val:
        if not _are_numbers(writer, values, "a function"):
            return Val(NOTHING, "0")
        form, type_ = (whole, WHOLE) if values[0].type == WHOLE else (real, REAL)
        return writer.called(form.format(writer.code(values[0])), type_)

    return operation


def _rounding(form: str) -> Operation:
    def operation(writer: Writer, values: list[Val]) -> Val:
        if not _are_numbers(writer, values, "floor, ceil or round") or values[0].type == WHOLE:
            return values[0]
        code = writer.code(values[0])
        writer.fail_unless(f"fabs({code}) <= 9007199254740992.0", "a number is too large to be rounded by machine code")
        return writer.set(f"int({form.format(code)})", WHOLE)

    return operation


def _division(form: str, name: str) -> Operation:
    def operation(writer: Writer, values: list[Val]) -> Val:
        if not _are_numbers(writer, values, name):
            return Val(NOTHING, "0")
        if REAL in (values[0].type, values[1].type):
            raise Untyped(f"'{name}' of real numbers", writer.node)
        a, b = (writer.code(value) for value in values)
        writer.fail_unless(f"{b} != 0", "division by zero")
        return writer.set(form.format(a, b), WHOLE)

    return operation


def _pow(writer: Writer, values: list[Val]) -> Val:
    if not _are_numbers(writer, values, "pow"):
        return Val(NOTHING, "0")
    if values[0].type == values[1].type == WHOLE:
        raise Untyped("a power of whole numbers", writer.node)
    return writer.set(f"pow({writer.code(values[0], REAL)}, {writer.code(values[1], REAL)})", REAL)


# Comparison and truth


def _order(sign: str) -> Operation:
    def operation(writer: Writer, values: list[Val]) -> Val:
        if not _are_numbers(writer, values, sign):
            return Val(TRUTH, "0")
        type_ = WHOLE if all(value.type == WHOLE for value in values) else REAL
        codes = [writer.code(value, type_) for value in values]
        tests = " and ".join(f"{a} {sign} {b}" for a, b in pairwise(codes)) or "True"
        return writer.set(f"int({tests})", TRUTH)

    return operation


def _equals(writer: Writer, values: list[Val]) -> Val:
    tests = " and ".join(equality(writer, a, b) for a, b in pairwise(values)) or "True"
    return writer.set(f"int({tests})", TRUTH)


def _unequal(writer: Writer, values: list[Val]) -> Val:
    found = _equals(writer, values)
    return writer.set(f"1 - {found.code}", TRUTH)


def _not(writer: Writer, values: list[Val]) -> Val:
    truth = writer.truth(values[0])
    return writer.constant(not truth) if isinstance(truth, bool) else writer.set(f"int(not ({truth}))", TRUTH)


def _boolean(writer: Writer, values: list[Val]) -> Val:
    truth = writer.truth(values[0])
    return writer.constant(truth) if isinstance(truth, bool) else writer.set(f"int({truth})", TRUTH)


def _is_nil(writer: Writer, values: list[Val]) -> Val:
    if isinstance(values[0].type, Maybe):
        return writer.set(f"int({writer.is_nil(values[0])})", TRUTH)
    return writer.constant(values[0].type == NIL) if values[0].type is not NOTHING else Val(TRUTH, "0")


def _is_some(writer: Writer, values: list[Val]) -> Val:
    return _not(writer, [_is_nil(writer, values)])


def _sign(sign: str) -> Operation:
    def operation(writer: Writer, values: list[Val]) -> Val:
        return _order(sign)(writer, [values[0], writer.constant(0)])

    return operation


def _parity(odd: int) -> Operation:
    def operation(writer: Writer, values: list[Val]) -> Val:
        return writer.set(f"int(({writer.whole_number(values[0], 'even? or odd?')} & 1) == {odd})", TRUTH)

    return operation


def _one(value: int) -> Operation:
    """What comes of a call without arguments, else the operation itself."""
    operation = _add if value == 0 else _mul

    def work(writer: Writer, values: list[Val]) -> Val:
        return operation(writer, values) if values else writer.constant(value)

    return work


def _is_zero(writer: Writer, values: list[Val]) -> Val:
    return _equals(writer, [values[0], writer.constant(0)])


def _identity(writer: Writer, values: list[Val]) -> Val:
    return values[0]


OF_ANYTHING: Final = frozenset({
    "=", "not=", "not", "boolean", "nil?", "missing?", "some?", "zero?", "identity",
})  # fmt: skip
"""Operations that take nil as they take other values; of the others nil is an error."""
OPERATIONS: Final[dict[str, Operation]] = {
    "+": _one(0), "add": _one(0), "-": _minus, "sub": _minus, "*": _one(1), "mul": _one(1), "/": _over, "div": _over,
    "min": _extreme("<"), "max": _extreme(">"), "abs": _keeping("fabs({0})", "({0} if {0} >= 0 else -{0})"),
    "square": _keeping("{0} * {0}", "product(S, {0}, {0})"), "inc": _keeping("{0} + 1.0", "sized(S, {0} + 1)"),
    "dec": _keeping("{0} - 1.0", "sized(S, {0} - 1)"), "floor": _rounding("floor({0})"), "ceil": _rounding("ceil({0})"),
    "round": _rounding("floor({0}) + float({0} - floor({0}) >= 0.5)"),
    "sigmoid": _real_function("1.0 / (1.0 + exp(-{0}))"),
    **{name: _real_function(f"{name}({{0}})") for name in (
        "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "erf", "erfc", "lgamma")},
    **{name: _real_function(NORMAL_CDF) for name in ("normal-cdf", "Phi")},
    "mod": _division("modulus({0}, {1})", "mod"), "quot": _division("whole_quotient({0}, {1})", "quot"),
    "rem": _division("{0} - {1} * whole_quotient({0}, {1})", "rem"), "pow": _pow, "expt": _pow,
    **{name: _order(name) for name in ("<", ">", "<=", ">=")}, "=": _equals, "not=": _unequal, "not": _not,
    "boolean": _boolean, "nil?": _is_nil, "missing?": _is_nil, "some?": _is_some,
    "pos?": _sign(">"), "neg?": _sign("<"),
    "zero?": _is_zero, "even?": _parity(0), "odd?": _parity(1), "identity": _identity,
}  # fmt: skip
