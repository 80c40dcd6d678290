"""Primitives called by their names in the language, and values compared as it compares them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.primitives import PRIMITIVES
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.values import List, Map, Procedure, Symbol

V = vector


def call(name: str, *arguments: Any) -> Any:
    primitive = PRIMITIVES[name]
    return primitive.function(At(), *arguments) if primitive.addressed else primitive.function(*arguments)


def L(*items: Any) -> List:
    return List(items)


def M(*items: Any) -> Map:
    return Map.of(zip(items[::2], items[1::2]))


def S(name: str) -> Symbol:
    return Symbol(name)


def same(x: Any, y: Any) -> bool:
    """Equal up to rounding, and of one kind: a list is not a vector here, and true is not 1."""
    if isinstance(x, bool) or isinstance(y, bool):
        return x is y
    if isinstance(x, int) and isinstance(y, int):
        return x == y
    if isinstance(x, int | float) and isinstance(y, int | float):
        return x == y or math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9) or (x != x and y != y)
    if _is_vector(x) and _is_vector(y):
        return len(x) == len(y) and all(map(same, _items(x), _items(y)))
    if type(x) is not type(y):
        return False
    if isinstance(x, List):
        return len(x) == len(y) and all(map(same, x, y))
    if isinstance(x, Map):
        return len(x) == len(y) and all(key in y and same(item, y.get(key)) for key, item in x.items())
    if isinstance(x, Procedure):
        return x.code is y.code and all(map(same, x.parts, y.parts))
    return bool(x == y)


def _is_vector(x: Any) -> bool:
    return type(x) is tuple or type(x) is np.ndarray


def _items(x: Any) -> Any:
    return x.tolist() if type(x) is np.ndarray and x.ndim == 1 else x
