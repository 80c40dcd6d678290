"""Predicates: what kind of value something is, and tests of single numbers.

A predicate agrees with `=`: since 1 = 1.0, `integer?` asks for a whole value however it is stored, and `float?`
for one that is not whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option
from pplc_runtime.primitives.arguments import is_number
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.primitives.comparison import eq, negation, ordered_number
from pplc_runtime.primitives.sequences import count
from pplc_runtime.values import List, Map, Memo, Procedure, Symbol, Value

Predicate = Callable[[Value], Value]


def _of_kind(name: str, holds: Callable[[Value], bool]) -> Predicate:
    """A predicate that has the same answer for all lanes of a Lane."""

    def predicate(value: Value) -> Value:
        return by_option(value, predicate) if type(value) is Mix else holds(value)

    predicate.__name__ = predicate.__qualname__ = name
    return predicate


def _of_number(name: str, holds: Callable[[Any], Any]) -> Predicate:
    """A predicate of a number or an array of them."""

    def predicate(value: Value) -> Value:
        if type(value) is Mix:
            return by_option(value, predicate)
        if not is_number(value):
            raise refused(f"'{name}' takes a number", value)
        answer = holds(ordered_number(value, name))
        return Lane(answer, here.frame) if type(answer) is np.ndarray else bool(answer)

    predicate.__name__ = predicate.__qualname__ = name
    return predicate


def _has_dtype(value: Value, kinds: str) -> bool:
    return type(value) is Lane and value.data.ndim == 1 and value.data.dtype.kind in kinds


def _is_vector(value: Value) -> bool:
    return type(value) is tuple or type(value) is np.ndarray or (type(value) is Lane and value.data.ndim > 1)


def _is_symbol(value: Value) -> bool:
    return type(value) is Symbol and not value.name.startswith(":")


def _is_keyword(value: Value) -> bool:
    return type(value) is Symbol and value.name.startswith(":")


def _is_procedure(value: Value) -> bool:
    return type(value) is Procedure or type(value) is Primitive or type(value) is Memo


is_number_p = _of_kind("number?", is_number)
is_boolean_p = _of_kind("boolean?", lambda value: type(value) is bool or _has_dtype(value, "b"))
is_string_p = _of_kind("string?", lambda value: type(value) is str)
is_symbol_p = _of_kind("symbol?", _is_symbol)
is_keyword_p = _of_kind("keyword?", _is_keyword)
is_list_p = _of_kind("list?", lambda value: type(value) is List)
is_vector_p = _of_kind("vector?", _is_vector)
is_sequence_p = _of_kind("sequential?", lambda value: type(value) is List or _is_vector(value))
is_collection_p = _of_kind("coll?", lambda value: type(value) in (List, Map) or _is_vector(value))
is_map_p = _of_kind("map?", lambda value: type(value) is Map)
is_procedure_p = _of_kind("procedure?", _is_procedure)
is_nil_p = _of_kind("nil?", lambda value: value is None)
is_missing_p = _of_kind("missing?", lambda value: value is None)
is_some_p = _of_kind("some?", lambda value: value is not None)


def is_integer_p(value: Value) -> Value:
    """Whether a value is a whole number."""
    if type(value) is Mix:
        return by_option(value, is_integer_p)
    with np.errstate(invalid="ignore"):
        return _is_whole(value) if is_number(value) else False


def is_float_p(value: Value) -> Value:
    """Whether a value is a number that is not whole."""
    if type(value) is Mix:
        return by_option(value, is_float_p)
    return negation(is_integer_p(value)) if is_number(value) else False


def is_empty_p(value: Value) -> Value:
    return eq(count(value), 0)


def is_true_p(value: Value) -> Value:
    return eq(value, True)


def is_false_p(value: Value) -> Value:
    return eq(value, False)


_is_whole = _of_number("integer?", lambda a: a % 1 == 0)  # NaN for what is not finite
is_zero_p = _of_number("zero?", lambda a: a == 0)
is_pos_p = _of_number("pos?", lambda a: a > 0)
is_neg_p = _of_number("neg?", lambda a: a < 0)
is_nan_p = _of_number("nan?", lambda a: a != a)


def _parity(name: str, remainder: int) -> Predicate:
    def holds(a: Any) -> Any:
        rest = a % 2
        if type(a) is int:
            return rest == remainder
        if not np.all((rest == 0) | (rest == 1)):
            odd_one = a[(rest != 0) & (rest != 1)][0].item() if type(a) is np.ndarray else a
            raise refused(f"'{name}' takes a whole number", odd_one)
        return rest == remainder

    return _of_number(name, holds)


is_even_p = _parity("even?", 0)
is_odd_p = _parity("odd?", 1)
