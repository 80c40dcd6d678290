"""Operations on values that have not been drawn, as far as these stay affine functions of them: a table by name.

Each rule takes the operation and what its arguments are, and gives what its result is; None where it is no affine
function, so that the values have to be drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from pplc_runtime.specialise.conjugates import Scaled
from pplc_runtime.specialise.gaussians import Affine
from pplc_runtime.specialise.ir import Compute
from pplc_runtime.specialise.performed import Slot
from pplc_runtime.specialise.writer import Writer


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector some of whose elements have not been drawn."""

    items: list[Any]


Rule = Callable[[Writer, Compute, list[Any]], Any]


def _added(w: Writer, one: Any, other: Any, sign: str) -> Any:
    """Two numbers, added or subtracted."""
    a = one if isinstance(one, Affine) else Affine(one, {})
    b = other if isinstance(other, Affine) else Affine(other, {})
    terms = dict(a.terms)
    for i, coefficient in b.terms.items():
        terms[i] = w.op(sign, terms.get(i, 0.0), coefficient)
    found = w.op(sign, a.constant, b.constant)
    terms = {i: a for i, a in terms.items() if not (type(a) is float and a == 0.0)}
    return Affine(found, terms) if terms else found


def _scaled(w: Writer, one: Any, factor: Any, name: str = "*") -> Any:
    """A number times another, or divided by it."""
    if not isinstance(one, Affine):
        return w.op(name, one, factor)
    terms = {i: w.op(name, a, factor) for i, a in one.terms.items()}
    return Affine(w.op(name, one.constant, factor), terms)


def _by_element(w: Writer, operation: Compute, symbols: list[Any], rule: Callable[[Any, Any], Any]) -> Any:
    """A rule for two numbers, for vectors element by element."""
    if len(operation.result.shape) > 1:
        return None
    if not operation.result.shape:
        return rule(*symbols)
    rows = [_items(w, symbol, argument, operation) for symbol, argument in zip(symbols, operation.arguments)]
    if any(row is None for row in rows):
        return None
    return Vector([rule(a, b) for a, b in zip(*rows)])


def _items(w: Writer, symbol: Any, argument: Any, operation: Compute) -> list[Any] | None:
    """The elements of a vector; of a number, as many times as it is added or multiplied."""
    size = operation.result.shape[0]
    if type(symbol) is Vector:
        return symbol.items
    if type(argument) in (int, float):
        return [symbol] * size
    match getattr(argument, "shape", None):
        case ():
            return [symbol] * size
        case (count,) if count == size:
            return [w.element(symbol, k) for k in range(size)]
    return None


def add(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    if len(symbols) != 2 or any(type(each) is Scaled for each in symbols):
        return None
    return _by_element(w, operation, symbols, lambda a, b: _added(w, a, b, operation.name))


def subtract(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    if len(symbols) == 1:
        return _added(w, 0.0, symbols[0], "-") if isinstance(symbols[0], Affine) else None
    return add(w, operation, symbols)


def multiply(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    if len(symbols) != 2:
        return None
    for one, other in (symbols, symbols[::-1]):
        if type(one) is Scaled and one.of.family == "gamma" and type(other) in (float, int) and other > 0:
            return Scaled(one.of, w.op("*", one.factor, other))
    moving = [isinstance(each, Affine | Vector) for each in symbols]
    if all(moving) or any(type(each) is Scaled for each in symbols):
        return None
    if moving[1]:
        operation = Compute(operation.result, operation.name, operation.arguments[::-1])
        symbols = symbols[::-1]
    return _by_element(w, operation, symbols, lambda a, b: _scaled(w, a, b))


def divide(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    if len(symbols) != 2 or any(type(each) is Scaled for each in symbols) or isinstance(symbols[1], Affine | Vector):
        return None
    return _by_element(w, operation, symbols, lambda a, b: _scaled(w, a, b, "/"))


def vector(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    if len(operation.result.shape) != 1 or any(type(each) is Scaled for each in symbols):
        return None
    return Vector(symbols)


def nth(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    value, index = symbols[:2]
    if type(value) is Vector and type(index) is int and 0 <= index < len(value.items):
        return value.items[index]
    return None


def first(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    return symbols[0].items[0] if type(symbols[0]) is Vector else None


def second(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    return symbols[0].items[1] if type(symbols[0]) is Vector and len(symbols[0].items) > 1 else None


def product(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    """A matrix times a vector."""
    if len(symbols) != 2 or type(symbols[1]) is not Vector or isinstance(symbols[0], Vector | Affine | Scaled):
        return None
    matrix, items = symbols[0], symbols[1].items
    shape: Any = getattr(operation.arguments[0], "shape", ())
    if len(shape) != 2 or not isinstance(matrix, Slot | np.ndarray):
        return None
    return Vector([_dot(w, [w.element(matrix, a, b) for b in range(shape[1])], items) for a in range(shape[0])])


def dot(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    moving = [type(each) is Vector for each in symbols]
    if len(symbols) != 2 or sum(moving) != 1 or operation.result.shape:
        return None
    numbers, items = symbols[moving.index(False)], symbols[moving.index(True)].items
    if not isinstance(numbers, Slot | np.ndarray):
        return None
    return _dot(w, [w.element(numbers, k) for k in range(len(items))], items)


def total(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    if len(symbols) != 1 or type(symbols[0]) is not Vector:
        return None
    return _dot(w, [1.0] * len(symbols[0].items), symbols[0].items)


def _dot(w: Writer, numbers: list[Any], items: list[Any]) -> Any:
    found: Any = 0.0
    for number, item in zip(numbers, items):
        found = _added(w, found, _scaled(w, item, number), "+")
    return found


def select(w: Writer, operation: Compute, symbols: list[Any]) -> Any:
    """One of two numbers by a test: each has a coefficient of one or zero."""
    test, then, other = symbols
    if operation.result.shape or any(type(each) in (Vector, Scaled) for each in symbols) or isinstance(test, Affine):
        return None
    a = then if isinstance(then, Affine) else Affine(then, {})
    b = other if isinstance(other, Affine) else Affine(other, {})
    terms = {i: w.select(test, a.terms.get(i, 0.0), b.terms.get(i, 0.0)) for i in {**a.terms, **b.terms}}
    return Affine(w.select(test, a.constant, b.constant), terms)


AFFINE: Final[dict[str, Rule]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "ratio": divide,
    "vector": vector,
    "nth": nth,
    "get": nth,
    "first": first,
    "second": second,
    "mmul": product,
    "dot": dot,
    "sum": total,
    "select": select,
}
