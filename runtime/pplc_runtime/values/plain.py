"""Plain values of the language: what one lane alone holds.

nil is None, booleans, ints, floats and strings are Python's own, a numeric vector or matrix is a
read-only ndarray (int64 or float64), any other vector a tuple, a list a `List`, a map a `Map`,
a quoted symbol or a keyword a `Symbol`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np

Value: TypeAlias = Any
"""A value of the language: one of those below, or in a run one that varies by lane (`lanes.varying`)."""
Place: TypeAlias = tuple[int, int]
"""A line and a column of the source, counted from 1."""


class ModelError(Exception):
    """An error in the model that is being run: a message, and the place in its source once that is known."""

    place: tuple[int, int, int] | None = None
    """Line, column and width of the form at fault."""
    statement: Place | None = None
    """Where the statement starts that was being run, in case no form is known."""
    rendered: str | None = None
    """The message with the source line and the chain of calls."""

    def __str__(self) -> str:
        return self.rendered or super().__str__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.args, self.place, self.rendered)


class Impossible(ModelError):
    """All particles have weight zero."""


def _rebuilt(args: tuple[Any, ...], place: tuple[int, int, int] | None, rendered: str | None) -> ModelError:
    """An error that came back from another process."""
    error = ModelError(*args)
    error.place, error.rendered = place, rendered
    return error


@dataclass(frozen=True, slots=True)
class Symbol:
    """A quoted name; a keyword keeps its colon."""

    name: str

    def __str__(self) -> str:
        return self.name


class List(tuple[Value, ...]):
    """A list: a sequence that `conj` extends at the front (a vector is extended at the back)."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "List" + tuple.__repr__(self)


class Map:
    """An immutable map; keys compare as `=` does: 1 and 1.0 are one key, true and 1 are two."""

    __slots__ = ("_entries",)

    def __init__(self, entries: dict[Any, tuple[Value, Value]]) -> None:
        self._entries: Final = entries

    @classmethod
    def of(cls, pairs: Iterable[tuple[Value, Value]]) -> Map:
        return cls({key_of(k): (k, v) for k, v in pairs})

    def get(self, key: Value, default: Value = None) -> Value:
        """The value of a key. A keyword also finds the text of its name: records of data have such keys."""
        entry = self._entries.get(key_of(key))
        if entry is None and type(key) is Symbol and key.name.startswith(":"):
            entry = self._entries.get(key.name[1:])
        return default if entry is None else entry[1]

    def assoc(self, key: Value, value: Value) -> Map:
        return Map({**self._entries, key_of(key): (key, value)})

    def without(self, key: Value) -> Map:
        gone = key_of(key)
        return Map({k: e for k, e in self._entries.items() if k != gone})

    def with_values(self, values: Iterable[Value]) -> Map:
        """The same keys with other values, in their order."""
        return Map({k: (key, v) for (k, (key, _)), v in zip(self._entries.items(), values)})

    def items(self) -> Iterator[tuple[Value, Value]]:
        return iter(self._entries.values())

    def is_written_like(self, other: Map) -> bool:
        """Whether it has the same keys in the same order, and they are written the same way."""
        return len(self) == len(other) and all(
            key is like or written_key(key) == written_key(like)
            for (key, _), (like, _) in zip(self.items(), other.items())
        )

    def has_keys(self, keys: list[Value]) -> bool:
        """Whether these are all of its keys."""
        return len(keys) == len(self._entries) and all(key in self for key in keys)

    def __contains__(self, key: Value) -> bool:
        return key_of(key) in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and key_of(self) == key_of(other)

    def __hash__(self) -> int:
        return hash(key_of(self))


class Compound:
    """A value with others inside, its parts, and something beside them that tells it from its like."""

    __slots__ = ("parts",)

    arrays: ClassVar[bool] = False
    """Whether its numbers are for families, which take arrays: lanes that share none have values of their own."""

    def __init__(self, parts: tuple[Value, ...]) -> None:
        self.parts = parts

    def with_parts(self, parts: tuple[Value, ...]) -> Compound:
        """The same with other parts."""
        raise NotImplementedError

    def alike(self, other: Value) -> bool:
        """Whether another of its kind differs in parts only."""
        raise NotImplementedError

    def identity(self) -> tuple[Any, tuple[Value, ...]]:
        """What a program can tell it by: something that is compared at once, and values."""
        raise NotImplementedError


