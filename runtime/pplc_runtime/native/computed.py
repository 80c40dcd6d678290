"""The scalar code of operations: formulas, and those that have a code of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from pplc_runtime.native.roots import ROOT, take_root
from pplc_runtime.native.values import Elements, Unsupported, size_of
from pplc_runtime.program.stochastic import CensoredDist, Dist
from pplc_runtime.specialise.ir import Operand, Struct, Var

if TYPE_CHECKING:
    from pplc_runtime.native.scalar import Scalar


def _vector(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    values = [code.value(argument) for argument in arguments]
    if not all(value.items for value in values):
        raise Unsupported("a large vector")
    code.define(result, [item for value in values for item in value.items])


def _nth(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    given, place = arguments[:2]
    if len(arguments) != 2 and type(place) is not int:
        raise Unsupported("an element or something else")
    is_table = type(given) is np.ndarray and given.dtype.kind in "fi" and type(place) is not int
    table = np.ascontiguousarray(given, float) if is_table else None
    sequence = code.value(given) if table is None else code.table(table)
    width = size_of(result)
    if type(place) is int:
        if not 0 <= place < sequence.shape[0]:
            raise Unsupported("an element that is not there")
        code.define(result, [code.element(sequence, place * width + k) for k in range(width)])
        return
    number, index = code.number(place), code.name()
    inside = f"{number} >= 0.0 and {number} < {float(sequence.shape[0])}"
    code.line(f"{index} = 0")
    code.line(f"if {inside}: {index} = int({number})")
    code.line(f"if not ({inside}): {code.fail('an index is outside of its sequence')}")
    if table is not None:
        code.looked_up[result] = table, index
    array = code.array(sequence)
    code.define(result, [f"{array[:-2]} + {index} * {width} + {k}]" for k in range(width)])


def _select(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    test = code.number(arguments[0])
    then, other = (code.value(argument) for argument in arguments[1:])
    if not then.items or not other.items:
        raise Unsupported("a choice of large values")
    code.define(result, [f"({a} if {test} != 0.0 else {b})" for a, b in zip(then.items, other.items, strict=True)])


def _mmul(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    if len(arguments) != 2:
        raise Unsupported("a product of several")
    a, b = (code.value(argument) for argument in arguments)
    if len(a.shape) == 2 and len(b.shape) == 1 and b.items and not a.items:
        _rows_times(code, result, a, b)
        return
    if not a.items or not b.items:
        raise Unsupported("a product of large matrices")
    rows, inner = a.shape if len(a.shape) == 2 else (1, a.shape[0])
    columns = b.shape[1] if len(b.shape) == 2 else 1
    code.define(result, [
        " + ".join(f"{a.items[i * inner + k]} * {b.items[k * columns + j]}" for k in range(inner))
        for i in range(rows) for j in range(columns)
    ])  # fmt: skip


def _rows_times(code: Scalar, result: Var, matrix: Elements, vector: Elements) -> None:
    """A large matrix times a vector, row by row."""
    rows, inner = matrix.shape
    room, row = code.room(rows), code.name()
    code.line(f"for {row} in range({rows}):")
    terms = [f"{matrix.array[:-2]} + {row} * {inner} + {k}] * {vector.items[k]}" for k in range(inner)]
    code.line(f"    {room[:-2]} + {row}] = {' + '.join(terms)}")
    named = [(k, item) for k, item in enumerate(vector.items) if item.isidentifier()]
    place = f"{matrix.array[:-2]} + {row} * {inner}"
    is_plain = matrix.array.startswith("KA")
    code.back([] if not is_plain else [
        f"for {row} in range({rows}):",
        *(f"    d_{item} += D{room[:-2]} + {row}] * {place} + {k}]" for k, item in named),
    ])  # fmt: skip
    value = Elements(result.shape, array=room)
    code.values[result] = value
    code.keep(result, value)


def _sum(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    value = code.value(arguments[0])
    if not value.items or len(value.shape) != 1:
        raise Unsupported("a large sum")
    code.define(result, [" + ".join(value.items)])


def _dot(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    a, b = (code.value(argument) for argument in arguments)
    if not a.items or not b.items or len(a.shape) != 1:
        raise Unsupported("a large product")
    code.define(result, [" + ".join(f"{x} * {y}" for x, y in zip(a.items, b.items, strict=True))])


def _boolean(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    if type(arguments[0]) is not Var or arguments[0].dtype.kind != "b":
        raise Unsupported("the truth of what is no truth")
    code.define(result, [code.number(arguments[0])])


def _logpdf(code: Scalar, result: Var, arguments: tuple[Operand, ...]) -> None:
    """The log density that a distribution gives a number."""
    source, value = arguments
    of, parts = (source.like, source.children) if type(source) is Struct else (source, getattr(source, "parts", ()))
    if not isinstance(of, Dist | CensoredDist) or of.family.value_kind not in ("number", "integer"):
        raise Unsupported("the log density of what is no number, or of a distribution that is made otherwise")
    if code.value(value).shape or type(value) is bool or (type(value) is Var and value.dtype.kind == "b"):
        raise Unsupported("the log density of what is no number")
    code.define(result, [code.density(of.family, parts, value)])


SPECIAL: Final[dict[str, Callable[[Scalar, Var, tuple[Operand, ...]], None]]] = {
    "vector": _vector, "nth": _nth, "get": _nth, "element": _nth, "select": _select, "mmul": _mmul, "sum": _sum,
    "dot": _dot, "boolean": _boolean, "logpdf": _logpdf, ROOT: take_root,
}  # fmt: skip
NORMAL_CDF: Final = "(0.5 * erfc(-0.7071067811865476 * {0}))"
FORMULAS: Final[dict[tuple[str, int], str]] = {
    ("+", 1): "{0}", ("+", 2): "({0} + {1})", ("-", 1): "(-{0})", ("-", 2): "({0} - {1})", ("*", 1): "{0}",
    ("*", 2): "({0} * {1})", ("/", 1): "(1.0 / {0})", ("/", 2): "({0} / {1})", ("ratio", 2): "({0} / {1})",
    ("square", 1): "({0} * {0})", ("inc", 1): "({0} + 1.0)", ("dec", 1): "({0} - 1.0)", ("abs", 1): "fabs({0})",
    ("sigmoid", 1): "(1.0 / (1.0 + exp(-{0})))", ("min", 2): "({0} if {0} < {1} or {0} != {0} else {1})",
    ("max", 2): "({0} if {0} > {1} or {0} != {0} else {1})", ("not", 1): "float({0} == 0.0)",
    **{(name, 2): f"float({{0}} {name} {{1}})" for name in ("<", ">", "<=", ">=")},
    ("pos?", 1): "float({0} > 0.0)", ("neg?", 1): "float({0} < 0.0)", ("zero?", 1): "float({0} == 0.0)",
    ("floor", 1): "floor({0})", ("ceil", 1): "ceil({0})",
    ("=", 2): "float({0} == {1})", ("not=", 2): "float({0} != {1})",
    **{(name, 1): f"{name}({{0}})" for name in (
        "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "erf", "erfc", "lgamma")},
    **{(name, 1): NORMAL_CDF for name in ("normal-cdf", "Phi")},
}  # fmt: skip
