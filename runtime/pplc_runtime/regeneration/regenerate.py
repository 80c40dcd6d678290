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
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.forward import MISSING, Forward, Partial, raw_at
from pplc_runtime.engine.plan import Plan, Segment
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.varying import Dead, Lane, by_value, part, raw, varies
from pplc_runtime.program.steps import Assume, Observe, Predict
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.regeneration.same import same
from pplc_runtime.regeneration.scores import Lanes, SuffixScores
from pplc_runtime.regeneration.seatings import Seatings
from pplc_runtime.values import Memo, ModelError, Place


class Replay(Forward):
    """Replays one segment of the suffix over all lanes: samples take the retained values and are scored.

    A lane whose path is not one that the suffix can take gets weight zero, and ends there."""

    def __init__(self, suffix: Suffix, prefix: Forward) -> None:
        super().__init__(prefix.rng, prefix.store)
        self.tables = prefix.tables
        self.formulas = prefix.formulas
        self.suffix = suffix
        self.fixed = suffix.plan.inputs
        self.start(0)

    def start(self, number: int) -> None:
        """A segment begins."""
        self.number = number
        self.new: dict[Any, Any] = {}
        self.reads: set[Any] = set()
        self.weighed: NDArray[np.float64] | None = None
        """The score of the segment, as far as it is not common to all candidates."""
        self.uses: Any = 0
        self.drawn_here: list[At] = []
        self.seated_so_far: Any = 0
        """How many of the segment's seatings each lane has done."""
        self.position: Any = 0
        """How many predicates each lane has decided."""
        self.place: Place = (0, 0)

    @property
    def log_weights(self) -> NDArray[np.float64]:
        if self.weighed is None:
            self.weighed = np.zeros(here.frame.top.size)
        return self.weighed

    @log_weights.setter
    def log_weights(self, weights: NDArray[np.float64]) -> None:
        self.weighed = weights

    def run(self, segment: Segment) -> None:
        try:
            for step in segment:
                self.place = step.place
                if step.step is Assume:
                    self.write(step.name, step.function(step.at, *step.arguments))
                elif step.step is Observe:
                    source, value = step.function(step.at, *step.arguments)
                    self.weigh(raw(self.score(step.at, source, value)))
                elif step.step is Predict:
                    step.function(step.at, *step.arguments)
            record = self.suffix.segments[self.number]
            if type(self.seated_so_far) is int and not self.suffix.strict and self.seated_so_far == len(record.seated):
                return
            undone = np.not_equal(self.seated_so_far, len(record.seated))
            if self.suffix.strict:
                undone = undone | np.not_equal(self.position, len(record.outcomes))
            if np.any(undone):
                here.frame = here.frame.top
                self.weigh(np.where(undone, -np.inf, np.zeros(here.frame.size)))
        except Dead:
            pass

    # Paths

    def decided(self, truth: Any) -> Any:
        if not self.suffix.strict:
            return truth
        outcomes = self.suffix.segments[self.number].outcomes
        position = self.turn()
        if type(position) is int:
            right = position < len(outcomes) and np.equal(truth, outcomes[position])
        else:
            expected = np.array([*outcomes, False])[np.minimum(position, len(outcomes))]
            right = (position < len(outcomes)) & (expected == truth)
        if np.all(right):
            return truth
        if not np.any(right):
            self.reject()
        self.suffix.blame(self.place, np.logical_not(right))
        self.weigh(np.where(right, 0.0, -np.inf))
        if type(truth) is bool:
            return truth
        living = truth[right]
        return bool(living[0]) if (living == living[0]).all() else living

    def turn(self) -> Any:
        """Which of its predicates a lane decides now: a number, or one for each lane of the running frame."""
        index = here.frame.to_top
        if index is None:
            position, self.position = self.position, self.position + 1
            return position
        if type(self.position) is int:
            self.position = np.full(here.frame.top.size, self.position)
        position = self.position[index]
        self.position[index] += 1
        return int(position[0]) if (position == position[0]).all() else position

    def reject(self) -> None:
        """The lanes of the running frame cannot have the suffix."""
        self.suffix.blame(self.place)
        self.weigh(-np.inf)

    def weigh(self, score: Any) -> None:
        if here.frame.to_top is not None:
            self.weighed = self.log_weights.copy()  # which may be what a density has given
            super().weigh(score)
        elif type(score) is np.ndarray:
            lowest = score[score.argmin()]
            if lowest != lowest:
                raise ModelError("the density of this observe is not a number")
            self.weighed = score if self.weighed is None else self.weighed + score
            if lowest == -np.inf:
                self.bury()
        elif not score > -np.inf:  # what is finite is common to all candidates
            super().weigh(score)

    # Cells

    def read(self, name: str) -> Any:
        fixed = self.fixed.get(name, MISSING)
        if fixed is not MISSING:
            return fixed
        if name in self.new:
            return self.new[name]
        self.reads.add(name)
        versions = self.suffix.versions(name, self.number)
        return versions[0] if versions else super().read(name)

    def write(self, name: str, value: Any) -> None:
        self.new[name] = value

    def entries(self, memo: Memo, argument: Lane) -> Any:
        return by_value(argument, lambda value: self.entry(memo, memo.at[value], (value,)))

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        self.reads.add(at)
        new = self.new.get(at, MISSING)
        if new is not MISSING and type(new) is not Partial:
            return new
        found = self.suffix.versions(at, self.number)
        if new is not MISSING:
            found.insert(0, new)
        stored = self.stored(at)
        if stored is not MISSING:
            found.append(stored)
        return self.first_present(found, memo, at, arguments)

    def first_present(self, found: list[Any], memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        """The entry in each lane from the first version that has it, computed where none does."""
        if not found:
            return self.compute(memo, at, arguments)
        stored, rest = found[0], found[1:]
        if type(stored) is not Partial:
            return stored
        present = stored.present.at(here.frame)
        if np.all(present):
            return stored.value
        if not np.any(present):
            return self.first_present(rest, memo, at, arguments)
        groups = (np.flatnonzero(present), np.flatnonzero(~present))
        return part(groups, lambda no: self.first_present(rest, memo, at, arguments) if no else stored.value)

    def remember(self, at: At, value: Any) -> None:
        if here.frame.to_top is None:
            self.new[at] = value
            return
        store, tables = self.store, self.tables
        self.store, self.tables = self.new, {}
        try:
            super().remember(at, value)
        finally:
            self.store, self.tables = store, tables

    def load(self, at: At, default: Any) -> Any:
        self.reads.add(at)
        if at in self.new:
            return self.new[at]
        versions = self.suffix.versions(at, self.number)
        return versions[0] if versions else self.store.get(at, default)

    def save(self, at: At, value: Any) -> None:
        self.new[at] = self.with_others(value, self.load(at, ()))

    # Samples and observes

    def draw(self, at: At, source: Dist) -> Any:
        value = self.suffix.values.get(at, MISSING)
        if value is MISSING or self.suffix.kinds[at] != source.family.measure or not _fits(source, value):
            self.reject()
        spent = self.suffix.lacking(at)
        if spent is not None and spent.any():
            self.weigh(np.where(spent, -np.inf, 0.0) if here.frame.size > 1 else -np.inf)
        self.use()
        self.drawn_here.append(at)
        if not self.is_common(source):
            self.weigh(source.log_density(value))
        return value

    def score(self, at: At, source: Any, value: Any) -> Any:
        if type(source) is Dist and not varies(value) and self.is_common(source):
            return 0.0
        return super().score(at, source, value)

    @staticmethod
    def is_common(source: Dist) -> bool:
        """Whether all lanes share a density: it is the retained one's, and changes no candidate's chance."""
        if here.frame.to_top is not None:
            return False
        return Lane not in map(type, source.parts)

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        value = self.suffix.values.get(at, MISSING)
        if value is MISSING or self.suffix.kinds[at] != source.family.measure or not _fits(source, value):
            self.reject()
        self.seat(at, source)
        return value

    def score_in_process(self, at: At, source: ProcessInstance, value: Any) -> Any:
        expected = self.suffix.events.get(at, MISSING)
        data = raw(value)
        if expected is MISSING:
            self.reject()
        if type(data) is np.ndarray and type(value) is Lane:
            self.weigh(np.where(data == expected, 0.0, -np.inf))
        elif not same(data, expected, here.frame):
            self.reject()
        self.seat(at, source)
        return 0.0

    def seat(self, at: At, source: ProcessInstance) -> None:
        """A value for a process: its density is part of the block, but its turn must be the same."""
        order = self.suffix.segments[self.number].seated
        index = here.frame.to_top
        if index is None and type(self.seated_so_far) is int:
            turn = self.seated_so_far
            if turn >= len(order) or order[turn] is not at:
                self.reject()
            self.seated_so_far = turn + 1
        else:
            if type(self.seated_so_far) is int:
                self.seated_so_far = np.full(here.frame.top.size, self.seated_so_far)
            turns = self.seated_so_far if index is None else self.seated_so_far[index]
            right = np.array([turn < len(order) and order[turn] is at for turn in turns.tolist()])
            if not right.all():
                self.suffix.blame(self.place, ~right)
                self.weigh(np.where(right, 0.0, -np.inf) if here.frame.size > 1 else -np.inf)
            if index is None:
                self.seated_so_far += 1
            else:
                self.seated_so_far[index] += 1
        self.use()
        self.suffix.assign(at, source)

    def use(self) -> None:
        """A value of the suffix is used up in the lanes of the running frame."""
        index = here.frame.to_top
        if index is None:
            self.uses = self.uses + 1
            return
        if type(self.uses) is int:
            self.uses = np.full(here.frame.top.size, self.uses)
        self.uses[index] += 1

    def outcome(self) -> tuple[Any, Any]:
        """The score and the number of values used, each shared or by lane."""
        return 0.0 if self.weighed is None else self.weighed, self.uses


def _fits(source: Dist | ProcessInstance, value: Any) -> bool:
    """Whether a retained value is of the kind that a distribution or process gives."""
    kind = source.family.value_kind
    sort = type(value)
    if kind == "boolean":
        return sort is bool or (sort is Lane and value.data.dtype.kind == "b")
    if kind in ("vector", "matrix"):
        if sort is not np.ndarray and sort is not Lane:
            return False
        first = source.parts[-1]
        length = first.data.shape[0] if type(first) is Lane else first.shape[0]
        return bool((value.data if sort is Lane else value).shape[0] == length)
    return sort is float or sort is int or (sort is Lane and value.data.ndim == 1 and value.data.dtype.kind != "b")


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
        self.segments = retained.segments
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
        self.prefix: Forward
        """The particles at the boundary that the suffix is rescored at."""
        self.replaying: Replay | None = None
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

    def rescore(self, number: int, prefix: Forward, frame: Frame) -> NDArray[np.float64]:
        """The log density of the suffix from segment `number` on, after the prefix in each lane."""
        here.frame = frame
        self.prefix = prefix
        self.total_uses = raw(self.total_uses)
        self.blamed_now = None
        self.drop(number - 1, frame)
        self.recount(number - 1, 0)
        self.rescore_segments(number, self.changed(number - 1, prefix), frame)
        here.frame, here.handler = frame, prefix
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

    def changed(self, number: int, prefix: Forward) -> list[int]:
        """The readers of what a segment has written otherwise in some lane than it did in the suffix."""
        readers: list[int] = []
        frame = here.frame
        cells = [cell for cell in self.segments[number].writes if number in self.cells.get(cell, ())]
        self.seatings.passed(self.segments[number].seated)
        for written in prefix.written:
            if type(written) is ProcessInstance:
                self.seatings.touch(written.at)
            elif written not in cells:
                cells.append(written)
        prefix.written.clear()
        for cell in cells:
            old = self.cells.get(cell, _NONE).pop(number, MISSING)
            now = prefix.stored(cell)
            if old is MISSING or now is MISSING or not same(now, old, frame):
                readers += self.readers.get(cell, ())
        for at in prefix.used:
            readers += self.drawers.get(at, ())
        prefix.used.clear()
        return readers

    def replay(self, number: int, frame: Frame, living: Lanes | None) -> tuple[Any, Iterable[int]]:
        here.frame = frame
        if self.replaying is None or living is not None:
            self.replaying = Replay(self, self.prefix)
        here.handler = replay = self.replaying
        replay.start(number)
        if living is not None:
            replay.log_weights[~living] = -np.inf
            here.frame = frame.part(np.flatnonzero(living))
        replay.run(self.plan.segments[number])
        here.frame = frame
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
        here.frame = frame
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
