"""Plain values of the language: what one lane alone holds.

nil is None, booleans, ints, floats and strings are Python's own, a numeric vector or matrix is a
read-only ndarray (int64 or float64), any other vector a tuple, a list a `List`, a map a `Map`,
a quoted symbol or a keyword a `Symbol`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np


class ModelError(Exception):
    """An error in the model that is being run: a message, and later the place in its source."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A quoted name; a keyword keeps its colon."""

    name: str

    def __str__(self) -> str:
        return self.name


class List(tuple[Any, ...]):
    """A list: a sequence that `conj` extends at the front (a vector is extended at the back)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "List" + tuple.__repr__(self)


class Map:
    """An immutable map; keys compare as `=` does: 1 and 1.0 are one key, true and 1 are two."""

    __slots__ = ("_entries",)

    def __init__(self, entries: dict[Any, tuple[Any, Any]]) -> None:
        self._entries: Final = entries

    @classmethod
    def of(cls, pairs: Iterator[tuple[Any, Any]]) -> Map:
        return cls({key_of(k): (k, v) for k, v in pairs})

    def get(self, key: Any, default: Any = None) -> Any:
        entry = self._entries.get(key_of(key))
        return default if entry is None else entry[1]

    def assoc(self, key: Any, value: Any) -> Map:
        return Map({**self._entries, key_of(key): (key, value)})

    def without(self, key: Any) -> Map:
        gone = key_of(key)
        return Map({k: e for k, e in self._entries.items() if k != gone})

    def items(self) -> Iterator[tuple[Any, Any]]:
        return iter(self._entries.values())

    def __contains__(self, key: Any) -> bool:
        return key_of(key) in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and key_of(self) == key_of(other)

    def __hash__(self) -> int:
        return hash(key_of(self))


_BOOLS: Final = {True: ("bool", True), False: ("bool", False)}


def key_of(value: Any) -> Any:
    """A hashable stand-in: two plain values are `=` exactly when their keys are equal.

    Python's 1 == 1.0 is wanted; its 1 == True is not. Procedures and processes are their own keys.
    """
    kind = type(value)
    if kind is int or kind is str or value is None:
        return value
    if kind is bool:
        return _BOOLS[value]
    if kind is float:
        return value
    if kind is tuple or kind is List:
        return ("seq", *map(key_of, value))
    if kind is np.ndarray:
        return key_of(tuple(value.tolist())) if value.ndim == 1 else ("seq", *map(key_of, value))
    if kind is list:
        return ("seq", *map(key_of, value))
    if kind is Map:
        return ("map", frozenset((k, key_of(v)) for k, (_, v) in value._entries.items()))
    if isinstance(value, np.generic):
        return key_of(value.item())
    return value
