"""The density of a retained suffix after every prefix, for programs of fixed course.

As `regenerate` has it, but nothing has to be found out by running: every execution draws the same addresses, so
every prefix may have the suffix, and which segments read what is known. `cells` has the values of the prefixes for
what has been run, and the retained ones for the rest; a segment is replayed when something that it reads has changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, run_in
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.regeneration.scores import Lanes, SuffixScores
from pplc_runtime.specialise.scripts import Scripts
from pplc_runtime.values import Place


class ScriptedSweep(SuffixScores):
    """The particles of a conditional sweep by scripts, and the rest of what it retains."""

    def __init__(self, plan: Plan, key: Key, size: int, retained: Retained) -> None:
        super().__init__()
        self.chain = 0
        self.scripts: Scripts = plan.scripts
        self.root = retained.root
        if len(retained.held) > 1 and self.root is None:
            self.root = Frame.first(len(retained.held))
        kept = retained.cells or self.cells_of(plan, retained.held)
        self.particles = Particles(plan, key, size, retained.held, remember=True, root=self.root)
        self.particles.cells = list(kept)
        self.changed: set[int] = set()
        """The cells that have changed at the boundary that is being rescored."""
        self.dropped: dict[Place, int] = {}

    def rescore(self, number: int) -> Any:
        """The log density of the suffix from segment `number` on, after the prefix in each lane."""
        frame = self.particles.frame
        run_in(frame, self.particles.handler)
        ran = self.scripts.segments[number - 1]
        self.drop(number - 1, frame)
        self.changed = set(ran.writes if number - 1 in self.unsettled else ran.renews)
        readers = self.scripts.readers
        self.rescore_segments(number, [reader for cell in self.changed for reader in readers[cell]], frame)
        return self.sum(frame)

    def replay(self, number: int, frame: Frame, living: Lanes | None) -> tuple[Any, Iterable[int]]:
        script = self.scripts.segments[number]
        assert script.replay is not None
        cells = self.particles.cells
        if living is None:
            score = script.replay(cells, frame, script.replay_constants)
        else:  # lanes that have ended before do as a living one does
            substitute = frame.resampled(np.where(living, np.arange(len(living)), living.argmax()))
            run_in(substitute)
            score = script.replay(cells, substitute, script.replay_constants)
            run_in(frame)
            for cell, _ in script.follows:
                value = cells[cell]
                if type(value) is Lane:
                    cells[cell] = Lane(value.at(substitute), frame)
        again = number in self.unsettled or living is not None
        changed = [cell for cell, needs in script.follows if again or not needs.isdisjoint(self.changed)]
        self.changed.update(changed)
        return score, [reader for cell in changed for reader in self.scripts.readers[cell]]

    def possible_prefixes(self, frame: Frame) -> Lanes:
        return np.greater(self.particles.log_weights, -np.inf)

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
        particles = Particles(plan, Key.of(0), 1 if chains > 1 else 2, held, root=self.root)
        if chains == 1:
            particles.frame = Frame.first(2, ((0, 0), (1, 0)))
        for segment in self.scripts.segments:
            particles.extend(segment)
            particles.handler.log_weights = np.zeros(particles.frame.size)
        cells = self.retained_from(particles, [np.arange(chains)] * len(self.scripts.segments)).cells
        assert cells is not None
        return cells
