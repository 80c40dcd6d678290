"""Equality, order and truth.

`=` compares numbers by value (1 = 1.0) and structures by contents, a list and a vector alike; true is not 1.
Distributions are equal if family and parameters are, procedures and processes to themselves only. Over lanes the
answer is a boolean Lane.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, layout, one_by_one, plain
from pplc_runtime.primitives.arguments import elements, is_number, settled
from pplc_runtime.values import Compound, List, Map, Stochastic, Symbol, Value, aligned, children

# Truth


def truth(value: Value) -> Any:
    """Whether a value counts as true, as a bool or an array of them: only false and nil do not."""
    if value is True or value is False:
        return value
    kind = type(value)
    if kind is Lane:
        return value.at(here.frame) if value.data.dtype.kind == "b" else True
    if kind is Mix:
        answer = by_option(value, as_boolean)
        return answer.at(here.frame) if type(answer) is Lane else answer
    return is_true(value)


def is_true(value: Value) -> bool:
    """Whether a plain value counts as true. What draws come from is no truth value: it would always be true."""
    if value is None or value is False:
        return False
    if isinstance(value, Stochastic):
        raise refused("a test takes a truth value", value)
    return True


def as_boolean(value: Value) -> Value:
    answer = truth(value)
    return Lane(answer, here.frame) if type(answer) is np.ndarray else answer


def negation(value: Value) -> Value:
    answer = truth(value)
    return Lane(~answer, here.frame) if type(answer) is np.ndarray else not answer


# Equality

_SEQUENCES = (List, tuple, np.ndarray)


def eq(x: Value, y: Value) -> Value:
    kind, other = type(x), type(y)
    if (kind is int or kind is float) and (other is int or other is float):
        return x == y
    if kind is str and other is str:
        return x == y
    if kind is Lane and is_number(x) and is_number(y):
        answer = x.at(here.frame) == (y.at(here.frame) if other is Lane else y)
        return Lane(answer, here.frame) if type(answer) is np.ndarray else answer
    return _equal(x, y)


def _no_draw(source: Value, value: Value) -> None:
    """What draws come from equals no number and no boolean: whoever asks has forgotten to draw."""
    kind = layout(value)
    if isinstance(source, Stochastic) and kind is not None and kind[1] == ():
        raise refused(f"'=' compares {'booleans' if kind[0] == 'b' else 'numbers'}", source)


@settled()
def _equal(x: Value, y: Value) -> Value:
    """Goes through both structures with a list of pairs to do: values nest deeper than Python's stack."""
    _no_draw(x, y)
    _no_draw(y, x)
    answer: Any = True
    pairs = [(x, y)]
    while pairs:
        a, b = pairs.pop()
        if type(a) is Mix or type(b) is Mix:
            same = eq(a, b)
        else:
            same = _compare(a, b, pairs)
        if same is False:
            return False
        if same is not True:
            here_same = same.at(here.frame)
            answer = here_same if answer is True else answer & here_same
    return Lane(answer, here.frame) if type(answer) is np.ndarray else bool(answer)


def _compare(a: Value, b: Value, pairs: list[tuple[Value, Value]]) -> Any:
    """Whether two settled values are equal, as far as their elements, added to `pairs`, are equal too."""
    if here.frame.size == 1:
        a = a.at(here.frame) if type(a) is Lane else a
        b = b.at(here.frame) if type(b) is Lane else b
    kind, other = type(a), type(b)
    if kind is Lane or other is Lane:
        return _compare_lanes(a, b, pairs)
    if kind in _SEQUENCES:
        if other not in _SEQUENCES or len(a) != len(b):
            return False
        if kind is np.ndarray and other is np.ndarray:
            return bool(np.array_equal(a, b))
        pairs.extend(zip(elements(a, "="), elements(b, "=")))
        return True
    if kind is Map:
        items = aligned(b, a) if other is Map else None
        if items is not None:
            pairs.extend(zip(children(a), items))
        return items is not None
    if kind is bool or other is bool:
        return a is b
    if kind is int or kind is float:
        return (other is int or other is float) and bool(a == b)
    if kind is str or kind is Symbol:
        return kind is other and bool(a == b)
    if kind is other and isinstance(a, Compound):
        tag, values = a.identity()
        other_tag, other_values = b.identity()
        pairs.extend(zip(values, other_values))
        return bool(tag == other_tag) and len(values) == len(other_values)
    return a is b or (kind is other and bool(a == b))


