"""The one walk into values: what is inside of a value, and the value again with something else inside.

    children((1, "a"))              (1, "a")
    rebuild((1, "a"), (2, "b"))     (2, "b")
    aligned((2, "b"), (1, "a"))     (2, "b")
    aligned((2, "b", 3), (1, "a"))  None

Whoever looks into values does it by these. A new kind of value is a `Compound`, or a case of each function here.
"""

from __future__ import annotations

from itertools import chain

from pplc_runtime.values.plain import Compound, List, Map, Value


def is_structure(value: Value) -> bool:
    """Whether a value is data with other values inside: a vector that is no array, a list or a map."""
    kind = type(value)
    return kind is tuple or kind is List or kind is Map


def children(value: Value) -> tuple[Value, ...]:
    """The values directly inside of a value. The keys of a map are not: they are what it is told by."""
    kind = type(value)
    if kind is int or kind is float or kind is str or value is None:
        return ()
    if kind is tuple or kind is List:
        items: tuple[Value, ...] = value
        return items
    if kind is Map:
        return tuple([item for _, item in value.items()])
    return value.parts if isinstance(value, Compound) else ()


def inside(value: Value) -> tuple[Value, ...]:
    """All values directly inside of a value: its children, and the keys of a map, which may be closures."""
    return tuple(chain.from_iterable(value.items())) if type(value) is Map else children(value)


def rebuild(value: Value, items: tuple[Value, ...]) -> Value:
    """A value with others in place of its children."""
    kind = type(value)
    if kind is tuple:
        return items
    if kind is List:
        return List(items)
    if kind is Map:
        return value.with_values(items)
    return value.with_parts(items)


def aligned(value: Value, like: Value) -> tuple[Value, ...] | None:
    """The children of a value in the order of those of another of its kind.

    None if the two differ in more than their children, or have none."""
    kind = type(like)
    if kind is tuple or kind is List:
        elements: tuple[Value, ...] = value
        return elements if len(value) == len(like) else None
    if kind is Map:
        keys = [key for key, _ in like.items()]
        return tuple([value.get(key) for key in keys]) if value.has_keys(keys) else None
    if isinstance(like, Compound) and like.alike(value):
        parts: tuple[Value, ...] = value.parts
        return parts if len(parts) == len(like.parts) else None
    return None
