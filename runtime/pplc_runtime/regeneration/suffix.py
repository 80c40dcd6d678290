"""Regeneration: the density of a retained suffix after every prefix, replaying only what has changed.

At the boundary before segment n the particles hold prefixes, and the suffix is a set of values by address, drawn by
the retained particle in segments n, n+1, ... A prefix may have the suffix only if, run from there, the program
draws exactly those addresses (rule 1 of docs/design.md); then the suffix's log density is the sum over its segments
of the densities of what they draw and observe. That sum is kept up to date rather than computed anew:

- A *cell* is a global or a memo entry. The cells that segment n-1 has just written differ between the particles and
  the retained run; the segments that read them are dirty, and are replayed over all lanes.
- What a replayed segment writes and comes out otherwise makes its readers dirty too; what comes out the same stops.
- The score of a clean segment is a value over lanes like any other, carried through resampling.
- What an exchangeable process draws is scored as a block, from the counts of each lane.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.cells import MISSING, raw_at
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import Lane, raw
from pplc_runtime.program.stochastic import ProcessInstance
from pplc_runtime.regeneration.records import Retained, Tracker
from pplc_runtime.regeneration.replay import Replay
from pplc_runtime.regeneration.same import same
from pplc_runtime.regeneration.scores import Lanes, SuffixScores
from pplc_runtime.regeneration.seatings import Seatings
from pplc_runtime.values import Place


class Suffix(SuffixScores):
    """The rest of the retained run, and its density after each prefix."""

    def __init__(self, plan: Plan, retained: Retained, strict: bool = False) -> None:
        super().__init__()
        retained = retained.recorded(plan, strict)
        self.plan = plan
        self.strict = strict
        self.held = [dict(own) for own in retained.held]
        """What is left of the retained run of each chain."""
        self.values = self.held[0] if len(self.held) == 1 else retained.values
        self.events = dict(retained.events)
        self.kinds = retained.kinds
        self.read_writes = self.read_used = 0
        """How far what the prefix has written, and used up, has been read."""
        self.segments = list(retained.segments)
        self.uses: list[Any] = [record.uses for record in retained.segments]
        self.cells: dict[Any, dict[int, Any]] = {}
        """What the segments of the suffix write: cell -> segment -> value."""
        self.readers: dict[Any, set[int]] = {}
        self.drawers: dict[At, set[int]] = {}
        """The segments that draw an address in some lane: dirty when the retained particle uses it up before."""
        for number, record in enumerate(retained.segments):
            for cell, value in record.writes.items():
                self.cells.setdefault(cell, {})[number] = value
            for cell in record.reads:
                self.readers.setdefault(cell, set()).add(number)
            for at in record.draws:
                self.drawers.setdefault(at, set()).add(number)
        self.seatings = Seatings(retained.segments, retained.assigned, retained.seated_values)
        self.total_uses: Any = sum(self.uses)
        self.prefix: Tracker
        """The particles at the boundary that the suffix is rescored at."""
        self.replaying: Replay | None = None
        self.inside: tuple[int, At] | None = None
        """Where the particles stand in the first segment, if not before it: its statement, and an observe in that."""
        self.first = 0
        self.places: list[Place] = []
        self.blamed: Any = None
        """By lane: the number from 1 of the place at which it showed last that the suffix does not fit; 0 if none."""
        self.blamed_now: NDArray[np.bool_] | None = None
        """The lanes that have been found out at the boundary at hand: the first place counts."""
        self.dropped: Counter[Place] = Counter()

    def blame(self, place: Place, which: NDArray[np.bool_] | None = None) -> None:
        """The suffix does not fit some lanes of the running frame, or all, by what stands at a place."""
        frame = here.frame
        lanes = np.arange(frame.size) if frame.to_top is None else frame.to_top
        lanes = lanes if which is None else lanes[which]
        if self.blamed_now is None:
            top = frame.top
            self.blamed_now = np.zeros(top.size, np.bool_)
            self.blamed = np.zeros(top.size, np.intp) if self.blamed is None else raw_at(self.blamed, top).copy()
        if place not in self.places:
            self.places.append(place)
        self.blamed[lanes[~self.blamed_now[lanes]]] = self.places.index(place) + 1
        self.blamed_now[lanes] = True

    def count(self, dropped: NDArray[np.bool_], frame: Frame) -> None:
        """Count the candidates that are dropped at a boundary, each once, by the place that is to blame."""
        if self.blamed_now is None and self.blamed is not None:
            self.blamed = raw_at(self.blamed, frame)
        if self.blamed is None:
            return
        for number, lanes in enumerate(np.bincount(self.blamed[dropped]).tolist()):
            if number and lanes:
                self.dropped[self.places[number - 1]] += lanes

    def versions(self, cell: Any, number: int) -> list[Any]:
        """What the suffix has in a cell when segment `number` reads it, the latest first; the list is the caller's."""
        found = self.cells.get(cell)
        if not found:
            return []
        if len(found) == 1:
            ((writer, value),) = found.items()
            return [value] if writer < number else []
        return [found[writer] for writer in sorted(found, reverse=True) if writer < number]

    def assign(self, at: At, source: ProcessInstance) -> None:
        """The process that a value goes to, in the lanes of the running frame."""
        self.seatings.assign(at, source)

    def rescore(self, number: int, prefix: Tracker, frame: Frame) -> NDArray[np.float64]:
        """The log density of the suffix from segment `number` on, after the prefix in each lane."""
        self.start(prefix, frame)
        self.drop(number - 1, frame)
        self.recount(number - 1, 0)
        self.rescore_segments(number, self.changed(number - 1, prefix), frame)
        return self.summed(prefix, frame)

    def rescore_inside(self, number: int, step: int, at: At, prefix: Tracker, frame: Frame) -> NDArray[np.float64]:
        """The same where the particles stand at an observe inside of a statement of segment `number`: what is left of
        that segment is run again by running the statement from its start, up to there with what each lane has drawn."""
        self.start(prefix, frame)
        self.inside, self.first = (step, at), number
        self.rescore_segments(number, [number, *self.changed_inside(number, prefix)], frame)
        self.inside = None
        return self.summed(prefix, frame)

    def start(self, prefix: Tracker, frame: Frame) -> None:
        """Particles have come to a boundary."""
        run_in(frame)
        self.prefix = prefix
        self.total_uses = raw(self.total_uses)
        self.blamed_now = None

    def summed(self, prefix: Tracker, frame: Frame) -> NDArray[np.float64]:
        """The log density of the suffix in each lane, when all that has changed is replayed."""
        run_in(frame, prefix)
        result: Any = self.sum(frame)
        if self.seatings.turn:
            result = result + self.seatings.score(prefix, frame)
        if type(result) is not np.ndarray:
            result = np.full(frame.size, result)
        allowed = self.total_uses == self.left(frame)
        if allowed is not True and not np.all(allowed):
            result = np.where(allowed, result, -np.inf)
        if self.blamed is not None:
            self.count(result == -np.inf, frame)
            if type(self.blamed) is np.ndarray:
                self.blamed = Lane(self.blamed, frame)
        self.total_uses = _kept(self.total_uses, frame)
        scores: NDArray[np.float64] = result
        return scores

    def left(self, frame: Frame) -> Any:
        """How many values are left to use, which may differ between the lanes of different chains."""
        counts = [len(own) for own in self.held]
        if counts.count(counts[0]) == len(counts):
            return counts[0] + len(self.events)
        return np.array(counts).repeat(frame.size // len(counts))

    def lacking(self, at: At) -> Any:
        """The lanes of the running frame whose chain has used up a value already; None if there are none."""
        if len(self.held) == 1 or all(at in own for own in self.held):
            return None
        frame = here.frame
        spent = np.array([at not in own for own in self.held]).repeat(frame.top.size // len(self.held))
        return spent if frame.to_top is None else spent[frame.to_top]

    def changed(self, number: int, prefix: Tracker) -> list[int]:
        """The readers of what a segment has written otherwise in some lane than it did in the suffix."""
        self.seatings.passed(self.segments[number].seated)
        cells = [cell for cell in self.segments[number].writes if number in self.cells.get(cell, ())]
        return self.readers_of_changed(cells, number, prefix)

    def changed_inside(self, number: int, prefix: Tracker) -> list[int]:
        """The same of the part of a segment that has been run. What the rest still gives to processes is left."""
        record = self.segments[number]
        if record.seated:
            left = [at for at in record.seated if at in self.held[0] or at in self.events]
            self.seatings.passed([at for at in record.seated if at not in left])
            self.segments[number] = replace(record, seated=left)
        return self.readers_of_changed([], number, prefix)

    def readers_of_changed(self, cells: list[Any], number: int, prefix: Tracker) -> list[int]:
        """The readers of some cells, and of those that have been written since the last boundary, which have come out
        otherwise than segment `number` of the suffix had them; and who draws what has been used up."""
        readers: list[int] = []
        frame = here.frame
        for written in prefix.written[self.read_writes :]:
            if type(written) is ProcessInstance:
                self.seatings.touch(written.at)
            elif written not in cells:
                cells.append(written)
        for cell in cells:
            old = self.cells.get(cell, _NONE).pop(number, MISSING)
            now = prefix.stored(cell)
            if old is MISSING or now is MISSING or not same(now, old, frame):
                readers += self.readers.get(cell, ())
        for at in prefix.used[self.read_used :]:
            readers += self.drawers.get(at, ())
        self.read_writes, self.read_used = len(prefix.written), len(prefix.used)
        return readers

    def replay(self, number: int, frame: Frame, living: Lanes | None) -> tuple[Any, Iterable[int]]:
        run_in(frame)
        if self.replaying is None or living is not None:
            self.replaying = Replay(self, self.prefix)
        replay = self.replaying
        run_in(frame, replay)
        replay.start(number)
        segment = self.plan.segments[number]
        if self.inside is not None and number == self.first:
            step, replay.boundary = self.inside
            segment = segment[step:]
            if living is None and not (self.prefix.log_weights > -np.inf).all():  # some have not come here
                living = self.prefix.log_weights > -np.inf
        if living is not None:
            replay.log_weights[~living] = -np.inf
            run_in(frame.part(np.flatnonzero(living)))
        replay.run(segment)
        run_in(frame)
        score, uses = replay.outcome()
        self.recount(number, uses)
        for cell in replay.reads:
            self.readers.setdefault(cell, set()).add(number)
        for at in replay.drawn_here:
            self.drawers.setdefault(at, set()).add(number)
        changed = self.written_otherwise(number, replay.new, frame)
        return score, [reader for cell in changed for reader in self.readers.get(cell, ())]

    def written_otherwise(self, number: int, written: dict[Any, Any], frame: Frame) -> list[Any]:
        """The cells that a replay has written otherwise than they were; the suffix has its values from here on."""
        record = self.segments[number]
        changed = []
        cells = record.writes if written.keys() == record.writes.keys() else record.writes.keys() | written.keys()
        for cell in list(cells):
            versions = self.cells.setdefault(cell, {})
            old = versions.get(number, MISSING)
            new = written.get(cell, MISSING)
            if new is MISSING:
                versions.pop(number, None)
            else:
                versions[number] = new
                record.writes.setdefault(cell, None)
            if (old is MISSING) != (new is MISSING) or (old is not MISSING and not same(new, old, frame)):
                changed.append(cell)
        return changed

    def possible_prefixes(self, frame: Frame) -> Lanes:
        seatings = self.seatings.score(self.prefix, frame)
        run_in(frame)
        possible: Lanes = np.greater(self.prefix.log_weights + seatings, -np.inf)
        return possible

    def recount(self, number: int, uses: Any) -> None:
        """A segment uses another number of values."""
        self.total_uses = self.total_uses + (uses - raw(self.uses[number]))
        self.uses[number] = _kept(uses, here.frame)


_NONE: Final[dict[int, Any]] = {}


def _kept(value: Any, frame: Frame) -> Any:
    """A raw value as one that later frames can read."""
    return Lane(value, frame) if type(value) is np.ndarray else value
