"""Numbers as arrays: what an operation can work on, and vectors from items."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import (
    Lane,
    Mix,
    by_option,
    join,
    settle,
)
from pplc_runtime.primitives.scalars import Unary
from pplc_runtime.primitives.whole_numbers import (
    LARGEST,
    Outgrown,
)
from pplc_runtime.values import List, Value

STRUCTURES = (tuple, List)


_NO_NUMBERS = np.zeros(0, np.int64)
_NO_NUMBERS.setflags(write=False)


def numeric(value: Value, name: str) -> Value:
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
        array = vector(*(numeric(item, name) if type(item) in STRUCTURES else item for item in value))
        if type(array) is np.ndarray or (type(array) is Lane and array.data.dtype.kind != "b"):
            return array
        if all(type(item) in (int, float) or (type(item) is Lane and item.rank == 0) for item in array):
            raise Outgrown  # numbers, but no array holds them
    raise refused(f"'{name}' takes numbers", value)


def has_mix(value: Value) -> bool:
    """Whether there is a Mix in a list or vector, or in those in it."""
    return any(type(item) is Mix or (type(item) in STRUCTURES and has_mix(item)) for item in value)


def without_mix(value: Value, work: Unary) -> Value:
    """Work with a list or vector in which no Mix is left; lanes part where they disagree on one."""
    mix = _first_mix(value)
    if mix is None:
        return work(_with_option(value, None, None))
    return by_option(mix, lambda option: without_mix(_with_option(value, mix, option), work))


def _first_mix(value: Value) -> Mix | None:
    value = settle(value)
    if type(value) in STRUCTURES:
        return next((mix for mix in map(_first_mix, value) if mix is not None), None)
    return value if type(value) is Mix else None


def _with_option(value: Value, mix: Mix | None, option: Value) -> Value:
    value = settle(value)
    if value is mix and mix is not None:
        return option
    return type(value)(_with_option(v, mix, option) for v in value) if type(value) in STRUCTURES else value


MOST_AXES: Final = 32
"""What every version of numpy allows, the one of the lanes included."""


def vector(*items: Value) -> Value:
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


def is_scalar_lane(value: Value) -> bool:
    return type(value) is Lane and value.rank == 0


def objects(value: Value, name: str) -> Value:
    """Plain numbers as an array of Python's own, which have no limits; one number as it is."""
    if type(value) is int or type(value) is float:
        return value
    try:
        array = np.array(value.tolist() if type(value) is np.ndarray else value, object)
    except ValueError:
        array = None
    if array is None or not all(type(item) is int or type(item) is float for item in array.flat):
        raise refused(f"'{name}' takes numbers", value)
    return array


def number_lanes(values: list[Value]) -> Value:
    """Plain numbers, one for each lane of the running frame: large integers apart, the others as arrays."""
    frame = here.frame
    groups: dict[Any, list[int]] = {}
    for position, value in enumerate(values):
        small = type(value) is float or -LARGEST <= value <= LARGEST
        groups.setdefault(type(value) if small else value, []).append(position)
    parts: list[tuple[Value, Value]] = []
    for key, positions in groups.items():
        inner = frame if len(groups) == 1 else frame.part(np.array(positions))
        lanes = lane_of(np.array([values[p] for p in positions]), inner) if type(key) is type else key
        parts.append((inner, lanes))
    return join(frame, parts)


def lane_of(data: Any, frame: Any) -> Value:
    """A Lane of a frame, or a plain number where it has one lane."""
    return Lane(data, frame) if frame.size > 1 else data.item()


def vectors(items: list[Value]) -> Value:
    """A vector from nested lists of numbers."""
    return vector(*(vectors(item) if type(item) is list else item for item in items))
