"""Numbers: arithmetic and elementary functions, elementwise on vectors and matrices, over lanes.

The lane axis is last. A shared vector that meets a lane value gets a trailing axis, after which plain numpy
broadcasting is right: (L,) * (d, L) and (d, 1) * (L,).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pplc_runtime.distributions import lanewise
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import (
    Lane,
    Mix,
    by_option,
    one_by_one,
    plain,
    varies,
)
from pplc_runtime.primitives.arrays import (
    STRUCTURES,
    has_mix,
    is_scalar_lane,
    number_lanes,
    numeric,
    objects,
    vectors,
    without_mix,
)
from pplc_runtime.primitives.scalars import (
    Binary,
    Unary,
    divide,
    divide_lanes,
    nearest,
    nearest_lanes,
    one_of,
    power_lanes,
    power_of,
    product_of,
    quotient,
    quotient_lanes,
    remainder,
    rounding,
    single,
)
from pplc_runtime.primitives.whole_numbers import (
    checked,
    checked_unary,
    difference_fits,
    has_opposite,
    product_fits,
    sum_fits,
)
from pplc_runtime.values import ModelError, Value

RAW: Final[dict[str, Unary]] = {}
"""The functions of one argument on bare numbers and arrays, by name."""


def _meet(x: Value, y: Value, name: str) -> tuple[Any, Any, bool]:
    """Raw operands that broadcast against each other, and whether the result is over lanes."""
    x, y = numeric(x, name), numeric(y, name)
    frame = here.frame
    a = x.at(frame) if type(x) is Lane else x
    b = y.at(frame) if type(y) is Lane else y
    over_x = type(x) is Lane and frame.size > 1
    over_y = type(y) is Lane and frame.size > 1
    shape_a = _shape(a, over_x)
    shape_b = _shape(b, over_y)
    if shape_a and shape_b and shape_a != shape_b:
        raise ModelError(f"'{name}' of shapes {_dims(shape_a)} and {_dims(shape_b)} that do not match")
    if over_x and not over_y and type(b) is np.ndarray:
        b = b[..., None]
    elif over_y and not over_x and type(a) is np.ndarray:
        a = a[..., None]
    return a, b, over_x or over_y


def _shape(data: Any, over_lanes: bool) -> tuple[int, ...]:
    if type(data) is not np.ndarray:
        return ()
    shape: tuple[int, ...] = data.shape
    return shape[:-1] if over_lanes else shape


def _dims(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _result(data: Any, over_lanes: bool) -> Value:
    if over_lanes:
        return Lane(data, here.frame)
    if type(data) is np.ndarray:
        data.setflags(write=False)
        return data
    return data.item() if isinstance(data, np.generic) else data


def binary(name: str, scalar: Binary, ufunc: Any) -> Binary:
    def operation(x: Value, y: Value) -> Value:
        try:
            kind, other = type(x), type(y)
            if (kind is float or kind is int) and (other is float or other is int):
                return scalar(x, y)
            if kind is Lane and x.data.ndim == 1 and x.data.dtype.kind != "b":
                frame = here.frame
                a = x.data if x.frame is frame else x.at(frame)
                if other is float or other is int:
                    return Lane(ufunc(a, y), frame) if type(a) is np.ndarray else scalar(a, y)
                if other is Lane and y.data.dtype.kind != "b":
                    b = y.data if y.frame is frame else y.at(frame)
                    if type(a) is np.ndarray:
                        return Lane(ufunc(a, b), frame)
                    if type(b) is not np.ndarray:
                        return scalar(a, b)
            elif other is Lane and (kind is float or kind is int) and y.data.ndim == 1 and y.data.dtype.kind != "b":
                frame = here.frame
                b = y.data if y.frame is frame else y.at(frame)
                return Lane(ufunc(x, b), frame) if type(b) is np.ndarray else scalar(x, b)
            if kind is Mix:
                return by_option(x, lambda option: operation(option, y))
            if other is Mix:
                return by_option(y, lambda option: operation(x, option))
            if kind in STRUCTURES and has_mix(x):
                return without_mix(x, lambda settled: operation(settled, y))
            if other in STRUCTURES and has_mix(y):
                return without_mix(y, lambda settled: operation(x, settled))
            a, b, over_lanes = _meet(x, y, name)
            if type(a) is not np.ndarray and type(b) is not np.ndarray:
                return scalar(a, b)
            return _result(ufunc(a, b), over_lanes)
        except OverflowError:
            return _exactly(name, operation, scalar, x, y)

    operation.__name__ = operation.__qualname__ = name
    return operation


def unary(name: str, scalar: Unary, ufunc: Any) -> Unary:
    def operation(x: Value) -> Value:
        try:
            kind = type(x)
            if kind is float or kind is int:
                return scalar(x)
            if kind is Mix:
                return by_option(x, operation)
            if kind in STRUCTURES and has_mix(x):
                return without_mix(x, operation)
            x = numeric(x, name)
            a = x.at(here.frame) if type(x) is Lane else x
            if type(a) is not np.ndarray:
                return scalar(a)
            return _result(ufunc(a), type(x) is Lane and here.frame.size > 1)
        except OverflowError:
            return _exactly(name, operation, scalar, x)

    operation.__name__ = operation.__qualname__ = name
    RAW[name] = lambda x: ufunc(x) if type(x) is np.ndarray else scalar(x)
    return operation


# Whole numbers that outgrow machine words


def _exactly(name: str, operation: Callable[..., Value], scalar: Callable[..., Value], *items: Value) -> Value:
    """What an operation gives where arrays of whole numbers cannot hold it."""
    over_lanes = here.frame.size > 1 and any(map(varies, items))
    if over_lanes and not all(type(item) is int or type(item) is float or is_scalar_lane(item) for item in items):
        return one_by_one(lambda: operation(*map(plain, items)))
    data = [item.at(here.frame) if type(item) is Lane else objects(plain(item), name) for item in items]
    shapes = {d.shape for d in data if type(d) is np.ndarray}
    try:
        if not shapes:
            return scalar(*data)
        if len(shapes) > 1:
            raise ModelError(f"'{name}' of shapes {' and '.join(map(_dims, shapes))} that do not match")
        results = np.frompyfunc(scalar, len(data), 1)(*data).tolist()
    except OverflowError:
        raise ModelError(f"'{name}' of a number that is too large") from None
    return number_lanes(results) if over_lanes else vectors(results)


# Scalars: numpy's results (inf and nan instead of exceptions) with Python's types.


def _whole_division(name: str, function: Binary, ufunc: Any) -> Binary:
    def scalar(x: Any, y: Any) -> Any:
        if y == 0:
            raise ModelError(f"{name}: division by zero")
        return function(x, y)

    def lanes(a: Any, b: Any) -> Any:
        if np.any(np.equal(b, 0)):
            raise ModelError(f"{name}: division by zero")
        return ufunc(a, b)

    return binary(name, scalar, lanes)


add = binary("+", lambda x, y: x + y, checked(np.add, sum_fits))
sub = binary("-", lambda x, y: x - y, checked(np.subtract, difference_fits))
mul = binary("*", product_of, checked(np.multiply, product_fits))
div = binary("/", divide, divide_lanes)
power = binary("pow", power_of, power_lanes)
atan2 = binary("atan2", lambda x, y: float(np.arctan2(float(x), float(y))), np.arctan2)
mod = _whole_division("mod", lambda x, y: x % y, np.mod)
rem = _whole_division("rem", remainder, np.fmod)
quot = _whole_division("quot", quotient, quotient_lanes)
smaller = binary("min", lambda x, y: x if x < y or x != x else y, one_of(np.minimum))
larger = binary("max", lambda x, y: x if x > y or x != x else y, one_of(np.maximum))

negate = unary("-", lambda x: -x, checked_unary(np.negative, has_opposite))
inverse_of = unary("/", lambda x: divide(1, x), lambda a: divide_lanes(1, a))
inc = unary("inc", lambda x: x + 1, checked_unary(lambda a: a + 1, lambda a: sum_fits(a, 1)))
dec = unary("dec", lambda x: x - 1, checked_unary(lambda a: a - 1, lambda a: difference_fits(a, 1)))
absolute = unary("abs", abs, checked_unary(np.abs, has_opposite))
exp = unary("exp", single(np.exp), np.exp)
expm1 = unary("expm1", single(np.expm1), np.expm1)
log = unary("log", single(np.log), np.log)
log1p = unary("log1p", single(np.log1p), np.log1p)
sqrt = unary("sqrt", single(np.sqrt), np.sqrt)
sin = unary("sin", single(np.sin), np.sin)
cos = unary("cos", single(np.cos), np.cos)
tan = unary("tan", single(np.tan), np.tan)
atan = unary("atan", single(np.arctan), np.arctan)
asin = unary("asin", single(np.arcsin), np.arcsin)
acos = unary("acos", single(np.arccos), np.arccos)
tanh = unary("tanh", single(np.tanh), np.tanh)
sinh = unary("sinh", single(np.sinh), np.sinh)
cosh = unary("cosh", single(np.cosh), np.cosh)
floor = unary("floor", *rounding(math.floor, np.floor))
ceil = unary("ceil", *rounding(math.ceil, np.ceil))
rounded = unary("round", *rounding(nearest, nearest_lanes))
square = unary("square", lambda x: product_of(x, x), checked_unary(np.square, lambda a: product_fits(a, a)))
sigmoid = unary("sigmoid", lanewise.sigmoid, lanewise.sigmoid)


def plus(*items: Value) -> Value:
    """(+), (+ a) and so on, for calls that are not folded at compile time."""
    total: Value = 0
    for item in items:
        total = add(total, item)
    return total


def times(*items: Value) -> Value:
    total: Value = 1
    for item in items:
        total = mul(total, item)
    return total


def minus(*items: Value) -> Value:
    if len(items) == 1:
        return negate(items[0])
    total = items[0]
    for item in items[1:]:
        total = sub(total, item)
    return total


def over(*items: Value) -> Value:
    if len(items) == 1:
        return inverse_of(items[0])
    total = items[0]
    for item in items[1:]:
        total = div(total, item)
    return total


def least(*items: Value) -> Value:
    total = items[0]
    for item in items[1:] or items:  # one item is compared with itself, and so found to be a number
        total = smaller(total, item)
    return total


def greatest(*items: Value) -> Value:
    total = items[0]
    for item in items[1:] or items:
        total = larger(total, item)
    return total
