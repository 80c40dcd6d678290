"""Sequences sorted and counted by the values of their elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Lane, grouped, settle
from pplc_runtime.primitives.arguments import elements, is_number, settled
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.values import List, Map, Value, key_of


@settled(0)
def sort(value: Value) -> Value:
    """(sort xs): numbers in increasing order, or strings."""
    items = tuple(map(settle, elements(value, "sort")))
    if items and all(map(is_number, items)):
        packed = vector(*items)
        if type(packed) is Lane:
            return List(elements(Lane(np.sort(packed.at(here.frame), axis=0), here.frame), "sort"))
    return grouped(items, lambda plain: List(plain[i] for i in permutation(plain, "sort")))


def permutation(keys: tuple[Value, ...], name: str) -> list[int]:
    """The positions of plain keys in their order; those of equal keys as they stand."""
    numbers = all(type(key) is int or type(key) is float for key in keys)
    if not numbers and not all(type(key) is str for key in keys):
        odd_one = next(key for key in keys if type(key) is not int and type(key) is not float)
        raise refused(f"'{name}' orders numbers", odd_one)
    # NaN last, as numpy has it
    return sorted(range(len(keys)), key=lambda i: (keys[i] != keys[i], keys[i]))


@settled(0)
def distinct(value: Value) -> Value:
    """(distinct xs): each element once, where it comes first."""

    def without_repeats(plain: tuple[Value, ...]) -> List:
        seen: dict[Any, Any] = {}
        for item in plain:
            seen.setdefault(key_of(item), item)
        return List(seen.values())

    return grouped(elements(value, "distinct"), without_repeats)


@settled(0)
def frequencies(value: Value) -> Value:
    """(frequencies xs): a map from each element to how often it occurs."""

    def counted(plain: tuple[Value, ...]) -> Map:
        counts: dict[Any, tuple[Any, int]] = {}
        for item in plain:
            key = key_of(item)
            counts[key] = (item, counts[key][1] + 1 if key in counts else 1)
        return Map.of(counts.values())

    return grouped(elements(value, "frequencies"), counted)
