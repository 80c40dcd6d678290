"""Tables: the entries of a memo whose keys are small integers that vary by lane, as arrays.

A component's parameter is asked for by a label that differs from lane to lane. As separate entries, every distinct
label would part the lanes; as a table with a row for each label and a column for each lane, all lanes read theirs
in one step. A table holds entries of one shape: numbers or booleans, or distributions with such parameters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.frames import Frame
from pplc_runtime.lanes.varying import Lane, beyond_floats, layout
from pplc_runtime.program.stochastic import Dist

MOST_ROWS = 4096
_FIRST_ROWS = 8


class Unfit(Exception):  # a signal between the table and its caller
    """An entry that a table cannot hold."""


class Table:
    """The entries of one memo in every lane of a generation: row k is the entry for key k."""

    __slots__ = ("_lanes", "constants", "family", "frame", "leaves", "present")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._lanes = np.arange(frame.size)
        self.present = np.zeros((_FIRST_ROWS, frame.size), np.bool_)
        self.family: Any = None
        """The family of the distributions that it holds; None for numbers and booleans."""
        self.leaves: list[NDArray[Any]] | None = None
        self.constants: list[Any] = []
        """For each part of an entry the plain value that all entries share, or None where it is a leaf."""

    def move_to(self, top: Frame) -> None:
        """Go on with the lanes of a later generation."""
        if top is self.frame:
            return
        index = top.map_from(self.frame)
        self.present = self.present.take(index, -1)
        if self.leaves is not None:
            self.leaves = [leaf.take(index, -1) for leaf in self.leaves]
        if top.size != self.frame.size:
            self._lanes = np.arange(top.size)
        self.frame = top

    def lanes(self, frame: Frame) -> NDArray[np.intp]:
        """The columns of the lanes of a frame of this generation."""
        return self._lanes if frame.to_top is None else frame.to_top

    def grow(self, rows: int) -> None:
        """Have at least so many rows."""
        while rows > len(self.present):
            self.present = np.concatenate([self.present, np.zeros_like(self.present)])
            if self.leaves is not None:
                self.leaves = [np.concatenate([leaf, np.zeros_like(leaf)]) for leaf in self.leaves]

    def put(self, key: Any, frame: Frame, value: Any) -> None:
        """Enter a value for the lanes of a frame, under one key or one a lane.

        Raises Unfit if it is not like the others."""
        family = value.family if type(value) is Dist else None
        parts = value.parts if type(value) is Dist else (value,)
        if self.leaves is None:
            self._start(family, parts, frame.size > 1)
        if family is not self.family:
            raise Unfit
        self.grow((key if type(key) is int else int(key.max())) + 1)
        lanes = self.lanes(frame)
        assert self.leaves is not None
        leaves = iter(self.leaves)
        for part, constant in zip(parts, self.constants):
            if constant is not None:
                if type(part) is not type(constant) or part != constant:
                    raise Unfit
                continue
            leaf = next(leaves)
            if layout(part) != (("b" if leaf.dtype.kind == "b" else "n"), ()) or (
                leaf.dtype.kind == "i" and not _whole(part)
            ):
                raise Unfit
            data = part.at(frame) if type(part) is Lane else part
            if leaf.dtype.kind == "f" and beyond_floats(data):
                raise Unfit
            try:
                leaf[key, lanes] = data
            except OverflowError:  # an integer that no machine word holds
                raise Unfit from None
        self.present[key, lanes] = True

    def _start(self, family: Any, parts: tuple[Any, ...], shared: bool) -> None:
        """Take the shape of the first entry; what its lanes share is taken for a constant."""
        constants: list[Any] = []
        leaves: list[NDArray[Any]] = []
        for part in parts:
            if family is not None and shared and type(part) in (int, float, bool):
                constants.append(part)
                continue
            shape = layout(part)
            if shape is None or shape[1]:
                raise Unfit
            dtype: Any = np.bool_ if shape[0] == "b" else (np.int64 if _whole(part) else np.float64)
            constants.append(None)
            leaves.append(np.zeros((len(self.present), self.frame.size), dtype))
        self.family, self.constants, self.leaves = family, constants, leaves

    def get(self, keys: Any, frame: Frame) -> Any:
        """The entries for a key, plain or one a lane, in the lanes of a frame that all have theirs."""
        lanes = self.lanes(frame)
        assert self.leaves is not None
        leaves = iter(self.leaves)
        parts = []
        for constant in self.constants:
            if constant is not None:
                parts.append(constant)
                continue
            data = next(leaves)[keys, lanes]
            parts.append(data[0].item() if frame.size == 1 else Lane(data, frame))
        return parts[0] if self.family is None else Dist(self.family, tuple(parts))


def _whole(part: Any) -> bool:
    return type(part) is int or (type(part) is Lane and part.data.dtype.kind == "i")
