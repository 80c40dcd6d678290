"""Sequences: made, taken apart and put together.

What cuts or joins sequences gives a list, as in Clojure; what makes a vector says so in its name. Structure
is shared by all lanes, so elements are passed on as they are, over lanes or not.
"""

from __future__ import annotations

import math

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import given, refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, by_value, raw
from pplc_runtime.primitives.arguments import (
    element,
    elements,
    is_number,
    settled,
    with_item,
    with_whole,
)
from pplc_runtime.primitives.arithmetic import add, mul
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.primitives.maps import assoc, merge
from pplc_runtime.values import List, Map, ModelError, Value

LONGEST = 100_000_000
"""No list is made longer than this: it would not fit in memory."""
ENDLESS = "this sequence has no end: take a part of it where it stands, as in (take n (range))"
"""Where an endless sequence is made by a call that the compiler could not see."""


def list_of(*items: Value) -> List:
    return List(items)


@settled(0)
def as_vector(value: Value) -> Value:
    """(vec xs)"""
    if type(value) is np.ndarray or type(value) is tuple or (type(value) is Lane and value.data.ndim > 1):
        return value
    return vector(*elements(value, "vec"))


@settled(0)
def as_sequence(value: Value) -> Value:
    """(seq xs): nil where there are no elements."""
    items = elements(value, "seq")
    return List(items) if items else None


# Taking apart


def first(value: Value) -> Value:
    kind = type(value)
    if kind is List or kind is tuple:
        return value[0] if value else None
    return _element_or_nil(value, 0, "first")


def second(value: Value) -> Value:
    return _element_or_nil(value, 1, "second")


def third(value: Value) -> Value:
    return _element_or_nil(value, 2, "third")


def last(value: Value) -> Value:
    return _element_or_nil(value, -1, "last")


def _element_or_nil(value: Value, position: int, name: str) -> Value:
    if type(value) is Mix:
        return by_option(value, lambda option: _element_or_nil(option, position, name))
    if type(value) is Lane and value.data.ndim > 1:
        inside = -len(value.data) <= position < len(value.data)
        return element(value, position) if inside else None
    if type(value) is np.ndarray and -len(value) <= position < len(value):
        item = value[position]
        return item.item() if isinstance(item, np.generic) else item
    items = elements(value, name)
    return items[position] if -len(items) <= position < len(items) else None


def rest(value: Value) -> Value:
    kind = type(value)
    if kind is List:
        return List(value[1:])
    return by_option(value, rest) if kind is Mix else List(elements(value, "rest")[1:])


@settled(0)
def next_of(value: Value) -> Value:
    """(next xs): the rest, nil where it is empty."""
    return List(elements(value, "next")[1:]) or None


@settled(0)
def butlast(value: Value) -> Value:
    return List(elements(value, "butlast")[:-1])


@settled(0)
def count(value: Value) -> Value:
    kind = type(value)
    if kind is List or kind is tuple or kind is str or kind is Map:
        return len(value)
    if kind is np.ndarray:
        return len(value)
    return len(value.data) if kind is Lane and value.data.ndim > 1 else len(elements(value, "count"))


@settled(0, 1)
def take(number: Value, value: Value) -> Value:
    items = elements(value, "take")
    return with_whole(number, "take", lambda n: List(items[: max(n, 0)]))


@settled(0, 1)
def drop(number: Value, value: Value) -> Value:
    items = elements(value, "drop")
    return with_whole(number, "drop", lambda n: List(items[max(n, 0) :]))


@settled(0)
def peek(value: Value) -> Value:
    """The end of a sequence at which `conj` adds."""
    items = elements(value, "peek")
    return (items[0] if type(value) is List else items[-1]) if items else None


@settled(0)
def pop(value: Value) -> Value:
    """A sequence without what `peek` gives."""
    items = elements(value, "pop")
    if not items:
        raise ModelError("'pop' of an empty sequence")
    return List(items[1:]) if type(value) is List else vector(*items[:-1])


# Putting together


@settled(1)
def cons(item: Value, value: Value) -> List:
    return List((item, *elements(value, "cons")))


@settled()
def concat(*values: Value) -> List:
    return List(item for value in values for item in elements(value, "concat"))


@settled(0)
def reverse(value: Value) -> List:
    return List(reversed(elements(value, "reverse")))


def conj(value: Value, *items: Value) -> Value:
    """A sequence with items added where that is cheap: a list at the front, a vector at the back."""
    for item in items:
        value = _conj(value, item)
    return value


@settled(0)
def _conj(value: Value, item: Value) -> Value:
    kind = type(value)
    if kind is List:
        return List((item, *value))
    if kind is np.ndarray and value.ndim == 1 and (type(item) is float or type(item) is int):
        return _appended(value, item)
    if kind is tuple or kind is np.ndarray:
        return vector(*elements(value, "conj"), item)
    if kind is Lane and value.data.ndim > 1:
        return _appended_over_lanes(value, item)
    if value is None:
        return List((item,))
    if kind is Map:
        return _with_entry(value, item)
    raise refused("'conj' takes a list, vector or map", value)


def _appended(value: Value, item: Value) -> Value:
    try:
        longer = np.append(value, item)
    except OverflowError:
        return (*value.tolist(), item)
    if longer.dtype.kind not in "if":
        return (*value.tolist(), item)
    longer.setflags(write=False)
    return longer


