"""Frames: sets of lanes, and the index maps between them.

A frame is a set of lanes with an index into the lanes of its parent. Resampling makes a child of the whole set
whose index is the ancestor vector; a branch that lanes disagree on makes a child for each side. A value remembers
the frame it was made in and is gathered when it is read in another: forking costs one index, whatever the history.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.handler import Handler

Index = NDArray[np.intp]
Kept: TypeAlias = tuple[tuple[int, int], ...]
_STRIDE: Final = 16
"""One of so many generations is a waypoint."""


class Frame:
    """A set of lanes.

    `to_top` is the position of each lane in the generation, None for a generation itself.
    `kept` has the lanes that are retained particles, which a conditional sweep follows: their positions, and
    the chains that they belong to."""

    __slots__ = ("_inverse", "_top", "_waypoints", "depth", "index", "kept", "maps", "parent", "size", "to_top")

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
        self._waypoints: list[tuple[Frame, Index]] = []
        """Some generations on the way back, and the lanes there: values of all generations are found in one walk."""

    @classmethod
    def first(cls, size: int, kept: Kept = ()) -> Frame:
        """The frame of the first generation."""
        return cls(size, None, None, kept)

    def resampled(self, ancestors: Index, kept: Kept = ()) -> Frame:
        """The next generation, whose lanes continue those of the ancestors."""
        child = Frame(len(ancestors), self, ancestors, kept)
        if self.parent is not None:
            self.parent._waypoints.clear()
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
            result = top.map_from(birth)[self.to_top]
        elif birth._top is None and top is None:
            result = self._from_generation(birth)
        else:
            result = self._from_part(birth)
        self.maps[birth] = result
        return result

    def _from_part(self, birth: Frame) -> Any:
        """The lane of a part of the same generation, or of one that has been joined since, wherever that was."""
        path: list[Frame] = []
        frame: Frame | None = self
        lanes: Any = None
        while frame is not None and frame.depth > birth.depth and lanes is None:
            path.append(frame)
            frame = frame.parent
            lanes = None if frame is None else frame.maps.get(birth)
        if lanes is None and frame is not birth:
            assert birth.parent is not None, "a value of another run"
            outer = self.map_from(birth.parent)
            return birth.inverse() if outer is None else birth.inverse()[outer]
        for step in reversed(path):
            lanes = step.index if lanes is None else lanes[step.index]
        return lanes

    def _from_generation(self, birth: Frame) -> Index:
        """The lane of an older generation that each lane of this one continues."""
        assert self.parent is not None and self.index is not None, "a value of another run"
        known = self.parent.maps.get(birth)
        if known is not None:
            lanes: Index = known[self.index]
            return lanes
        frame, lanes = self.parent, self.index
        passed = bisect_right(self._waypoints, -birth.depth, key=lambda waypoint: -waypoint[0].depth)
        if passed:
            frame, lanes = self._waypoints[passed - 1]
        while frame is not birth:
            if frame.depth % _STRIDE == 0 and (not self._waypoints or frame.depth < self._waypoints[-1][0].depth):
                self._waypoints.append((frame, lanes))
            assert frame.parent is not None and frame.index is not None, "a value of another run"
            lanes = frame.index[lanes]
            frame = frame.parent
        return lanes

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

    def positions_of(self, lanes: Index) -> tuple[Index | None, Index]:
        """Which of some lanes of the generation are in this frame, None for all of them, and where they stand in it."""
        if self.to_top is None:
            return None, lanes
        found = np.minimum(np.searchsorted(self.to_top, lanes), self.size - 1)
        inside = np.flatnonzero(self.to_top[found] == lanes)
        return (None, found) if len(inside) == len(lanes) else (inside, found[inside])


def _kept_in(index: Index, kept: Kept) -> Kept:
    """Those of the kept lanes that an index in increasing order picks, at their new positions."""
    if not len(index):
        return ()
    if len(kept) == 1 and kept[0][0] == 0:
        return kept if index[0] == 0 else ()
    found = np.searchsorted(index, [position for position, _ in kept]).tolist()
    moved = zip(found, kept)
    return tuple((place, chain) for place, (old, chain) in moved if place < len(index) and index[place] == old)


NOBODY: Final = -1
"""The particle that runs where what has been run is run again: nothing is printed there."""


class Here(threading.local):
    """What is running now in a thread: the frame, and the handler that answers samples, observes and look-ups.

    Everybody reads it. It is written by `run_in`, and nowhere else. For `print` there are also the number of the sweep,
    and of the particle where one runs alone, None before the first sweep, and how many lines the run has printed."""

    frame: Frame = Frame.first(1)
    handler: Handler
    """`control` has one for when nothing runs."""
    sweep: int | None = None
    particle: int | None = None
    printed: int = 0


here = Here()


def run_in(frame: Frame, handler: Handler | None = None) -> None:
    """Go on with the lanes of a frame, from here on in this thread; with another handler, if one is given."""
    here.frame = frame
    if handler is not None:
        here.handler = handler
