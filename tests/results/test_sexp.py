"""Values written as S-expressions read back as the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pplc.languages.forms import Atom, Form, Group, Name
from pplc.passes.read import read
from pplc.source import Source
from pplc_runtime.results.sexp import write_value
from pplc_runtime.values import List, Map, Symbol

# A slow machine is not a failure.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def value_of(form: Form) -> Any:
    match form:
        case Atom(value):
            return value
        case Name(text):
            return Symbol(text)
        case Group("(", items):
            return List(map(value_of, items))
        case Group("[", items):
            return tuple(map(value_of, items))
        case Group(_, items):
            values = list(map(value_of, items))
            return Map.of(zip(values[::2], values[1::2]))


def exactly(value: Any) -> Any:
    """A value in which 1, 1.0 and true differ, and a list from a vector."""
    if isinstance(value, tuple):
        return (type(value).__name__, *map(exactly, value))
    if isinstance(value, Map):
        return ("Map", *((exactly(k), exactly(v)) for k, v in value.items()))
    return (type(value).__name__, repr(value))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nil"), (True, "true"), (False, "false"), (-3, "-3"), (1.0, "1.0"), (1e300, "1e+300"),
        ("a\n\"\\\x00\b", r'"a\n\"\\\u0000\u0008"'), (Symbol(":key?"), ":key?"), (Symbol("a#"), "a#"),
        ((), "[]"), (List(), "()"), (Map({}), "{}"),
        ((1, List((2.5, "x")), Map.of(iter([(Symbol(":a"), (None,))]))), '[1 (2.5 "x") {:a [nil]}]'),
        (np.array([1, 2]), "[1 2]"), (np.array([[0.5, 1.0], [2.0, 3.0]]), "[[0.5 1.0] [2.0 3.0]]"),
        (np.zeros(0), "[]"), (np.float64(0.1), "0.1"), (np.bool_(True), "true"),
        ((float("inf"), float("-inf"), float("nan")), "[##Inf ##-Inf ##NaN]"),
    ],
)  # fmt: skip
def test_written(value: Any, text: str) -> None:
    assert write_value(value) == text


KEYS = st.integers() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from(["x", ":key", "even?", "->", "a#", "..."]).map(Symbol)
)
VALUES = st.recursive(
    LEAVES,
    lambda value: (
        st.lists(value, max_size=5).map(tuple)
        | st.lists(value, max_size=5).map(List)
        | st.lists(st.tuples(KEYS, value), max_size=4).map(lambda pairs: Map.of(iter(pairs)))
    ),
    max_leaves=20,
)


@untimed
@given(VALUES)
def test_reads_back_as_the_same(value: Any) -> None:
    [form] = read(Source("value", write_value(value)))
    assert exactly(value_of(form)) == exactly(value)


@untimed
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30))
def test_arrays_read_back_as_the_same(values: list[float]) -> None:
    [form] = read(Source("value", write_value(np.array(values))))
    assert exactly(value_of(form)) == exactly(tuple(values))


def test_deep_values_are_written() -> None:
    value: Any = ()
    for _ in range(5_000):
        value = (value,)
    assert write_value(value) == "[" * 5_001 + "]" * 5_001


def test_what_is_no_value_is_refused() -> None:
    with pytest.raises(TypeError, match="a function cannot be written"):
        write_value((1, test_written))