def _appended_over_lanes(value: Lane, item: Value) -> Value:
    shape = value.data.shape[1:-1]
    if type(item) is not Lane or item.data.dtype.kind == "b" or item.data.shape[:-1] != shape:
        return vector(*elements(value, "conj"), item)
    frame = here.frame
    return Lane(np.concatenate((value.at(frame), item.at(frame)[None])), frame)


@settled(1)
def _with_entry(value: Map, item: Value) -> Value:
    if type(item) is Map:
        return merge(value, item)
    if item is None:
        return value
    pair = elements(item, "conj")
    if len(pair) != 2:
        raise refused("'conj' onto a map takes a key and a value", item)
    return assoc(value, *pair)


@settled(0, 1)
def into(target: Value, source: Value) -> Value:
    items = elements(source, "into")
    if type(target) is List or target is None:
        return List((*reversed(items), *(target or ())))
    if type(target) is not Map:
        return vector(*elements(target, "into"), *items)
    return conj(target, *items)


# Making


def range_of(*bounds: Value) -> Value:
    """(range stop), (range start stop) or (range start stop step)."""
    if not bounds:
        raise ModelError(ENDLESS)
    if len(bounds) == 1:
        return _range(0, bounds[0], 1)
    return _range(bounds[0], bounds[1], bounds[2] if len(bounds) > 2 else 1)


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


@settled()
def _range(start: Value, stop: Value, step: Value) -> Value:
    if type(start) is int and type(stop) is int and type(step) is int and step:
        length = -((start - stop) // step)
        if length > LONGEST:
            raise ModelError(f"'range' of {given(length)} numbers is too long")
        return List(range(start, stop, step))
    for bound in (start, stop, step):
        if not is_number(bound):
            raise refused("'range' takes numbers", bound)
    first_, end, by = (_as_float(bound) if type(bound) is int else raw(bound) for bound in (start, stop, step))
    if np.any(np.equal(by, 0)):
        raise ModelError("'range' with a step of 0 has no end")
    with np.errstate(all="ignore"):
        lengths = np.ceil(np.true_divide(np.subtract(end, first_), by))
    if not np.all(lengths <= LONGEST):
        longest = int(np.argmax(lengths))
        bounds = [given(bound, longest) for bound in (start, stop, step)]
        raise ModelError("'range' from {} to {} by {} is too long".format(*bounds))
    lengths = np.maximum(lengths, 0).astype(np.int64)

    def numbers(length: int) -> List:
        return List(add(start, mul(step, position)) for position in range(length))

    return by_value(Lane(lengths, here.frame), numbers) if lengths.ndim else numbers(int(lengths))


@settled(0)
def repeat(number: Value, *item: Value) -> Value:
    """(repeat n x): n times x. What has no end is made where a part of it is taken (see the pass `endless`)."""
    if not item:
        raise ModelError(ENDLESS)

    def copies(n: int) -> List:
        if n > LONGEST:
            raise ModelError(f"'repeat' of {n} items is too long")
        return List(item * max(n, 0))

    return with_whole(number, "repeat", copies)


def cycle(sequence: Value) -> Value:
    """(cycle xs) has no end."""
    raise ModelError(ENDLESS)


@settled()
def partition(size: Value, *further: Value) -> Value:
    """(partition size xs) or (partition size step xs): pieces of that size; what is left over is dropped."""
    items = elements(further[-1], "partition")
    step = further[0] if len(further) == 2 else size

    def pieces(length: int, by: int) -> List:
        if length <= 0 or by <= 0:
            raise ModelError(f"'partition' takes a size and a step above 0, not {length} and {by}")
        return List(List(items[i : i + length]) for i in range(0, len(items) - length + 1, by))

    return with_whole(size, "partition", lambda n: with_whole(step, "partition", lambda by: pieces(n, by)))


def subvec(value: Value, start: Value, stop: Value = None) -> Value:
    """(subvec v start) or (subvec v start stop)."""
    return _subvec(value, start, count(value) if stop is None else stop)


@settled()
def _subvec(value: Value, start: Value, stop: Value) -> Value:
    items = elements(value, "subvec")
    if type(value) not in (tuple, np.ndarray, Lane):
        raise refused("'subvec' takes a vector", value)

    def piece(low: int, high: int) -> Value:
        if not 0 <= low <= high <= len(items):
            raise ModelError(f"'subvec' from {low} to {high} of a vector of length {len(items)}")
        return vector(*items[low:high])

    return with_whole(start, "subvec", lambda low: with_whole(stop, "subvec", lambda high: piece(low, high)))


@settled(0)
def flatten(value: Value) -> Value:
    """All that is in a sequence and the sequences in it, in one list."""
    return _flattened((), tuple(reversed(elements(value, "flatten"))))


def _flattened(before: tuple[Value, ...], waiting_: tuple[Value, ...]) -> Value:
    """`before`, and after it what waits, the last one first."""
    flat, waiting = list(before), list(waiting_)
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is Mix:
            return by_option(item, with_item(_flattened_after, (tuple(flat), tuple(waiting), item), 2))
        if kind is List or kind is tuple or kind is np.ndarray or (kind is Lane and item.data.ndim > 1):
            waiting.extend(reversed(elements(item, "flatten")))
        else:
            flat.append(item)
    return List(flat)


def _flattened_after(before: tuple[Value, ...], waiting: tuple[Value, ...], item: Value) -> Value:
    return _flattened(before, (*waiting, item))
