"""Arguments of primitives: brought to a form that a primitive can look at.

A `Mix` is parted by its options before a primitive sees it, and in a frame of one lane a `Lane` is read as
the plain value that it is there. After that, a `Lane` means that the frame has several lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, by_value
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.values import List, Map, Value

Function = Callable[..., Value]


def settled(*positions: int) -> Callable[[Function], Function]:
    """Settle the arguments at these positions before the call; with no positions, all of them.

    The other arguments are leaves that the primitive passes on without a look."""

    def decorate(work: Function) -> Function:
        @wraps(work)
        def primitive(*items: Value) -> Value:
            for position in positions or range(len(items)):
                if position >= len(items):
                    break
                item = items[position]
                kind = type(item)
                if kind is Mix:
                    return by_option(item, with_item(primitive, items, position))
                if kind is Lane and here.frame.size == 1:
                    items = (*items[:position], item.at(here.frame), *items[position + 1 :])
            return work(*items)

        return primitive

    return decorate


def with_item(function: Function, items: tuple[Value, ...], position: int) -> Callable[[Value], Value]:
    """The call of a function with all items but one, as a function of that one."""
    before, after = items[:position], items[position + 1 :]
    return lambda item: function(*before, item, *after)


def elements(value: Value, name: str) -> tuple[Value, ...]:
    """The elements of a settled sequence: a list, vector, string, map (its entries) or nil."""
    kind = type(value)
    if kind is List or kind is tuple:
        return value  # type: ignore[no-any-return] # a tuple
    if value is None:
        return ()
    if kind is np.ndarray:
        return tuple(value.tolist()) if value.ndim == 1 else tuple(value)
    if kind is Lane and value.data.ndim > 1:
        return tuple(element(value, position) for position in range(len(value.data)))
    if kind is str:
        return tuple(value)
    if kind is Map:
        return tuple(vector(key, item) for key, item in value.items())
    raise refused(f"'{name}' takes a list or vector", value)


def element(value: Lane, position: int) -> Value:
    """An element of a vector over lanes, gathered only when it is read."""
    frame = here.frame
    if frame.size == 1:
        item = value.at(frame)[position]
        return item.item() if isinstance(item, np.generic) else item
    data = value.data if value.frame is not frame and value._frame is not frame else value.at(frame)
    return Lane(data[position], frame if data is not value.data else value.frame)


def whole(value: Value, name: str) -> int:
    """A plain argument that counts or indexes. A float with a whole value will do: 2 = 2.0."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise refused(f"'{name}' takes a whole number here", value)


def with_whole(value: Value, name: str, work: Callable[[int], Value]) -> Value:
    """Work with a whole number that lanes may disagree on."""
    if type(value) is Lane and value.data.ndim == 1 and value.data.dtype.kind != "b":
        return by_value(value, lambda number: work(whole(number, name)))
    return work(whole(value, name))


def is_number(value: Value) -> bool:
    """Whether a settled value is a number in every lane."""
    kind = type(value)
    if kind is Lane:
        return bool(value.data.ndim == 1 and value.data.dtype.kind != "b")
    return kind is float or kind is int