class Procedure(Compound):
    """A compound procedure: its code, and as its parts the values that it closes over.

    `at` is the address where a closure was made, and tells it from others with the same code."""

    __slots__ = ("at", "code", "name", "parameters", "variadic")

    def __init__(
        self,
        code: Callable[..., Value],
        name: str,
        parameters: int,
        variadic: bool,
        parts: tuple[Value, ...] = (),
        at: Any = None,
    ) -> None:
        self.parts = parts
        self.at = at
        self.code = code
        self.name = name
        self.parameters = parameters
        self.variadic = variadic

    def with_parts(self, parts: tuple[Value, ...]) -> Procedure:
        return Procedure(self.code, self.name, self.parameters, self.variadic, parts, self.at)

    def alike(self, other: Value) -> bool:
        return self.code is other.code and self.at is other.at

    def identity(self) -> tuple[Any, tuple[Value, ...]]:
        """What tells it from others: a closure by where it was made, one of `partial` and its kin by what it has."""
        return (self.code, self.at), self.parts if self.at is None else ()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Procedure) and key_of(self) == key_of(other))

    def __hash__(self) -> int:
        return hash((id(self.code), id(self.at)))

    def __str__(self) -> str:
        return f"<procedure {self.name}>"


class Stochastic(Compound):
    """What draws come from: a distribution or a process. It is no number, no truth value, and nothing to report."""

    __slots__ = ()

    arrays = True
    what: ClassVar[str] = "distribution"
    drawn: ClassVar[str] = "(sample ...)"
    """How a program draws from it."""


class Memo(Compound):
    """A memoised procedure; its entries are kept by the run, under its address.

    One that goes `by_lane` only computes and draws: its entries for different keys can be computed at once."""

    __slots__ = ("at", "by_lane")

    def __init__(self, at: Any, procedure: Value, by_lane: bool = False) -> None:
        self.at = at
        self.parts = (procedure,)
        self.by_lane = by_lane

    @property
    def procedure(self) -> Value:
        return self.parts[0]

    def with_parts(self, parts: tuple[Value, ...]) -> Memo:
        return Memo(self.at, parts[0], self.by_lane)

    def alike(self, other: Value) -> bool:
        return self.at is other.at

    def identity(self) -> tuple[Any, tuple[Value, ...]]:
        return self.at, ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memo) and self.at is other.at

    def __hash__(self) -> int:
        return hash(self.at)

    def __str__(self) -> str:
        return "<memoised procedure>"  # which procedure may differ from lane to lane, where the memo is one


_BOOLS: Final = {True: ("bool", True), False: ("bool", False)}
_NAN: Final = ("nan",)


def key_of(value: Value) -> Any:
    """A hashable stand-in: two plain values are `=` exactly when their keys are equal.

    Python's 1 == 1.0 is wanted; its 1 == True is not. Distributions go by family and parameters, closures and
    processes by where they were made. NaN is `=` to nothing, but as a key it is found again.
    """
    kind = type(value)
    if kind is int or kind is str or value is None:
        return value
    if kind is bool:
        return _BOOLS[value]
    if kind is float:
        return value if value == value else _NAN
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
    if isinstance(value, Compound):
        tag, values = value.identity()
        return (kind, tag, *map(key_of, values))
    return value


def written_key(value: Value) -> Any:
    """A hashable stand-in that tells apart what is written otherwise: a list from a vector, but not 1 from 1.0."""
    kind = type(value)
    if kind is float and value.is_integer():
        return (int, int(value))
    if kind is tuple or kind is np.ndarray:
        return (tuple, *map(written_key, value if kind is tuple else value.tolist()))
    if kind is list or kind is List:
        return (tuple if kind is list else List, *map(written_key, value))
    return exact_key(value)


def exact_key(value: Value) -> Any:
    """A hashable stand-in that tells apart whatever a program can: also 1 from 1.0, and a list from a vector."""
    kind = type(value)
    if kind is int or kind is float or kind is bool or kind is str or kind is Symbol or value is None:
        return (kind, value)
    if kind is tuple or kind is List:
        return (kind, *map(exact_key, value))
    if kind is np.ndarray:
        return (kind, value.dtype.kind, value.shape, value.tobytes())
    if kind is Map:
        return (kind, *((exact_key(key), exact_key(item)) for key, item in value.items()))
    tag, values = value.identity() if isinstance(value, Compound) else (None, ())
    # What goes by its address alone may have anything inside: only the instance itself is surely the same.
    return (kind, tag, *map(exact_key, values)) if values else (kind, id(value))
