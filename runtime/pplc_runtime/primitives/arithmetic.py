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
from pplc_runtime.distributions.lanewise import LARGE, absolute_sum
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import (
    EXACT,
    Lane,
    Mix,
    beyond_floats,
    by_option,
    join,
    one_by_one,
    plain,
    settle,
    varies,
)
from pplc_runtime.primitives.whole_numbers import (
    LARGEST,
    Outgrown,
    checked,
    checked_unary,
    difference_fits,
    extremes,
    has_opposite,
    magnitude,
    product_fits,
    quotient_fits,
    sum_fits,
)
from pplc_runtime.values import List, ModelError

Binary = Callable[[Any, Any], Any]
Unary = Callable[[Any], Any]


_STRUCTURES = (tuple, List)
_REAL: Final = np.dtype(np.float64)
RAW: Final[dict[str, Unary]] = {}
"""The functions of one argument on bare numbers and arrays, by name."""
_NO_NUMBERS = np.zeros(0, np.int64)
_NO_NUMBERS.setflags(write=False)


def numeric(value: Any, name: str) -> Any:
    """A number, array or numeric Lane; a list or vector of numbers as an array. Anything else is an error."""
    kind = type(value)
    if kind is float or kind is int or kind is np.ndarray:
        return value
    if kind is Lane:
        if value.data.dtype.kind != "b":
            return value
    elif kind is tuple or kind is List:
        if not value:
            return _NO_NUMBERS
        array = vector(*(numeric(item, name) if type(item) in _STRUCTURES else item for item in value))
        if type(array) is np.ndarray or (type(array) is Lane and array.data.dtype.kind != "b"):
            return array
        if all(type(item) in (int, float) or (type(item) is Lane and item.rank == 0) for item in array):
            raise Outgrown  # numbers, but no array holds them
    raise refused(f"'{name}' takes numbers", value)


def has_mix(value: Any) -> bool:
    """Whether there is a Mix in a list or vector, or in those in it."""
    return any(type(item) is Mix or (type(item) in _STRUCTURES and has_mix(item)) for item in value)


def without_mix(value: Any, work: Unary) -> Any:
    """Work with a list or vector in which no Mix is left; lanes part where they disagree on one."""
    mix = _first_mix(value)
    if mix is None:
        return work(_with_option(value, None, None))
    return by_option(mix, lambda option: without_mix(_with_option(value, mix, option), work))


def _first_mix(value: Any) -> Mix | None:
    value = settle(value)
    if type(value) in _STRUCTURES:
        return next((mix for mix in map(_first_mix, value) if mix is not None), None)
    return value if type(value) is Mix else None


def _with_option(value: Any, mix: Mix | None, option: Any) -> Any:
    value = settle(value)
    if value is mix and mix is not None:
        return option
    return type(value)(_with_option(v, mix, option) for v in value) if type(value) in _STRUCTURES else value


MOST_AXES: Final = 32
"""What every version of numpy allows, the one of the lanes included."""


def vector(*items: Any) -> Any:
    """A vector: one array where the items are numbers or arrays of one shape, else a tuple."""
    if not items:
        return ()
    shape: Any = None
    over_lanes = False
    for item in items:
        kind = type(item)
        if kind is float or kind is int:
            this: tuple[int, ...] = ()
        elif kind is np.ndarray:
            this = item.shape
        elif kind is Lane:
            if item.data.dtype.kind == "b":
                return items
            this = item.data.shape[:-1]
            over_lanes = True
        else:
            settled = settle(item)
            return items if settled is item else vector(*map(settle, items))
        if shape is None:
            shape = this
        elif shape != this:
            return items
    if len(shape) > MOST_AXES - 2:
        return items
    if over_lanes:
        frame = here.frame
        parts = [item.at(frame) if type(item) is Lane else item for item in items]
        if frame.size > 1:
            lanes = frame.size
            whole = np.empty((len(parts), *shape, lanes), np.result_type(*(_dtype(p) for p in parts)))
            try:
                for position, (p, item) in enumerate(zip(parts, items)):
                    whole[position] = p[..., None] if type(item) is np.ndarray else p
            except OverflowError:
                return items
            return Lane(whole, frame)
        items = tuple(parts)
    try:
        array = np.array(items)
    except OverflowError:
        return items
    if array.dtype.kind not in "if":
        return items  # integers that no machine word holds
    array.setflags(write=False)
    return array


def _dtype(part: Any) -> Any:
    return part.dtype if type(part) is np.ndarray else (np.int64 if type(part) is int else np.float64)


def _meet(x: Any, y: Any, name: str) -> tuple[Any, Any, bool]:
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


def _result(data: Any, over_lanes: bool) -> Any:
    if over_lanes:
        return Lane(data, here.frame)
    if type(data) is np.ndarray:
        data.setflags(write=False)
        return data
    return data.item() if isinstance(data, np.generic) else data


