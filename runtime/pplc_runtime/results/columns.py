"""The draws of one predict over all sweeps, and the single numbers and values that they are made of."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.blocks import Block, Sweeps
from pplc_runtime.results.json_values import to_json
from pplc_runtime.results.sweeps import Column
from pplc_runtime.values import List, Map, Symbol, key_of

Floats: TypeAlias = NDArray[np.float64]
Draws: TypeAlias = NDArray[Any] | list[Any]
"""Values, one a draw: an array with the draws along its first axis, or a list."""

_NUMBERS = (int, float, np.integer, np.floating)
_SEQUENCES = (tuple, list, np.ndarray)
_PLAIN = (type(None), bool, int, float, str, Symbol, tuple, list, Map, np.ndarray, np.generic)


@dataclass(frozen=True, slots=True)
class Gathered:
    """All draws of positive weight that have the predict."""

    values: Draws
    weights: Floats
    """They sum to one."""
    sweeps: NDArray[np.intp]
    """The place of each draw's sweep in the list of sweeps."""


def gather(sweeps: Sweeps, label: str) -> Gathered:
    """Join a predict's columns over the sweeps that have it."""
    parts: list[Column] = []
    log_weights: list[Floats] = []
    places: list[NDArray[np.intp]] = []
    for place, part in sweeps.placed():
        if label not in part.predicts:
            continue
        column = part.predicts[label]
        own = place + np.arange(len(part)) if isinstance(part, Block) else np.array([place])
        if isinstance(part, Block) and not isinstance(column, list):
            column = column.reshape((*column.shape[:-2], -1))
        logs = np.asarray(part.log_weights, dtype=np.float64)
        own = own.repeat(logs.shape[-1])
        logs = logs.ravel()
        alive = np.flatnonzero(logs != -np.inf)
        if alive.size < logs.size:
            logs, own = logs[alive], own[alive]
            column = [column[i] for i in alive] if isinstance(column, list) else column[..., alive]
        parts.append(column)
        log_weights.append(logs)
        places.append(own)
    logs = np.concatenate(log_weights) if log_weights else np.empty(0)
    weights = np.exp(logs - logs.max()) if logs.size else logs
    total = weights.sum() if logs.size else 1.0
    return Gathered(joined(parts), weights / total, np.concatenate([[], *places]).astype(np.intp))


def joined(parts: list[Column]) -> Draws:
    """Columns one after the other: one array where their shapes and kinds agree, else a list."""
    arrays = [np.moveaxis(part, -1, 0) for part in parts if isinstance(part, np.ndarray)]
    if arrays and len(arrays) == len(parts):
        shapes = {array.shape[1:] for array in arrays}
        booleans = {array.dtype.kind == "b" for array in arrays}
        if len(shapes) == 1 and len(booleans) == 1:
            return np.concatenate(arrays)
    values: list[Any] = []
    for part in parts:
        if isinstance(part, list):
            values.extend(part)
        else:
            drawn = np.moveaxis(part, -1, 0)
            values.extend(drawn.tolist() if drawn.ndim == 1 else drawn)
    return regular(values)


def one_column(parts: list[Column]) -> Column:
    """Columns one after the other as one."""
    found = joined(parts)
    return np.moveaxis(found, 0, -1) if isinstance(found, np.ndarray) else found


def values_of(column: Column) -> list[Any]:
    """The values of a column, one by one."""
    if isinstance(column, list):
        return column
    values = np.moveaxis(column, -1, 0)
    return values.tolist() if values.ndim == 1 else list(values)


def column_of(values: list[Any]) -> Column:
    """Values as a column."""
    found = regular(values)
    return np.moveaxis(found, 0, -1) if isinstance(found, np.ndarray) else found


def rows_of(column: Column, own: slice) -> Column:
    """A column of some of the particles."""
    return column[own] if isinstance(column, list) else column[..., own]


def regular(values: list[Any]) -> Draws:
    """A list of draws as one array where all are numbers, all booleans, or all arrays of one shape.

    Integers that no float comes near stay as they are: they are values like others."""
    if not values:
        return values
    if all(type(value) is bool or isinstance(value, np.bool_) for value in values):
        return np.array(values)
    if all(isinstance(value, _NUMBERS) and type(value) is not bool for value in values):
        return _numbers(values)
    numeric = all(isinstance(value, np.ndarray) and value.dtype.kind in "iuf" for value in values)
    return np.stack(values) if numeric and len({value.shape for value in values}) == 1 else values


