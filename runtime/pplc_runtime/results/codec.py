"""Sweeps as JSON there and back, exactly: what a journal has of them.

Arrays are their bytes, so that a float comes back as it was; other values are told apart by what they are. Addresses
are paths; a set of them that comes again is written once, by a number. Nothing in such a text can name code: what is
no plain value, a procedure or a distribution, comes back as the words that show it.
"""

from __future__ import annotations

import base64
import json
from dataclasses import fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.addresses import At
from pplc_runtime.results.ancestry import Ancestry, Lines, Outline, Weakest
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.kept import Block, Kept
from pplc_runtime.results.sweeps import Column, Sweep
from pplc_runtime.values import List, Map, Symbol

_DTYPES: Final = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f8")
DTYPES: Final = {np.dtype(kind).str: np.dtype(kind) for kind in _DTYPES}
RECORDS: Final = {kind.__name__: kind for kind in (Ancestry, Genealogy, Lines, Outline, Weakest)}
"""What diagnostics are made of, beside plain values."""


class NotWritten(ValueError):
    """Something in a sweep means nothing outside of its process."""


class Shown(str):
    """What shows a value that only a process has."""

    __slots__ = ()


def encoded(value: Any) -> Any:
    """A plain value, or a site of an address, as JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if np.isfinite(value) else {"float": repr(value)}
        case np.generic():
            return encoded(value.item())
        case np.ndarray() if value.dtype.str in DTYPES:
            return {"array": _bytes(value), "kind": value.dtype.str, "shape": list(value.shape)}
        case np.ndarray():
            return {"objects": [encoded(item) for item in value.ravel()], "shape": list(value.shape)}
        case Symbol(name):
            return {"symbol": name}
        case List():
            return {"list": [encoded(item) for item in value]}
        case tuple():
            return {"tuple": [encoded(item) for item in value]}
        case list():
            return {"items": [encoded(item) for item in value]}
        case frozenset():
            return {"set": sorted((encoded(item) for item in value), key=json.dumps)}
        case Map():
            return {"map": [[encoded(key), encoded(item)] for key, item in value.items()]}
        case At():
            return {"at": [_site(site) for site in value.path()]}
        case dict():
            return {"dict": [[encoded(key), encoded(item)] for key, item in value.items()]}
        case _ if type(value) in RECORDS.values():
            own = [encoded(getattr(value, each.name)) for each in fields(value)]
            return {"record": type(value).__name__, "fields": own}
        case _:
            return {"shown": str(value)}


def decoded(value: Any, root: At) -> Any:
    """What such a text says; a ValueError for one that nobody has written."""
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise ValueError("a list without a kind")
        return value
    match value:
        case {"float": "nan" | "inf" | "-inf" as text}:
            return float(text)
        case {"array": str() as text, "kind": str() as kind, "shape": list() as shape}:
            return _array(text, DTYPES[kind]).reshape([int(size) for size in shape])
        case {"objects": list() as items, "shape": list() as shape}:
            held = np.empty(len(items), object)
            held[:] = [decoded(item, root) for item in items]
            return held.reshape([int(size) for size in shape])
        case {"symbol": str() as name}:
            return Symbol(name)
        case {"list": list() as items}:
            return List([decoded(item, root) for item in items])
        case {"tuple": list() as items}:
            return tuple([decoded(item, root) for item in items])
        case {"items": list() as items}:
            return [decoded(item, root) for item in items]
        case {"set": list() as items}:
            return frozenset([decoded(item, root) for item in items])
        case {"map": list() as entries}:
            return Map.of((decoded(key, root), decoded(item, root)) for key, item in entries)
        case {"dict": list() as entries}:
            return {decoded(key, root): decoded(item, root) for key, item in entries}
        case {"record": str() as name, "fields": list() as items}:
            return RECORDS[name](*(decoded(item, root) for item in items))
        case {"at": list() as path}:
            return _walked(path, root)
        case {"shown": str() as text}:
            return Shown(text)
    raise ValueError("an unknown kind of value")


class Encoder:
    """Writes sweeps, and the addresses that are new in each before it."""

    def __init__(self) -> None:
        self.known: dict[tuple[At, ...], int] = {}
        self.paths: dict[str, int] = {}

    def lines(self, sweep: Sweep) -> list[Any]:
        """The lines of a sweep: sets of addresses that it is the first to have, and itself."""
        new: list[Any] = []
        kept = None
        if sweep.kept is not None:
            blocks = []
            for block in sweep.kept.blocks:
                number = self.known.get(block.addresses)
                if number is None:
                    paths = [[_site(site) for site in at.path()] for at in block.addresses]
                    text = json.dumps(paths)
                    if text not in self.paths:
                        self.paths[text] = len(self.paths)
                        new.append({"addresses": paths})
                    number = self.known[block.addresses] = self.paths[text]
                blocks.append([number, encoded(block.lanes), encoded(block.data)])
            kept = {"particles": encoded(sweep.kept.particles), "blocks": blocks}
        found = {
            "chain": sweep.chain,
            "sweep": sweep.number,
            "log_weights": encoded(np.asarray(sweep.log_weights, np.float64)),
            "predicts": [[label, encoded(column)] for label, column in sweep.predicts.items()],
            "log_evidence": encoded(sweep.log_evidence),
            "told": encoded(dict(sweep.diagnostics)),
            "kept": kept,
            "whole": sweep.whole,
        }
        return [*new, found]


class Decoder:
    """Reads what an `Encoder` has written, line by line."""

    def __init__(self) -> None:
        self.root = At()
        self.addresses: list[tuple[At, ...]] = []

    def line(self, found: Any) -> Sweep | None:
        """The sweep of a line; None for one that has addresses."""
        if "addresses" in found:
            self.addresses.append(tuple(_walked(path, self.root) for path in found["addresses"]))
            return None
        kept = None
        if found["kept"] is not None:
            blocks = [
                Block(self.addresses[number], decoded(lanes, self.root), decoded(data, self.root))
                for number, lanes, data in found["kept"]["blocks"]
            ]
            kept = Kept(decoded(found["kept"]["particles"], self.root), tuple(blocks))
        predicts: dict[str, Column] = {str(label): decoded(column, self.root) for label, column in found["predicts"]}
        return Sweep(
            int(found["chain"]),
            int(found["sweep"]),
            decoded(found["log_weights"], self.root),
            predicts,
            decoded(found["log_evidence"], self.root),
            decoded(found["told"], self.root),
            kept,
            bool(found["whole"]),
        )


def _site(site: Any) -> Any:
    found = encoded(site)
    if isinstance(found, dict) and ("shown" in found or "objects" in found):
        raise NotWritten("a memo entry that is asked for by a procedure or a distribution cannot be written to a file")
    return found


def _walked(path: Any, root: At) -> At:
    at = root
    for site in path:
        at = at[decoded(site, root)]
    return at


def _bytes(array: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def _array(text: str, dtype: Any) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype).copy()
