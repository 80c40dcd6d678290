"""The density of a retained suffix after every prefix, for programs of fixed course.

As `regenerate` has it, but nothing has to be found out by running: every execution draws the same addresses, so
every prefix may have the suffix, and which segments read what is known. `cells` has the values of the prefixes for
what has been run, and the retained ones for the rest; a segment is replayed when something that it reads has changed.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.addresses import At
from pplc_runtime.frames import Frame, here
from pplc_runtime.lanes import Lane
from pplc_runtime.particles import Particles
from pplc_runtime.records import Retained
from pplc_runtime.scripts.course import Scripts
from pplc_runtime.scripts.emit import Failed
from pplc_runtime.steps import Plan, Segment
from pplc_runtime.values import Place

Scores = NDArray[np.float64]


class Tally:
    """The sum of the scores of some segments by lane, of which any may be -inf."""

    def __init__(self) -> None:
        self.scores: dict[int, tuple[Lane, Lane | None]] = {}
        """The finite part of each score, and where it is -inf."""
        self.total: Lane | None = None
        self.impossible: Lane | None = None
        """How many of them are -inf."""

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

    def put(self, number: int, score: Scores | None, frame: Frame) -> None:
        """A segment has another score; None is one that all candidates share."""
        self.drop(number, frame)
        if score is None:
            return
        lowest = score[score.argmin()]
        bad = None
        if not lowest > -np.inf:
            if lowest != lowest:
                raise Failed
            bad = Lane((score == -np.inf).astype(np.intp), frame)
            score = np.where(bad.data, 0.0, score)
            counted = bad.data if self.impossible is None else self.impossible.at(frame) + bad.data
            self.impossible = Lane(counted, frame)
        self.scores[number] = Lane(score, frame), bad
        self.total = Lane(score if self.total is None else self.total.at(frame) + score, frame)

    def impossible_in(self, number: int, frame: Frame) -> Any:
        """The lanes in which a segment has score -inf."""
        bad = self.scores[number][1] if number in self.scores else None
        return np.zeros(frame.size, np.bool_) if bad is None else bad.at(frame) > 0

    def sum(self, frame: Frame) -> Any:
        if self.total is None:
            return 0.0
        if self.impossible is None:
            return self.total.at(frame)
        return np.where(self.impossible.at(frame) > 0, -np.inf, self.total.at(frame))


class ScriptedSweep:
    """The particles of a conditional sweep by scripts, and the rest of what it retains."""

    def __init__(self, plan: Plan, rng: np.random.Generator, size: int, retained: Retained) -> None:
        self.scripts: Scripts = plan.scripts
        self.root = retained.root
        if len(retained.held) > 1 and self.root is None:
            self.root = Frame.first(len(retained.held))
        kept = retained.cells or self.cells_of(plan, retained.held)
        self.particles = Particles(plan, rng, size, retained.held, remember=True, root=self.root)
        self.particles.cells = list(kept)
        self.tally = Tally()
        self.unsettled: set[int] = set()
        """The segments that were last replayed without the lanes that could not come so far."""
        self.replays = 0
        self.dropped: dict[Place, int] = {}

    def extend(self, segment: Segment) -> None:
        self.particles.extend(segment)

    def rescore(self, number: int) -> Any:
        """The log density of the suffix from segment `number` on, after the prefix in each lane."""
        frame = here.frame = self.particles.frame
        here.handler = self.particles.handler
        segments, readers = self.scripts.segments, self.scripts.readers
        self.tally.drop(number - 1, frame)
        changed = set(segments[number - 1].writes)
        unsettled, self.unsettled = self.unsettled, set()
        queue = sorted(unsettled.union(*(readers[cell] for cell in changed)))
        last = number - 1
        while queue:
            dirty = heapq.heappop(queue)
            if dirty <= last:
                continue
            last = dirty
            self.tally.put(dirty, self.replay(dirty, number), frame)
            for cell, needs in segments[dirty].follows:
                if dirty in unsettled or not needs.isdisjoint(changed):
                    changed.add(cell)
                    for reader in readers[cell]:
                        heapq.heappush(queue, reader)
        return self.tally.sum(frame)

    def replay(self, number: int, first: int) -> Scores | None:
        """The score of a segment after each prefix, where segment `first` is the next to run."""
        script = self.scripts.segments[number]
        assert script.replay is not None
        particles = self.particles
        self.replays += 1
        try:
            score: Scores | None = script.replay(particles.cells, particles.frame, script.replay_constants)
            return score
        except Exception:
            living = np.greater(particles.log_weights, -np.inf)
            for earlier in range(first, number):
                living &= ~self.tally.impossible_in(earlier, particles.frame)
            if living.all():
                raise
        # An error of an execution that has ended before does not count: those lanes do as a living one does.
        here.frame = substitute = particles.frame.resampled(np.where(living, np.arange(len(living)), living.argmax()))
        score = script.replay(particles.cells, substitute, script.replay_constants)
        here.frame = particles.frame
        for cell, _ in script.follows:
            value = particles.cells[cell]
            if type(value) is Lane:
                particles.cells[cell] = Lane(value.at(substitute), particles.frame)
        self.unsettled.add(number)
        return score

    def to_retain(self, lanes: list[int]) -> Retained:
        """A particle of each chain as one to retain."""
        return self.retained_from(self.particles, self.particles.lines(np.array(lanes)))

    def retained_from(self, particles: Particles, lines: list[Any]) -> Retained:
        """The values along the ancestry of a particle of each chain, whose places in every segment are given."""
        cells: list[Any] = [None] * self.scripts.cells
        for places, frame, script in zip(lines, particles.ran, self.scripts.segments):
            for cell in script.writes:
                data = particles.cells[cell].at(frame)
                if self.root is not None:
                    cells[cell] = Lane(data[..., places], self.root)
                else:
                    value = data[..., places[0]]
                    cells[cell] = value.item() if value.ndim == 0 else value.copy()
        if self.root is None:
            held: list[dict[At, Any]] = [{at: cells[cell] for cell, at in self.scripts.draws}]
        else:
            held = [{} for _ in lines[0]]
            for cell, at in self.scripts.draws:
                for chain, own in enumerate(held):
                    value = cells[cell].data[..., chain]
                    own[at] = value.item() if value.ndim == 0 else value.copy()
        return Retained(held, root=self.root, cells=cells)

    def cells_of(self, plan: Plan, held: list[dict[At, Any]]) -> list[Any]:
        """The cells of runs that are known by what they drew: particles that follow them meet the others."""
        chains = len(held)
        particles = Particles(plan, np.random.default_rng(0), 1 if chains > 1 else 2, held, root=self.root)
        if chains == 1:
            particles.frame = Frame.first(2, ((0, 0), (1, 0)))
        for segment in plan.segments:
            particles.extend(segment)
            particles.handler.log_weights = np.zeros(particles.frame.size)
        cells = self.retained_from(particles, [np.arange(chains)] * len(plan.segments)).cells
        assert cells is not None
        return cells