def _numbers(values: list[Any]) -> Draws:
    array = np.array(values)
    if array.dtype.kind in "if":
        return array
    try:
        return np.array([float(value) for value in values])
    except OverflowError:
        return values


@dataclass(frozen=True, slots=True)
class Distribution:
    """Distinct values, their probabilities, and for each draw the place of its value among them."""

    values: list[Any]
    probabilities: Floats
    codes: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Component:
    """One number or one value of a predict: `x`, `x[0]`, `x[0,1]`, `x[:key]`."""

    label: str
    values: Draws
    """A one-dimensional array of numbers or booleans, or a list of other values."""

    def distribution(self, weights: Floats) -> Distribution:
        """The distinct values and their probabilities, the likeliest first."""
        if isinstance(self.values, np.ndarray):
            distinct, codes = np.unique(self.values, return_inverse=True)
            found = distinct.tolist()
        else:
            firsts: dict[Any, int] = {}
            groups = [firsts.setdefault(_group(value), len(firsts)) for value in self.values]
            codes = np.array(groups, dtype=np.intp)
            found = [self.values[place] for place in np.unique(codes, return_index=True)[1].tolist()]
        mass: Floats = np.bincount(codes, weights=weights, minlength=len(found)).astype(np.float64)
        order = np.argsort(-mass, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        return Distribution([found[place] for place in order.tolist()], mass[order], rank[codes])

    def distinct(self) -> int:
        """How many different values there are."""
        if isinstance(self.values, np.ndarray):
            return int(np.unique(self.values).size)
        return len(set(map(_group, self.values)))


def _group(value: Any) -> Any:
    # Each draw has procedures and processes of its own; only what they are called tells them apart usefully.
    return key_of(value) if isinstance(value, _PLAIN) else ("text", str(value))


def components(label: str, values: Draws) -> Iterator[Component]:
    """What a predict is made of, where all draws have the same structure; else the predict itself."""
    if isinstance(values, np.ndarray):
        for place in np.ndindex(*values.shape[1:]):
            name = f"{label}[{','.join(map(str, place))}]" if place else label
            yield Component(name, values[(slice(None), *place)])
        return
    lengths = {len(value) if isinstance(value, _SEQUENCES) else -1 for value in values}
    maps = {frozenset(key_of(k) for k, _ in v.items()) if isinstance(v, Map) else None for v in values}
    if len(lengths) == 1 and min(lengths) > 0:
        for nth in range(min(lengths)):
            yield from components(f"{label}[{nth}]", regular([value[nth] for value in values]))
    elif len(maps) == 1 and None not in maps and len(values[0]) > 0:
        for key, _ in values[0].items():
            yield from components(f"{label}[{shown(key)}]", regular([value.get(key) for value in values]))
    else:
        yield Component(label, values)


def shown(value: Any) -> str:
    """A value as a table shows it."""
    if value is None:
        return "nil"
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        from decimal import Decimal  # seldom needed

        return f"{Decimal(value):.8g}"  # a table has no room for hundreds of digits
    if isinstance(value, List):
        return "(" + " ".join(map(shown, value)) + ")"
    return to_json(value) if isinstance(value, _PLAIN) and not isinstance(value, Symbol) else str(value)


def quantiles(values: NDArray[Any], weights: Floats, qs: Sequence[float]) -> list[Any]:
    """The smallest values below or at which the given shares of the weight lie."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    places = np.searchsorted(below, np.asarray(qs) * below[-1], side="left")
    # A share that the rounding of the sums puts past the end is the largest value.
    return [values[order[min(place, order.size - 1)]].item() for place in places.tolist()]


def scalar(value: Any) -> Any:
    """An array of one number as that number."""
    return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value


def floats_of(value: Any) -> NDArray[np.float64]:
    """A number or an array of them as floats; an integer that no float comes near is infinite."""
    try:
        return np.asarray(value, dtype=np.float64)
    except OverflowError:
        if isinstance(value, int):
            return np.asarray(inf if value > 0 else -inf)
        return np.array([floats_of(each) for each in value])


def nested_tuple(value: Any) -> Any:
    """Lists in lists as tuples."""
    return tuple(map(nested_tuple, value)) if isinstance(value, list) else value