def binary(name: str, scalar: Binary, ufunc: Any) -> Binary:
    def operation(x: Any, y: Any) -> Any:
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
            if kind in _STRUCTURES and has_mix(x):
                return without_mix(x, lambda settled: operation(settled, y))
            if other in _STRUCTURES and has_mix(y):
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
    def operation(x: Any) -> Any:
        try:
            kind = type(x)
            if kind is float or kind is int:
                return scalar(x)
            if kind is Mix:
                return by_option(x, operation)
            if kind in _STRUCTURES and has_mix(x):
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


def _exactly(name: str, operation: Callable[..., Any], scalar: Callable[..., Any], *items: Any) -> Any:
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


def is_scalar_lane(value: Any) -> bool:
    return type(value) is Lane and value.rank == 0


def objects(value: Any, name: str) -> Any:
    """Plain numbers as an array of Python's own, which have no limits; one number as it is."""
    if type(value) is int or type(value) is float:
        return value
    try:
        return np.array(value.tolist() if type(value) is np.ndarray else value, object)
    except ValueError:
        raise refused(f"'{name}' takes numbers", value) from None


def number_lanes(values: list[Any]) -> Any:
    """Plain numbers, one for each lane of the running frame: large integers apart, the others as arrays."""
    frame = here.frame
    groups: dict[Any, list[int]] = {}
    for position, value in enumerate(values):
        small = type(value) is float or -LARGEST <= value <= LARGEST
        groups.setdefault(type(value) if small else value, []).append(position)
    parts: list[tuple[Any, Any]] = []
    for key, positions in groups.items():
        inner = frame if len(groups) == 1 else frame.part(np.array(positions))
        lanes = lane_of(np.array([values[p] for p in positions]), inner) if type(key) is type else key
        parts.append((inner, lanes))
    return join(frame, parts)


def lane_of(data: Any, frame: Any) -> Any:
    """A Lane of a frame, or a plain number where it has one lane."""
    return Lane(data, frame) if frame.size > 1 else data.item()


def vectors(items: list[Any]) -> Any:
    """A vector from nested lists of numbers."""
    return vector(*(vectors(item) if type(item) is list else item for item in items))


# Scalars: numpy's results (inf and nan instead of exceptions) with Python's types.


def _divide(x: float, y: float) -> float:
    if y == 0:
        raise ModelError("division by zero")
    if type(y) is int and type(x) is int and x % y == 0:
        return x // y
    try:
        return x / y
    except OverflowError:
        with np.errstate(all="ignore"):
            return float(np.true_divide(float(x), float(y)))


def _divide_lanes(a: Any, b: Any) -> Any:
    """Whole where all lanes divide evenly; where only some do, a whole float is the same number."""
    if not b if type(b) is not np.ndarray else np.count_nonzero(b) < b.size:
        raise ModelError("division by zero")
    if _is_whole(a) and _is_whole(b) and not np.any(np.remainder(a, b)):
        return checked(np.floor_divide, quotient_fits)(a, b)
    return np.true_divide(a, b)


def raw_divide(a: Any, b: Any) -> Any:
    """Division of bare numbers and arrays."""
    if type(b) is np.ndarray and b.dtype is _REAL and b.ndim == 1:
        result = np.true_divide(a, b)
        if absolute_sum(result) < LARGE:  # no lane was divided by zero
            return result
    return _divide_lanes(a, b) if type(a) is np.ndarray or type(b) is np.ndarray else _divide(a, b)


def _is_whole(a: Any) -> bool:
    return type(a) is int or (type(a) is np.ndarray and a.dtype.kind == "i")


def _guarded(function: Unary, ufunc: Any) -> Unary:
    """A function of math that gives inf or nan where math raises."""

    def scalar(x: Any) -> Any:
        try:
            return function(x)
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return float(ufunc(float(x)))

    return scalar


_MOST_BITS = 1_000_000
"""No integer is made larger than this at once: it would take forever."""


