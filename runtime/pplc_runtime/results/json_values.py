"""Plain values as JSON, and what JSON or a Python caller hands over as plain values.

JSON has no word for three floats; they are written as the strings "NaN", "Infinity" and "-Infinity", which
Python's `float` and JavaScript's `Number` read back. A map becomes an object whose keys are strings: a string
or a symbol as it is, any other key as its own JSON text. What JSON cannot say at all (a procedure, a
distribution, a process) becomes its `str()`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.values import Map, Symbol, digits

_KEYWORD: Final = re.compile(r""":[^\s()\[\]{}"';,]+""")
_quote = json.encoder.encode_basestring_ascii


@dataclass(frozen=True, slots=True)
class _Text:
    """JSON text that is ready, on the stack between the values still to be written."""

    text: str


def float_to_json(value: float) -> str:
    """The shortest text that reads back as the same float."""
    if isfinite(value):
        return float.__repr__(value)
    return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'


def to_json(value: Any) -> str:
    """The JSON text of one plain value. Works off a stack, so that nesting may be of any depth."""
    pieces: list[str] = []
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, _Text):
            pieces.append(item.text)
        elif isinstance(item, Map):
            _push(stack, "{", [(_Text(f"{k}: "), v) for k, v in _object_keys(item)], "}")
        elif isinstance(item, tuple | list):
            _push(stack, "[", [(element,) for element in item], "]")
        elif isinstance(item, np.ndarray):
            stack.append(item.tolist())
        else:
            pieces.append(_atom(item))
    return "".join(pieces)


def _push(stack: list[Any], start: str, groups: list[tuple[Any, ...]], end: str) -> None:
    stack.append(_Text(end))
    for place in range(len(groups) - 1, -1, -1):
        stack.extend(reversed(groups[place]))
        if place:
            stack.append(_Text(", "))
    stack.append(_Text(start))


def _atom(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return digits(value)
    if isinstance(value, float):
        return float_to_json(value)
    return str(_quote(value if isinstance(value, str) else str(value)))


def _object_keys(value: Map) -> list[tuple[str, Any]]:
    """The entries under quoted keys; keys that differ but have the same text are numbered `k`, `k#2`."""
    seen: dict[str, int] = {}
    entries: list[tuple[str, Any]] = []
    for key, element in value.items():
        text = key if isinstance(key, str) else str(key) if isinstance(key, Symbol) else to_json(_without_points(key))
        seen[text] = seen.get(text, 0) + 1
        entries.append((_quote(text if seen[text] == 1 else f"{text}#{seen[text]}"), element))
    return entries


def _without_points(key: Any) -> Any:
    """A key in which whole numbers are integers: it is the same key however it was stored."""
    if isinstance(key, float) and key.is_integer():
        return int(key)
    if isinstance(key, list | tuple | np.ndarray):
        return [_without_points(item) for item in (key.tolist() if isinstance(key, np.ndarray) else key)]
    return key


def column_to_json(column: NDArray[Any] | list[Any]) -> list[str]:
    """The JSON text of each draw of a predict; an array has the draws along its last axis."""
    if isinstance(column, list):
        return [to_json(value) for value in column]
    if column.dtype.kind not in "biuf":
        return [to_json(column[..., draw]) for draw in range(column.shape[-1])]
    if column.ndim == 1:
        if column.dtype.kind == "b":
            return ["true" if value else "false" for value in column.tolist()]
        if column.dtype.kind == "f" and not np.isfinite(column).all():
            return list(map(float_to_json, column.tolist()))
        return list(map(repr, column.tolist()))
    if column.size == 0 or (column.dtype.kind == "f" and not np.isfinite(column).all()):
        return [to_json(column[..., draw]) for draw in range(column.shape[-1])]
    # One call writes all draws; `]], [[` then stands only between two draws, never inside one.
    depth = column.ndim - 1
    text = json.dumps(np.moveaxis(column, -1, 0).tolist())
    inner = text[1 + depth : -1 - depth].split("]" * depth + ", " + "[" * depth)
    return ["[" * depth + draw + "]" * depth for draw in inner]


def from_python(value: Any) -> Any:
    """A plain value of what JSON or a Python caller hands over.

    A sequence of numbers becomes a vector, a rectangle of numbers a matrix, any other sequence a tuple, a
    dict a map; plain values stay as they are. A series of pandas is a sequence, a frame one of records, a map each."""
    if isinstance(value, np.ndarray):
        return _from_array(value)
    if is_frame(value):
        return records_of(columns_of(value))
    if _is_of_pandas(value, "Series"):
        return _from_series(value)
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (list, tuple, range):
        return _from_sequence(list(value))
    if isinstance(value, Mapping):
        return Map.of((from_python(k), from_python(v)) for k, v in value.items())
    return value


def _is_of_pandas(value: Any, name: str) -> bool:
    """Whether a value is of a class of pandas, which need not be there."""
    return any(each.__name__ == name and each.__module__.split(".")[0] == "pandas" for each in type(value).__mro__)


def is_frame(value: Any) -> bool:
    """Whether a value is a data frame."""
    return _is_of_pandas(value, "DataFrame")


def columns_of(frame: Any) -> dict[str, Any]:
    """The columns of a data frame by name."""
    return {str(name): _from_series(frame[name]) for name in frame.columns}


def records_of(columns: Mapping[str, Any]) -> tuple[Map, ...]:
    """The rows of a table as maps from the names of the columns."""
    rows = zip(*(column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()))
    return tuple(Map.of(zip(columns, row)) for row in rows)


def _from_series(series: Any) -> Any:
    """A series; what is missing in it is nil, or NaN where it is an array of floats."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        return _from_array(series.to_numpy())
    return _from_sequence([None if gone else value for value, gone in zip(series.tolist(), series.isna().tolist())])


def _from_array(value: NDArray[Any]) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        return from_python(value.tolist())
    if value.dtype.names is not None:
        return from_python([dict(zip(value.dtype.names, row)) for row in value.tolist()])
    if value.ndim == 0:
        return from_python(value.item())
    if value.dtype.kind == "u" and value.size and value.max() > np.iinfo(np.int64).max:
        return from_python(value.tolist())
    if value.ndim > 2 or value.dtype.kind not in "iuf":
        return tuple(from_python(element) for element in value)
    return _frozen(value.astype(np.float64 if value.dtype.kind == "f" else np.int64))


def _from_sequence(items: list[Any]) -> Any:
    kinds = set(map(type, items))
    if kinds and kinds <= {int, float}:
        try:
            return _frozen(np.array(items, dtype=np.float64 if float in kinds else np.int64))
        except OverflowError:  # An int beyond 64 bits stays exact in a tuple.
            return tuple(items)
    elements = [from_python(item) for item in items]
    if not elements or any(type(element) is not np.ndarray for element in elements):
        if any(isinstance(item, np.generic) for item in items):
            return _from_sequence(elements)
        return tuple(elements)
    shape = elements[0].shape
    if len(shape) != 1 or any(element.shape != shape for element in elements):
        return tuple(elements)
    return _frozen(np.array(elements))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def of_word(text: str) -> Any:
    """A word that is no JSON: a keyword, as `:heads` is, or else a string."""
    return Symbol(text) if _KEYWORD.fullmatch(text) else text
