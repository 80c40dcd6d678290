"""Plain values as JSON, and Python's and JSON's values as plain ones."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pplc_runtime.results.json_values import column_to_json, from_python, to_json
from pplc_runtime.values import List, Map, Symbol


class Procedure:
    def __str__(self) -> str:
        return "<procedure f>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (-2.0, "-2.0"),
        (math.nan, '"NaN"'),
        (math.inf, '"Infinity"'),
        (-math.inf, '"-Infinity"'),
        ('a"\n\u00e9', '"a\\"\\n\\u00e9"'),
        (Symbol(":key"), '":key"'),
        ((1, (True, "x"), ()), '[1, [true, "x"], []]'),
        (List((1, 2.5)), "[1, 2.5]"),
        (np.array([[1.0, math.nan], [0.0, 2.0]]), '[[1.0, "NaN"], [0.0, 2.0]]'),
        (np.float64(0.5), "0.5"),
        (np.int64(7), "7"),
        (np.bool_(True), "true"),
        (Procedure(), '"<procedure f>"'),
        ((Procedure(),), '["<procedure f>"]'),
        (Map({}), "{}"),
        (Map.of(iter([("a", 1), (Symbol(":b"), (2,)), (3, None)])), '{"a": 1, ":b": [2], "3": null}'),
        (Map.of(iter([("1", 1), (1, 2)])), '{"1": 1, "1#2": 2}'),
        (2**80, str(2**80)),
    ],
)
def test_a_value_as_json(value: Any, text: str) -> None:
    assert to_json(value) == text
    json.loads(text)


def test_nesting_of_any_depth() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = (value,)
    assert to_json(value) == "[" * 100_000 + "1" + "]" * 100_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_json_reads_back_what_was_written(value: Any) -> None:
    assert json.loads(to_json(_with_maps(value))) == json.loads(json.dumps(value))


def _with_maps(value: Any) -> Any:
    if isinstance(value, dict):
        return Map.of((k, _with_maps(v)) for k, v in value.items())
    return tuple(map(_with_maps, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 3), (1, 1), (2, 0), (2, 1, 2)])
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.bool_])
@pytest.mark.parametrize("draws", [0, 1, 4])
def test_a_column_is_written_draw_by_draw(shape: tuple[int, ...], dtype: Any, draws: int) -> None:
    column = np.random.default_rng(1).normal(scale=3, size=(*shape, draws)).astype(dtype)
    assert column_to_json(column) == [to_json(column[..., draw]) for draw in range(draws)]


def test_a_column_with_numbers_that_json_lacks() -> None:
    assert column_to_json(np.array([1.0, np.inf, np.nan])) == ["1.0", '"Infinity"', '"NaN"']
    assert column_to_json(np.array([[1.0, -np.inf]])) == ["[1.0]", '["-Infinity"]']


def test_sequences_of_numbers_become_vectors_and_matrices() -> None:
    vector = from_python([1, 2.5, 3])
    assert vector.dtype == np.float64 and vector.tolist() == [1.0, 2.5, 3.0] and not vector.flags.writeable
    assert from_python((1, 2)).dtype == np.int64
    matrix = from_python([[1, 2], [3, 4.5]])
    assert matrix.shape == (2, 2) and matrix.dtype == np.float64 and not matrix.flags.writeable
    assert from_python(np.eye(2, dtype=np.float32)).dtype == np.float64
    assert from_python(range(3)).tolist() == [0, 1, 2]


def test_other_sequences_become_tuples() -> None:
    assert from_python([True, False]) == (True, False)
    assert from_python([1, "a", None]) == (1, "a", None)
    assert from_python([]) == ()
    assert from_python([2**70, 1]) == (2**70, 1)
    ragged = from_python([[1, 2], [3]])
    assert type(ragged) is tuple and [row.tolist() for row in ragged] == [[1, 2], [3]]
    deep = from_python([[[1, 2]], [[3, 4]]])
    assert type(deep) is tuple and deep[1].shape == (1, 2)


def test_objects_become_maps_and_the_rest_stays() -> None:
    value = from_python({"a": [1.0], "b": {"c": "d"}})
    assert isinstance(value, Map) and value.get("a").tolist() == [1.0] and value.get("b").get("c") == "d"
    array = from_python(np.array([1, 2]))
    array_source = np.array([1.0])
    assert array.dtype == np.int64 and from_python(array_source) is not array_source
    assert from_python(np.float64(2.0)) == 2.0 and type(from_python(np.int64(1))) is int
    assert from_python(List((1, 2))) == List((1, 2))