def _power(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int and y >= 0:
        if abs(x) > 1 and x.bit_length() * y > _MOST_BITS:
            raise ModelError("pow: the result is too large")
        return x**y
    with np.errstate(all="ignore"):
        return float(np.power(float(x), float(y)))


def _power_lanes(a: Any, b: Any) -> Any:
    if _is_whole(a) and _is_whole(b):
        least_exponent, exponent = extremes(b)
        largest = magnitude(a)
        bits = largest.bit_length() * exponent if largest > 1 else 1
        if least_exponent >= 0:
            if bits >= 64:
                raise Outgrown
            return np.power(a, b)
        if bits > 53:  # a float in one lane, and more than a float holds in another
            raise Outgrown
    return np.power(np.asarray(a, float), b)


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


def _quotient(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int:
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    quotient = x / y
    return float(math.trunc(quotient)) if math.isfinite(quotient) else quotient


def _quotient_lanes(a: Any, b: Any) -> Any:
    if _is_whole(a) and _is_whole(b):  # in whole numbers all the way: floats have 53 bits only
        floor = checked(np.floor_divide, quotient_fits)(a, b)
        return floor + ((floor < 0) & (floor * b != a))
    return np.trunc(np.true_divide(a, b))


def _remainder(x: Any, y: Any) -> Any:
    if type(x) is int and type(y) is int:
        return x - y * _quotient(x, y)
    return math.fmod(x, y) if math.isfinite(x) else math.nan


def _rounded(function: Callable[[Any], int], ufunc: Any) -> tuple[Unary, Any]:
    """floor, ceil and round give integers; a float that has no digits after the point stays as it is."""

    def scalar(x: Any) -> Any:
        return function(x) if type(x) is float and abs(x) <= EXACT else x

    def lanes(a: Any) -> Any:
        if a.dtype.kind == "i":
            return a
        data = ufunc(a)
        return data.astype(np.int64) if np.all(np.abs(data) <= EXACT) else data

    return scalar, lanes


def _nearest(x: float) -> int:
    below = math.floor(x)
    return below + (x - below >= 0.5)  # x + 0.5 would be rounded itself


def _nearest_lanes(a: Any) -> Any:
    below = np.floor(a)
    return below + (a - below >= 0.5)


def _one_of(ufunc: Any) -> Binary:
    """The lesser or the larger: a large integer stays what it is beside a float."""

    def lanes(a: Any, b: Any) -> Any:
        data = ufunc(a, b)
        if data.dtype.kind == "f" and (beyond_floats(a) or beyond_floats(b)):
            raise Outgrown
        return data

    return lanes


add = binary("+", lambda x, y: x + y, checked(np.add, sum_fits))
sub = binary("-", lambda x, y: x - y, checked(np.subtract, difference_fits))
mul = binary("*", lambda x, y: x * y, checked(np.multiply, product_fits))
div = binary("/", _divide, _divide_lanes)
power = binary("pow", _power, _power_lanes)
atan2 = binary("atan2", math.atan2, np.arctan2)
mod = _whole_division("mod", lambda x, y: x % y, np.mod)
rem = _whole_division("rem", _remainder, np.fmod)
quot = _whole_division("quot", _quotient, _quotient_lanes)
smaller = binary("min", lambda x, y: x if x < y or x != x else y, _one_of(np.minimum))
larger = binary("max", lambda x, y: x if x > y or x != x else y, _one_of(np.maximum))

negate = unary("-", lambda x: -x, checked_unary(np.negative, has_opposite))
inverse_of = unary("/", lambda x: _divide(1, x), lambda a: _divide_lanes(1, a))
inc = unary("inc", lambda x: x + 1, checked_unary(lambda a: a + 1, lambda a: sum_fits(a, 1)))
dec = unary("dec", lambda x: x - 1, checked_unary(lambda a: a - 1, lambda a: difference_fits(a, 1)))
absolute = unary("abs", abs, checked_unary(np.abs, has_opposite))
exp = unary("exp", _guarded(math.exp, np.exp), np.exp)
expm1 = unary("expm1", _guarded(math.expm1, np.expm1), np.expm1)
log = unary("log", _guarded(math.log, np.log), np.log)
log1p = unary("log1p", _guarded(math.log1p, np.log1p), np.log1p)
sqrt = unary("sqrt", _guarded(math.sqrt, np.sqrt), np.sqrt)
sin = unary("sin", _guarded(math.sin, np.sin), np.sin)
cos = unary("cos", _guarded(math.cos, np.cos), np.cos)
tan = unary("tan", _guarded(math.tan, np.tan), np.tan)
atan = unary("atan", math.atan, np.arctan)
asin = unary("asin", _guarded(math.asin, np.arcsin), np.arcsin)
acos = unary("acos", _guarded(math.acos, np.arccos), np.arccos)
tanh = unary("tanh", math.tanh, np.tanh)
sinh = unary("sinh", _guarded(math.sinh, np.sinh), np.sinh)
cosh = unary("cosh", _guarded(math.cosh, np.cosh), np.cosh)
floor = unary("floor", *_rounded(math.floor, np.floor))
ceil = unary("ceil", *_rounded(math.ceil, np.ceil))
rounded = unary("round", *_rounded(_nearest, _nearest_lanes))
square = unary("square", lambda x: x * x, checked_unary(np.square, lambda a: product_fits(a, a)))
sigmoid = unary("sigmoid", lanewise.sigmoid, lanewise.sigmoid)


def plus(*items: Any) -> Any:
    """(+), (+ a) and so on, for calls that are not folded at compile time."""
    total: Any = 0
    for item in items:
        total = add(total, item)
    return total


def times(*items: Any) -> Any:
    total: Any = 1
    for item in items:
        total = mul(total, item)
    return total


def minus(*items: Any) -> Any:
    if len(items) == 1:
        return negate(items[0])
    total = items[0]
    for item in items[1:]:
        total = sub(total, item)
    return total


def over(*items: Any) -> Any:
    if len(items) == 1:
        return inverse_of(items[0])
    total = items[0]
    for item in items[1:]:
        total = div(total, item)
    return total


def least(*items: Any) -> Any:
    total = items[0]
    for item in items[1:] or items:  # one item is compared with itself, and so found to be a number
        total = smaller(total, item)
    return total


def greatest(*items: Any) -> Any:
    total = items[0]
    for item in items[1:] or items:
        total = larger(total, item)
    return total
