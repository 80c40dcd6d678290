"""The scores of a retained suffix after every prefix, kept up to date from boundary to boundary.

The log density of the suffix is the sum of the scores of its segments. A segment is replayed when something that it
reads has changed, and so are the readers of what comes out of that otherwise than before. A score may be -inf; since
-inf has no differences, such lanes are counted apart.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.lanes.frames import Frame
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.values import ModelError

Lanes = NDArray[np.bool_]


def in_order(dirty: Iterable[int], first: int, replay: Callable[[int], Iterable[int]]) -> None:
    """Replay what is dirty from number `first` on, in order and each once, and later readers of what changes."""
    queue = sorted(dirty)
    last = first - 1
    while queue:
        number = heapq.heappop(queue)
        if number <= last:
            continue
        last = number
        for reader in replay(number):
            if reader > number:
                heapq.heappush(queue, reader)


class SuffixScores(ABC):
    """The segments of a suffix: their scores by lane, and which of them have to be replayed."""

    def __init__(self) -> None:
        self.scores: dict[int, tuple[Lane, Lane | None]] = {}
        """The finite part of each score, and where it is -inf; a score that all candidates share is not here."""
        self.total: Lane | None = None
        self.impossible: Lane | None = None
        """How many of the scores are -inf."""
        self.unsettled: dict[int, Lane] = {}
        """The segments that were last replayed for some lanes only, and for which: the others had ended before."""
        self.replays = 0
        self._living: Lanes | None = None
        self._living_before = 0

    @abstractmethod
    def replay(self, number: int, frame: Frame, living: Lanes | None) -> tuple[Any, Iterable[int]]:
        """Replay a segment: its score, and the readers of what has come out otherwise than before.

        If some lanes only are `living`, nothing that happens in the others counts."""

    @abstractmethod
    def possible_prefixes(self, frame: Frame) -> Lanes:
        """The lanes whose weight is not zero before the suffix."""

    def rescore_segments(self, first: int, dirty: Iterable[int], frame: Frame) -> None:
        """Replay what is dirty from segment `first` on, in order, and what becomes dirty by that."""
        self._living = None
        self._living_before = first
        if self.unsettled:
            for number, lanes in list(self.unsettled.items()):
                if number < first or np.all(lanes.at(frame)):
                    del self.unsettled[number]
            dirty = [*self.unsettled, *dirty]
        in_order(dirty, first, lambda number: self.replay_safely(number, frame))

    def replay_safely(self, number: int, frame: Frame) -> Iterable[int]:
        """Replay a segment: an error of an execution that has ended before does not count."""
        self.replays += 1
        living: Lanes | None = None
        try:
            score, readers = self.replay(number, frame, None)
        except Exception:
            living = self.living_before(number, frame)
            if living.all():
                raise
            score, readers = self.replay(number, frame, living)
        self.unsettled.pop(number, None)
        if living is not None:
            self.unsettled[number] = Lane(living.copy(), frame)
        self.put(number, score, frame)
        return readers

    def living_before(self, number: int, frame: Frame) -> Lanes:
        """The lanes whose weight is not zero before a segment, as far as is known. Segments come in order."""
        living = self.possible_prefixes(frame) if self._living is None else self._living
        for earlier in range(self._living_before, number):
            bad = self.scores[earlier][1] if earlier in self.scores else None
            if bad is not None:
                living = living & (bad.at(frame) == 0)
        self._living, self._living_before = living, number
        return living

    # Sums

    def drop(self, number: int, frame: Frame) -> None:
        """A segment does not count any more."""
        if number not in self.scores:
            return
        score, bad = self.scores.pop(number)
        if not self.scores:
            self.total = self.impossible = None
            return
        assert self.total is not None
        self.total = Lane(self.total.at(frame) - score.at(frame), frame)
        if bad is not None and self.impossible is not None:
            self.impossible = Lane(self.impossible.at(frame) - bad.at(frame), frame)

    def put(self, number: int, score: Any, frame: Frame) -> None:
        """A segment has another score; one that is finite and no array is common to all candidates."""
        self.drop(number, frame)
        if frame.size == 1:  # which has nothing to be compared with
            return
        if type(score) is not np.ndarray:
            if score is None or score > -np.inf:
                return
            score = np.full(frame.size, score)
        lowest = score[score.argmin()]
        bad = None
        if not lowest > -np.inf:
            if lowest != lowest:
                raise ModelError("the density of this observe is not a number")
            bad = Lane((score == -np.inf).astype(np.intp), frame)
            score = np.where(bad.data, 0.0, score)
            counted = bad.data if self.impossible is None else self.impossible.at(frame) + bad.data
            self.impossible = Lane(counted, frame)
        self.scores[number] = Lane(score, frame), bad
        self.total = Lane(score if self.total is None else self.total.at(frame) + score, frame)

    def sum(self, frame: Frame) -> Any:
        """The log density of the suffix in each lane, up to what all share."""
        if self.total is None:
            return 0.0
        if self.impossible is None:
            return self.total.at(frame)
        return np.where(self.impossible.at(frame) > 0, -np.inf, self.total.at(frame))
