"""States as data: what chains retain, by address path, as JSON there and back.

Nothing else of a state is kept: records, replays and cells are found again by running. An address means the same in
another process, since its sites are numbers that the compiler gives, positions in loops, and keys of memo entries.

    [[[[0, 2], 1.5], [[3, 1, "a"], true]]]      one chain, two values: path and value
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.values import ModelError, Symbol


def to_json(retained: Retained) -> str:
    """What chains retain, as text."""
    return json.dumps([[[[_site(site) for site in at.path()], _value(value)] for at, value in own.items()]
                       for own in retained.held])  # fmt: skip


def from_json(text: str, root: At) -> Retained:
    """What chains retain, from text, at the addresses below a root."""
    held: list[dict[At, Any]] = []
    for rows in json.loads(text):
        own: dict[At, Any] = {}
        for path, value in rows:
            at = root
            for site in path:
                at = at[_site_from(site, root)]
            own[at] = _value_from(value)
        held.append(own)
    return Retained(held)


def _site(site: Any) -> Any:
    """A site of a path; what JSON has no word for is an object with one entry."""
    match site:
        case None | bool() | int() | str():
            return site
        case float():
            return _number(site)
        case At():
            return {"at": [_site(part) for part in site.path()]}
        case Symbol(name):
            return {"symbol": name}
        case tuple():
            return {"tuple": [_site(part) for part in site]}
        case frozenset():
            return {"set": sorted((_site(part) for part in site), key=json.dumps)}
        case _:
            raise ModelError(
                "a memo entry that is asked for by a procedure or a distribution cannot be written to a file"
            )


def _site_from(site: Any, root: At) -> Any:
    match site:
        case {"float": text}:
            return float(text)
        case {"at": path}:
            at = root
            for part in path:
                at = at[_site_from(part, root)]
            return at
        case {"symbol": name}:
            return Symbol(name)
        case {"tuple": parts}:
            return tuple(_site_from(part, root) for part in parts)
        case {"set": parts}:
            return frozenset(_site_from(part, root) for part in parts)
        case _:
            return site


def _number(value: float) -> Any:
    return value if math.isfinite(value) else {"float": repr(value)}


def _value(value: Any) -> Any:
    """A drawn value: a number, a boolean, or an array of numbers."""
    match value:
        case np.ndarray():
            return {"array": [_number(item) for item in value.ravel().tolist()],
                    "shape": list(value.shape), "kind": value.dtype.kind}  # fmt: skip
        case float():
            return _number(value)
        case _:
            return value


def _value_from(value: Any) -> Any:
    match value:
        case {"array": items, "shape": shape, "kind": kind}:
            dtype = {"b": np.bool_, "i": np.int64, "f": np.float64}[kind]
            return np.array([_value_from(item) for item in items], dtype).reshape(shape)
        case {"float": text}:
            return float(text)
        case _:
            return value
