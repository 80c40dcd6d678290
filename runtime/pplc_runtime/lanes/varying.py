"""Values over lanes: read them, part lanes that disagree, and join them again.

A value that all lanes share is a plain value. One that differs is a `Lane`: an array whose last axis is the lane
axis. Where lanes disagree on what is not a number (a closure, the length of a list) the value is a `Mix`: some
plain or lane values, and for each lane which of them it has. Lists, maps and distributions may have such values
inside. A frame of one lane reads plain values only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.domains import LARGEST_WHOLE
from pplc_runtime.lanes.frames import Frame, Index, here, run_in
from pplc_runtime.values import Compound, Map, Symbol, Value, aligned, children, exact_key, inside, rebuild

EXACT = LARGEST_WHOLE
"""Whole numbers up to here are the same as floats. Beyond, an integer and a float are not kept in one array."""


class Dead(Exception):  # not an error: the execution ends here with weight zero
    """Every lane of the running frame has weight zero."""


class Lane:
    """A number, boolean, vector or matrix in each lane of a frame."""

    __slots__ = ("_data", "_frame", "checked", "data", "derived", "frame")

    def __init__(self, data: NDArray[Any], frame: Frame) -> None:
        self.data = data
        self.frame = frame
        self._frame: Frame | None = None
        self._data: Any = None
        self.checked: Any = None
        """The domain that the lanes are known to be in."""
        self.derived: Any = None
        """What a distribution keeps of the lanes: the factors of a covariance."""

    def at(self, frame: Frame) -> Any:
        """The raw values in a frame: an array, or a plain value where the frame has one lane."""
        if self.frame is frame:
            return self.data
        if self._frame is frame:
            return self._data
        if frame.size == 1:
            position = frame.map_from(self.frame)[0]
            value = self.data[..., position]
            data = value.item() if value.ndim == 0 else value
        elif self._frame is not None and self._frame is frame.parent and self._frame.size > 1:
            data = self._data.take(frame.index, -1)
        else:
            data = self.data.take(frame.map_from(self.frame), -1)
        self._frame = frame
        self._data = data
        return data

    @property
    def rank(self) -> int:
        return self.data.ndim - 1

    def __repr__(self) -> str:
        return f"Lane({self.data!r})"


class Mix:
    """One of several values in each lane."""

    __slots__ = ("options", "which")

    def __init__(self, which: Lane, options: list[Value]) -> None:
        self.which = which
        self.options = options


def raw(value: Value) -> Any:
    """What numpy can work with: the array of a Lane in the running frame, anything else as it is."""
    return value.at(here.frame) if type(value) is Lane else value


def lane(data: Any) -> Value:
    """A Lane of the running frame, or a plain value in a frame of one lane."""
    frame = here.frame
    if frame.size == 1:
        value = data[..., 0]
        return value.item() if value.ndim == 0 else value
    return Lane(data, frame)


def settle(value: Value) -> Value:
    """A Mix whose lanes agree in the running frame as the value that they have; anything else as it is."""
    if type(value) is not Mix:
        return value
    which = value.which.at(here.frame)
    if type(which) is int:
        return settle(value.options[which])
    first = which[0]
    return settle(value.options[first]) if (which == first).all() else value


def varies(value: Value) -> bool:
    """Whether some lane may have another value than its neighbour; looks inside of structures."""
    kind = type(value)
    if kind is Lane or kind is Mix:
        return True
    if kind is int or kind is float or kind is np.ndarray or kind is str or value is None:
        return False
    if isinstance(value, Compound):  # what is told apart by an address does not vary, whatever is inside
        return any(map(varies, value.identity()[1]))
    return any(map(varies, children(value)))


# Parting


def part(groups: Sequence[Index], work: Callable[[int], Value]) -> Value:
    """Work for each group of lanes of the running frame in turn, and join what comes out.

    Lanes that die on the way are left behind: the frame that runs on has only the living. If those of all groups die,
    and there are lanes in no group, nothing comes out."""
    frame = here.frame
    deaths = here.handler.deaths
    done: list[tuple[Frame, Value]] = []
    try:
        for number, index in enumerate(groups):
            inner = frame.part(index)
            run_in(inner)
            try:
                done.append((inner, work(number)))
            except Dead:
                continue
    finally:
        run_in(frame)
    if here.handler.deaths != deaths:
        here.handler.bury()
    return join(frame, done) if done else None


def by_option(value: Mix, work: Callable[[Value], Value]) -> Value:
    """Work with each option of a Mix in the lanes that have it."""
    settled = settle(value)
    if settled is not value:
        return work(settled)
    which = value.which.at(here.frame)
    present = np.unique(which)
    groups = [np.flatnonzero(which == option) for option in present]
    return part(groups, lambda number: work(settle(value.options[present[number]])))


def by_value(value: Lane, work: Callable[[Value], Value]) -> Value:
    """Work with each distinct plain value of a scalar Lane in the lanes that have it, in increasing order."""
    data = value.at(here.frame)
    if type(data) is not np.ndarray:
        return work(data)
    distinct, inverse = np.unique(data, return_inverse=True)
    if len(distinct) == 1:
        return work(distinct[0].item())
    groups = [np.flatnonzero(inverse == number) for number in range(len(distinct))]
    return part(groups, lambda number: work(distinct[number].item()))


def one_by_one(work: Callable[[], Value]) -> Value:
    """Work in each lane of the running frame alone, where every value is plain."""
    size = here.frame.size
    if size == 1:
        return work()
    return part([np.array([position]) for position in range(size)], lambda _: work())


def plain(value: Value) -> Value:
    """The plain value in a frame of one lane; looks inside of structures."""
    kind = type(value)
    if kind is Lane:
        return value.at(here.frame)
    if kind is Mix:
        return plain(settle(value))
    old = children(value)
    if not old:
        return value
    new = tuple(map(plain, old))
    return value if all(map(is_, new, old)) else rebuild(value, new)


def holds_lanes(value: Value) -> bool:
    """Whether there is a value over lanes anywhere inside, also in what closures and memos close over."""
    kind = type(value)
    return kind is Lane or kind is Mix or any(map(holds_lanes, inside(value)))


def grouped(values: tuple[Value, ...], work: Callable[[tuple[Value, ...]], Value]) -> Value:
    """Work with the plain values of a tuple, once for each distinct tuple that lanes have."""
    if not any(map(varies, values)):
        return work(values)
    frame = here.frame
    if frame.size == 1:
        return work(tuple(map(plain, values)))
    if len(values) == 1 and type(values[0]) is Lane and values[0].data.ndim == 1:
        return by_value(values[0], lambda value: work((value,)))
    columns = [per_lane(value, frame) for value in values]
    groups: dict[Any, tuple[tuple[Value, ...], list[int]]] = {}
    for position, row in enumerate(zip(*columns)):
        groups.setdefault(exact_key(row), (row, []))[1].append(position)
    rows = [row for row, _ in groups.values()]
    if len(rows) == 1:
        return work(rows[0])
    return part([np.array(lanes) for _, lanes in groups.values()], lambda number: work(rows[number]))


def per_lane(value: Value, frame: Frame) -> list[Value]:
    """The plain value of every lane of a frame."""
    kind = type(value)
    if kind is Lane:
        data = value.at(frame)
        if type(data) is not np.ndarray or value.data.ndim == 1:
            return [data] if type(data) is not np.ndarray else list(data.tolist())
        if frame.size == 1:
            return [data]
        return [data[..., position] for position in range(frame.size)]
    if kind is Mix:
        which = per_lane(value.which, frame)
        columns = {option: per_lane(value.options[option], frame) for option in set(which)}
        return [columns[option][position] for position, option in enumerate(which)]
    if varies(value):
        rows = zip(*(per_lane(item, frame) for item in children(value)))
        return [rebuild(value, row) for row in rows]
    return [value] * frame.size


# Joining


def layout(value: Value) -> tuple[str, tuple[int, ...]] | None:
    """What one array can hold: the kind and shape of a boolean, number, vector or matrix."""
    kind = type(value)
    if kind is Lane:
        return ("b" if value.data.dtype.kind == "b" else "n", value.data.shape[:-1])
    if kind is bool:
        return ("b", ())
    if kind is float or kind is int:
        return ("n", ())
    if kind is np.ndarray:
        return ("n", value.shape)
    return None


def join(frame: Frame, parts: list[tuple[Frame, Value]]) -> Value:
    """One value for a frame from the values of parts of it; lanes in no part may get anything."""
    first = parts[0][1]
    if all(value is first for _, value in parts):
        return first
    kind = type(first)
    same_kind = all(type(value) is kind for _, value in parts)
    if same_kind and _is_atom(kind) and all(value == first for _, value in parts):
        return first
    shape = layout(first)
    if shape is not None and all(layout(value) == shape for _, value in parts):
        scattered = _scatter(frame, parts, shape)
        if scattered is not None:
            return scattered
    elif same_kind and (kind is not Map or all(value.is_written_like(first) for _, value in parts)):
        rows = [row for _, value in parts if (row := aligned(value, first)) is not None]
        if len(rows) == len(parts):
            frames = [inner for inner, _ in parts]
            joined = tuple(join(frame, list(zip(frames, column))) for column in zip(*rows))
            if not (isinstance(first, Compound) and first.arrays and _has_mixed_numbers(joined, rows[0])):
                return rebuild(first, joined)
    return _mixed(frame, parts)


def _has_mixed_numbers(joined: tuple[Value, ...], before: tuple[Value, ...]) -> bool:
    """Whether numbers have come out that no array holds together."""
    return any(type(value) is Mix and layout(old) is not None for value, old in zip(joined, before))


def _is_atom(kind: type) -> bool:
    return kind is str or kind is bool or kind is int or kind is float or kind is Symbol


def _scatter(frame: Frame, parts: list[tuple[Frame, Value]], shape: tuple[str, tuple[int, ...]]) -> Lane | None:
    sort, dims = shape
    arrays = [value.at(inner) if type(value) is Lane else value for inner, value in parts]
    if sort == "b":
        dtype: Any = np.bool_
    elif all(type(a) is int or (type(a) is np.ndarray and a.dtype.kind == "i") for a in arrays):
        dtype = np.int64
    else:
        dtype = np.float64
        if any(beyond_floats(a) for a in arrays):
            return None
    data = np.zeros((*dims, frame.size), dtype)
    for (inner, value), array in zip(parts, arrays):
        shared = type(array) is np.ndarray and (type(value) is not Lane or inner.size == 1)
        try:
            data[..., inner.map_from(frame)] = array[..., None] if shared else array
        except OverflowError:  # an integer that no machine word holds
            return None
    return Lane(data, frame)


def beyond_floats(a: Any) -> bool:
    """Whether a plain number or an array has integers that floats may not hold."""
    if type(a) is np.ndarray:
        return bool(a.dtype.kind == "i" and a.size and (a.max() > EXACT or a.min() < -EXACT))
    return type(a) is int and not -EXACT <= a <= EXACT


def _mixed(frame: Frame, parts: list[tuple[Frame, Value]]) -> Mix:
    which = np.zeros(frame.size, np.intp)
    options: list[Value] = []
    numbers: dict[Any, int] = {}

    def number_of(option: Value) -> int:
        key = (type(option), option) if _is_atom(type(option)) or option is None else id(option)
        if key not in numbers:
            numbers[key] = len(options)
            options.append(option)
        return numbers[key]

    for inner, value in parts:
        lanes = inner.map_from(frame)
        if type(value) is Mix:
            inside = value.which.at(inner)
            if type(inside) is int:
                which[lanes] = number_of(value.options[inside])
            else:
                table = {option: number_of(value.options[option]) for option in np.unique(inside).tolist()}
                which[lanes] = [table[option] for option in inside.tolist()]
        else:
            which[lanes] = number_of(value)
    return Mix(Lane(which, frame), options)
