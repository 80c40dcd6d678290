"""Maps, and what works on maps and vectors alike. Keys are plain: lanes that disagree on a key part."""

from __future__ import annotations

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import given, refused
from pplc_runtime.lanes.varying import Lane, Mix, by_option, by_value, grouped
from pplc_runtime.primitives.arguments import elements, is_number, settled
from pplc_runtime.primitives.indexing import at_index, length_of, replaced
from pplc_runtime.values import List, Map, ModelError, Value

ABSENT: Value = object()


def hash_map(*items: Value) -> Value:
    """(hash-map k v ...), and what a map literal is."""
    if len(items) % 2:
        raise ModelError(f"'hash-map' takes keys and values in pairs; {given(items[-1])} has no value")
    return _map_of(items[::2], items[1::2])


def _map_of(keys: tuple[Value, ...], values: tuple[Value, ...]) -> Value:
    return grouped(keys, lambda plain_keys: Map.of(zip(plain_keys, values)))


@settled(0, 1)
def zipmap(keys: Value, values: Value) -> Value:
    pairs = list(zip(elements(keys, "zipmap"), elements(values, "zipmap")))
    return _map_of(tuple(key for key, _ in pairs), tuple(value for _, value in pairs))


# Reading


def get(value: Value, key: Value, default: Value = None) -> Value:
    """(get m k) or (get m k default): what is not there is nil or the default."""
    if type(value) is Map and (type(key) is int or type(key) is str):
        return value.get(key, default)
    return _get(value, key, default)


@settled(0, 1)
def _get(value: Value, key: Value, default: Value) -> Value:
    if type(value) is Map:
        return grouped((key,), lambda keys: value.get(keys[0], default))
    if value is None or value is ABSENT:
        return default
    if _is_vector(value) or type(value) is str:
        return _in_vector(value, key, default)
    raise refused("'get' takes a map or vector", value)


def _is_vector(value: Value) -> bool:
    return type(value) is tuple or type(value) is np.ndarray or (type(value) is Lane and value.data.ndim > 1)


def _in_vector(value: Value, key: Value, default: Value) -> Value:
    if not is_number(key) or (type(key) is float and not key.is_integer()):
        return default
    if type(key) is Lane and key.data.dtype.kind == "f" and np.any(key.at(here.frame) % 1 != 0):
        return by_value(key, lambda plain_key: _in_vector(value, plain_key, default))
    return at_index(value, key, default, "get")


@settled(1)
def get_in(value: Value, path: Value, default: Value = None) -> Value:
    """(get-in m [k ...]) or with a default."""
    if type(value) is Mix:
        return by_option(value, lambda option: get_in(option, path, default))
    keys = elements(path, "get-in")
    if not keys or value is ABSENT:
        return default if value is ABSENT else value
    return get_in(get(value, keys[0], ABSENT), List(keys[1:]), default)


@settled(0, 1)
def contains(value: Value, key: Value) -> Value:
    """(contains? m k): whether a map has a key or a vector an index."""
    if type(value) is Map:
        return grouped((key,), lambda keys: keys[0] in value)
    if value is None:
        return False
    if not _is_vector(value):
        raise refused("'contains?' takes a map or vector", value)
    if not is_number(key):
        return False
    index = key.at(here.frame) if type(key) is Lane else key
    inside = (index >= 0) & (index < length_of(value, "contains?")) & (index % 1 == 0)
    return Lane(inside, here.frame) if type(inside) is np.ndarray else bool(inside)


@settled(0)
def keys_of(value: Value) -> Value:
    return List(key for key, _ in _entries(value, "keys")) or None


@settled(0)
def values_of(value: Value) -> Value:
    return List(item for _, item in _entries(value, "vals")) or None


def _entries(value: Value, name: str) -> list[tuple[Value, Value]]:
    if type(value) is Map:
        return list(value.items())
    if value is None:
        return []
    raise refused(f"'{name}' takes a map", value)


# Changing


def assoc(value: Value, *items: Value) -> Value:
    """(assoc m k v ...): a map with other entries, or a vector with other elements."""
    if len(items) % 2:
        raise ModelError(f"'assoc' takes keys and values in pairs; {given(items[-1])} has no value")
    for key, item in zip(items[::2], items[1::2]):
        value = _assoc(value, key, item)
    return value


@settled(0, 1)
def _assoc(value: Value, key: Value, item: Value) -> Value:
    if type(value) is Map or value is None:
        before = Map({}) if value is None else value
        return grouped((key,), lambda keys: before.assoc(keys[0], item))
    if _is_vector(value):
        return replaced(value, key, item)
    raise refused("'assoc' takes a map or vector", value)


@settled(1)
def assoc_in(value: Value, path: Value, item: Value) -> Value:
    """(assoc-in m [k ...] v): m with another value at a path of keys; maps that are missing are made."""
    keys = elements(path, "assoc-in")
    if not keys:
        raise ModelError("'assoc-in' takes a path of at least one key")
    key, *further = keys
    return assoc(value, key, assoc_in(get(value, key), List(further), item) if further else item)


def dissoc(value: Value, *keys: Value) -> Value:
    for key in keys:
        value = _dissoc(value, key)
    return value


@settled(0, 1)
def _dissoc(value: Value, key: Value) -> Value:
    if value is None:
        return None
    _entries(value, "dissoc")
    return grouped((key,), lambda keys: value.without(keys[0]))


@settled()
def merge(*values: Value) -> Value:
    """One map of all entries; of those with one key the last."""
    pairs = [pair for value in values for pair in _entries(value, "merge")]
    return Map.of(pairs) if any(value is not None for value in values) else None