def _compare_lanes(a: Value, b: Value, pairs: list[tuple[Value, Value]]) -> Any:
    sort, shape = _sort_and_shape(a)
    other_sort, other_shape = _sort_and_shape(b)
    if sort == "" or other_sort == "":  # a vector of numbers against a structure, or something else
        if not (shape and other_shape and shape[0] == other_shape[0]):
            return False
        pairs.extend(zip(elements(a, "="), elements(b, "=")))
        return True
    if sort != other_sort or shape != other_shape:
        return False
    p = a.at(here.frame) if type(a) is Lane else np.asarray(a)[..., None]
    q = b.at(here.frame) if type(b) is Lane else np.asarray(b)[..., None]
    same = p == q
    return Lane(same.all(axis=tuple(range(len(shape)))) if shape else same, here.frame)


def _sort_and_shape(value: Value) -> tuple[str, tuple[int, ...]]:
    kind = type(value)
    if kind is Lane:
        return ("boolean" if value.data.dtype.kind == "b" else "number", value.data.shape[:-1])
    if kind is np.ndarray:
        return ("number", value.shape)
    if kind is List or kind is tuple:
        return ("", (len(value),))
    if kind is bool:
        return ("boolean", ())
    return ("number" if kind is int or kind is float else "", ())


def ne(x: Value, y: Value) -> Value:
    return negation(eq(x, y))


def equals(*items: Value) -> Value:
    return _chain(eq, items)


def unequal(*items: Value) -> Value:
    return negation(_chain(eq, items))


# Order


def _order(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    def comparison(x: Value, y: Value) -> Value:
        kind, other = type(x), type(y)
        if (kind is float or kind is int) and (other is float or other is int):
            return function(x, y)
        if kind is Mix:
            return by_option(x, lambda option: comparison(option, y))
        if other is Mix:
            return by_option(y, lambda option: comparison(x, option))
        try:
            answer = function(ordered_number(x, name), ordered_number(y, name))
        except OverflowError:  # an integer that no float holds
            return one_by_one(lambda: comparison(plain(x), plain(y)))
        return Lane(answer, here.frame) if type(answer) is np.ndarray else bool(answer)

    comparison.__name__ = comparison.__qualname__ = name
    return comparison


def ordered_number(value: Value, name: str) -> Any:
    """What a number that is compared is in the running frame."""
    kind = type(value)
    if kind is float or kind is int:
        return value
    if kind is Lane and value.data.ndim == 1 and value.data.dtype.kind != "b":
        return value.at(here.frame)
    raise refused(f"'{name}' compares numbers", value)


lt = _order("<", operator.lt)
gt = _order(">", operator.gt)
le = _order("<=", operator.le)
ge = _order(">=", operator.ge)


def increasing(*items: Value) -> Value:
    return _chain(lt, items)


def decreasing(*items: Value) -> Value:
    return _chain(gt, items)


def nondecreasing(*items: Value) -> Value:
    return _chain(le, items)


def nonincreasing(*items: Value) -> Value:
    return _chain(ge, items)


def _chain(comparison: Callable[[Value, Value], Value], items: tuple[Value, ...]) -> Value:
    """Whether each item compares with the next. All are looked at, so that a wrong argument is found."""
    answer: Any = True
    for x, y in pairwise(items):
        this = truth(comparison(x, y))
        answer = this if answer is True else answer & this
    return Lane(answer, here.frame) if type(answer) is np.ndarray else answer
