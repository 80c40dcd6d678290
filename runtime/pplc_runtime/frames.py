"""Frames: sets of lanes, and the index maps between them.

A frame is a set of lanes with an index into the lanes of its parent. Resampling makes a child of the whole set
whose index is the ancestor vector; a branch that lanes disagree on makes a child for each side. A value remembers
the frame it was made in and is gathered when it is read in another: forking costs one index, whatever the history.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]
Kept: TypeAlias = tuple[tuple[int, int], ...]


class Frame:
    """A set of lanes.

    `to_top` is the position of each lane in the generation, None for a generation itself.
    `kept` has the lanes that are retained particles, which a conditional sweep follows: their positions, and
    the chains that they belong to."""

    __slots__ = ("_inverse", "_top", "depth", "index", "kept", "maps", "parent", "size", "to_top")

    def __init__(self, size: int, parent: Frame | None, index: Index | None, kept: Kept) -> None:
        self.size = size
        self.parent = parent
        self.index = index
        self.kept = kept
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._top: Frame | None = None  # not itself: a cycle would wait for the collector
        self.to_top: Index | None = None
        self.maps: dict[Frame, Any] = {}
        self._inverse: Index | None = None

    @classmethod
    def first(cls, size: int, kept: Kept = ()) -> Frame:
        """The frame of the first generation."""
        return cls(size, None, None, kept)

    def resampled(self, ancestors: Index, kept: Kept = ()) -> Frame:
        """The next generation, whose lanes continue those of the ancestors."""
        child = Frame(len(ancestors), self, ancestors, kept)
        if self.parent is not None:
            self.parent.maps.clear()  # the maps of this generation go on from here; older ones are not asked again
        return child

    def part(self, index: Index) -> Frame:
        """Some of the lanes, in increasing order."""
        child = Frame(len(index), self, index, _kept_in(index, self.kept) if self.kept else ())
        child._top = self.top
        child.to_top = index if self.to_top is None else self.to_top[index]
        return child

    @property
    def top(self) -> Frame:
        """The generation that the lanes belong to."""
        return self._top or self

    def map_from(self, birth: Frame) -> Any:
        """The lane of `birth` that each lane of this frame continues; None where they are the same.

        `birth` may also be a branch that has been joined since: its lanes are then found through its parent. A
        lane that never was in that branch gets some lane of it; nothing that such a lane computes counts."""
        if self is birth:
            return None
        found = self.maps.get(birth)
        if found is not None:
            return found
        top = self._top
        if top is not None and birth.top is not top:  # an older value: the way there is kept with the generation
            found = self.maps[birth] = top.map_from(birth)[self.to_top]
            return found
        path: list[Frame] = []
        frame: Frame = self
        result: Any = None
        while frame is not birth:
            result = frame.maps.get(birth)
            if result is not None:
                break
            if frame.depth <= birth.depth or frame.parent is None:
                if birth.parent is None:
                    raise AssertionError("a value of another run")
                outer = self.map_from(birth.parent)
                inverse = birth.inverse()
                result = self.maps[birth] = inverse if outer is None else inverse[outer]
                return result
            path.append(frame)
            frame = frame.parent
        for step in reversed(path):
            result = step.index if result is None else result[step.index]
        self.maps[birth] = result
        return result

    def inverse(self) -> Index:
        """The position in this frame of each lane of its parent that is in it, and 0 for the others."""
        if self._inverse is None:
            assert self.parent is not None
            self._inverse = np.zeros(self.parent.size, np.intp)
            self._inverse[self.index] = np.arange(self.size)
        return self._inverse

    def position_of(self, lane: int) -> int | None:
        """Where a lane of the generation stands in this frame, if it is in it."""
        if self.to_top is None:
            return lane
        at = int(np.searchsorted(self.to_top, lane))
        return at if at < self.size and self.to_top[at] == lane else None


def _kept_in(index: Index, kept: Kept) -> Kept:
    """Those of the kept lanes that an index in increasing order picks, at their new positions."""
    if not len(index):
        return ()
    if len(kept) == 1 and kept[0][0] == 0:
        return kept if index[0] == 0 else ()
    found = np.searchsorted(index, [position for position, _ in kept]).tolist()
    moved = zip(found, kept)
    return tuple((place, chain) for place, (old, chain) in moved if place < len(index) and index[place] == old)


class Idle:
    """The handler when nothing runs: it lets every branch be, and no lane dies."""

    deaths = 0
    formulas = None

    def decided(self, truth: Any) -> Any:
        return truth

    @staticmethod
    def call(*arguments: Any) -> Any:
        from pplc_runtime.control import call  # which needs frames

        return call(*arguments)


class Here:
    """What is running now: the frame, and the handler that answers samples, observes and look-ups."""

    __slots__ = ("frame", "handler")

    def __init__(self) -> None:
        self.frame: Frame = Frame.first(1)
        self.handler: Any = Idle()


here = Here()
