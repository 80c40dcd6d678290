"""Elements by index: read and replaced, also where each lane has an index of its own."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.distributions.identity_cache import IdentityCache
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, Mix, beyond_floats, by_option, by_value, raw
from pplc_runtime.primitives.arguments import element, elements, settled, whole
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.values import List, ModelError, Value

NO_DEFAULT: Value = object()


def nth(value: Value, index: Value, default: Value = NO_DEFAULT) -> Value:
    """(nth xs i) or (nth xs i default)."""
    if type(index) is int and (type(value) is tuple or type(value) is List) and 0 <= index < len(value):
        return value[index]
    if type(value) is np.ndarray:
        if type(index) is int:
            if 0 <= index < len(value):
                return value.item(index) if value.ndim == 1 else value[index]
        elif type(index) is Lane and index.data.ndim == 1 and index.data.dtype == np.int64 and value.ndim <= 2:
            positions = index.at(here.frame)
            if type(positions) is np.ndarray and value.size:
                unsigned = positions.view(np.uint64)  # in which negative indices are too large as well
                if unsigned.item(unsigned.argmax()) < len(value):
                    chosen = value.take(positions) if value.ndim == 1 else _columns(value).take(positions, 1)
                    return Lane(chosen, here.frame)
    return at_index(value, index, default, "nth")


_columns: Final = IdentityCache(lambda matrix: np.ascontiguousarray(matrix.T))
"""The rows of a shared matrix as columns, from which lanes are taken."""


@settled(0, 1)
def at_index(value: Value, index: Value, default: Value, name: str) -> Value:
    """The element of a sequence at an index; `name` is who asks."""
    length = length_of(value, name)
    if type(index) is Lane:
        return _at_lane_index(value, index, default, name, length)
    position = whole(index, name)
    if not 0 <= position < length:
        return _out_of_range(position, length, default, name)
    if type(value) is Lane:
        return element(value, position)
    if type(value) is np.ndarray:
        item = value[position]
        return item.item() if isinstance(item, np.generic) else item
    return elements(value, name)[position]


def length_of(value: Value, name: str) -> int:
    if type(value) is np.ndarray:
        return len(value)
    return len(value.data) if type(value) is Lane and value.data.ndim > 1 else len(elements(value, name))


def _out_of_range(position: int, length: int, default: Value, name: str) -> Value:
    if default is NO_DEFAULT:
        raise ModelError(f"'{name}' of index {position} in a sequence of length {length}; the first index is 0")
    return default


def lane_indices(index: Lane, name: str) -> Any:
    """The indices of a Lane as an array of integers."""
    data = index.at(here.frame)
    if index.data.ndim != 1 or data.dtype.kind == "b":
        raise refused(f"'{name}' takes an index", index)
    if data.dtype.kind == "i":
        return data
    broken = np.flatnonzero(np.floor(data) != data)
    if len(broken) or not np.all(np.isfinite(data)):
        at = broken[0] if len(broken) else np.flatnonzero(~np.isfinite(data))[0]
        raise ModelError(f"'{name}' takes a whole number here, not {data[at].item()}")
    return data.astype(np.intp)


def _at_lane_index(value: Value, index: Lane, default: Value, name: str, length: int) -> Value:
    frame = here.frame
    positions = lane_indices(index, name)
    inside = (positions >= 0) & (positions < length)
    if not inside.all():
        outside = int(positions[np.flatnonzero(~inside)[0]])
        if default is NO_DEFAULT or not inside.any():
            return _out_of_range(outside, length, default, name)
        return by_value(Lane(inside, frame), lambda found: at_index(value, index, default, name) if found else default)
    if type(value) is Lane:
        data = value.at(frame)
        if data.ndim == 2:
            return Lane(data[positions, np.arange(frame.size)], frame)
        spread = positions.reshape((1,) * (data.ndim - 1) + (-1,))
        return Lane(np.take_along_axis(data, spread, axis=0)[0], frame)
    if type(value) is np.ndarray:
        chosen = value[positions]
        return Lane(chosen if chosen.ndim == 1 else np.ascontiguousarray(np.moveaxis(chosen, 0, -1)), frame)
    items = elements(value, name)
    distinct, inverse = np.unique(positions, return_inverse=True)
    if len(distinct) == 1:
        return items[distinct[0]]
    chosen = [items[position] for position in distinct]
    packed = chosen if any(map(_is_large, chosen)) else vector(*chosen)
    if isinstance(packed, Lane | np.ndarray):
        return at_index(packed, Lane(inverse, frame), default, name)
    return by_value(Lane(positions, frame), lambda position: items[position])


def _is_large(item: Value) -> bool:
    """Whether an item is a whole number, over lanes or not, that an array of floats would not hold."""
    return type(item) in (int, Lane) and beyond_floats(raw(item))


# Replacing


@settled(0, 1)
def replaced(value: Value, index: Value, item: Value) -> Value:
    """A vector with another element at an index; the index after the last adds one."""
    if type(item) is Mix and type(value) is not tuple:
        return by_option(item, lambda option: replaced(value, index, option))
    length = length_of(value, "assoc")
    if type(index) is Lane:
        return _replaced_by_lane(value, index, item, length)
    position = whole(index, "assoc")
    if not 0 <= position <= length:
        raise ModelError(f"'assoc' of index {position} in a vector of length {length}")
    if position < length and _fits(value, item):
        copy = value.astype(np.result_type(value, np.int64 if type(item) is int else np.float64))
        copy[position] = item
        copy.setflags(write=False)
        return copy
    items = list(elements(value, "assoc"))
    items[position : position + 1] = [item]
    return vector(*items)


def _fits(value: Value, item: Value) -> bool:
    if type(value) is not np.ndarray or value.ndim != 1:
        return False
    return type(item) is float or (type(item) is int and -(2**63) <= item < 2**63)


def _replaced_by_lane(value: Value, index: Lane, item: Value, length: int) -> Value:
    frame = here.frame
    positions = lane_indices(index, "assoc")
    outside = np.flatnonzero((positions < 0) | (positions > length))
    if len(outside):
        raise ModelError(f"'assoc' of index {positions[outside[0]]} in a vector of length {length}")
    if not (positions < length).all() or not _is_numeric_cell(value, item):
        return by_value(Lane(positions, frame), lambda position: replaced(value, position, item))
    old = value.at(frame) if type(value) is Lane else value[:, None]
    new = item.at(frame) if type(item) is Lane else item
    copy = np.empty((length, frame.size), np.result_type(old, np.asarray(new)))
    copy[...] = old
    copy[positions, np.arange(frame.size)] = new
    return Lane(copy, frame)


def _is_numeric_cell(value: Value, item: Value) -> bool:
    """Whether a vector of numbers gets a number."""
    if (value.data.ndim - 1 if type(value) is Lane else np.ndim(value)) != 1 or type(value) is tuple:
        return False
    if type(item) is Lane:
        return item.data.ndim == 1 and item.data.dtype.kind != "b"
    return type(item) is float or (type(item) is int and -(2**63) <= item < 2**63)
