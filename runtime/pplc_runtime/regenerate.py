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

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.addresses import At
from pplc_runtime.control import Memo
from pplc_runtime.frames import Frame, here
from pplc_runtime.handlers import MISSING, Forward, Partial
from pplc_runtime.lanes import Dead, Lane, join, part, raw
from pplc_runtime.same import same
from pplc_runtime.steps import Assume, Observe, Plan, Segment
from pplc_runtime.stochastic import Dist, ProcessInstance
from pplc_runtime.values import Place


@dataclass(slots=True)
class SegmentRecord:
    """What one segment of the retained run did."""

    reads: set[Any] = field(default_factory=set)
    writes: dict[Any, Any] = field(default_factory=dict)
    score: float = 0.0
    uses: int = 0
    """How many values it drew, and how many it gave to processes."""
    outcomes: list[bool] = field(default_factory=list)
    """Its predicates in the order of evaluation."""


@dataclass(slots=True)
class Seating:
    """One value that a process took in, drawn or observed."""

    segment: int
    at: At
    value: Any


class Recorder(Forward):
    """Runs the retained values once, alone, and writes down what every segment does."""

    def __init__(self, plan: Plan, values: dict[At, Any]) -> None:
        here.frame, here.handler = Frame.first(1), self
        super().__init__(np.random.default_rng(0), dict(plan.inputs))
        self.values = values
        self.kinds: dict[At, bool] = {}
        self.segments: list[SegmentRecord] = []
        self.seatings: dict[At, list[Seating]] = {}
        self.sources: dict[At, Any] = {}
        self.events: dict[At, Any] = {}
        self.now = SegmentRecord()
        for segment in plan.segments:
            self.now = SegmentRecord()
            self.segments.append(self.now)
            _run(self, segment)
            self.now.score += float(self.log_weights[0])
            self.log_weights[0] = 0.0

    def decided(self, truth: Any) -> Any:
        self.now.outcomes.append(truth)
        return truth

    def read(self, name: str) -> Any:
        if name not in self.now.writes:
            self.now.reads.add(name)
        return super().read(name)

    def write(self, name: str, value: Any) -> None:
        super().write(name, value)
        self.now.writes[name] = value

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        self.now.reads.add(at)
        return super().entry(memo, at, arguments)

    def remember(self, at: At, value: Any) -> None:
        self.store[at] = value
        self.now.writes[at] = value

    def draw(self, at: At, source: Dist) -> Any:
        value = self.values[at]
        self.kinds[at] = source.family.discrete
        self.now.score += float(source.log_density(value))
        self.now.uses += 1
        return value

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        value = self.values[at]
        self.kinds[at] = source.family.discrete
        self.take_in(at, source, value)
        return value

    def score_in_process(self, at: At, source: ProcessInstance, value: Any) -> Any:
        self.events[at] = value
        self.take_in(at, source, value)
        return 0.0

    def take_in(self, at: At, source: ProcessInstance, value: Any) -> None:
        self.now.uses += 1
        self.seatings.setdefault(source.at, []).append(Seating(len(self.segments) - 1, at, value))
        self.sources[source.at] = source


def _run(handler: Forward, segment: Segment) -> None:
    for step in segment:
        if step.step is Assume:
            handler.write(step.name, step.function(step.at, *step.arguments))
        elif step.step is Observe:
            source, value = step.function(step.at, *step.arguments)
            handler.weigh(raw(handler.score(step.at, source, value)))
        else:
            step.function(step.at, *step.arguments)


class Replay(Forward):
    """Replays one segment of the suffix over all lanes: samples take the retained values and are scored.

    A lane whose path is not one that the suffix can take gets weight zero, and ends there."""

    def __init__(self, suffix: Suffix, number: int, prefix: Forward) -> None:
        super().__init__(prefix.rng, prefix.store)
        self.suffix = suffix
        self.number = number
        self.new: dict[Any, Any] = {}
        self.reads: set[Any] = set()
        self.constant = 0.0
        """What all lanes score alike."""
        self.uses: Any = 0
        self.position = 0
        self.place: Place = (0, 0)

    def run(self, segment: Segment) -> None:
        try:
            for step in segment:
                self.place = step.place
                if step.step is Assume:
                    self.write(step.name, step.function(step.at, *step.arguments))
                elif step.step is Observe:
                    source, value = step.function(step.at, *step.arguments)
                    self.weigh(raw(self.score(step.at, source, value)))
                else:
                    step.function(step.at, *step.arguments)
        except Dead:
            self.log_weights[:] = -np.inf

    # Paths

    def decided(self, truth: Any) -> Any:
        if not self.suffix.strict:
            return truth
        outcomes = self.suffix.segments[self.number].outcomes
        position, self.position = self.position, self.position + 1
        if position >= len(outcomes):
            self.reject()
        expected = outcomes[position]
        if type(truth) is bool:
            if truth != expected:
                self.reject()
        else:
            self.suffix.note(self.place, int(np.count_nonzero(truth != expected)))
            self.weigh(np.where(truth == expected, 0.0, -np.inf))
        return expected

    def reject(self) -> None:
        """The lanes of the running frame cannot have the suffix."""
        self.suffix.note(self.place, here.frame.size)
        self.weigh(-np.inf)

    def weigh(self, score: Any) -> None:
        if type(score) is float and score > -np.inf and here.frame.to_top is None:
            self.constant += score
        else:
            super().weigh(score)

    # Cells

    def read(self, name: str) -> Any:
        if name in self.new:
            return self.new[name]
        self.reads.add(name)
        versions = self.suffix.versions(name, self.number)
        return versions[0] if versions else super().read(name)

    def write(self, name: str, value: Any) -> None:
        self.new[name] = value

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        self.reads.add(at)
        found = [self.new[at]] if at in self.new else []
        found += self.suffix.versions(at, self.number)
        if at in self.store:
            found.append(self.store[at])
        return self.first_present(found, memo, at, arguments)

    def first_present(self, found: list[Any], memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        """The entry in each lane from the first version that has it, computed where none does."""
        for position, stored in enumerate(found):
            if type(stored) is not Partial:
                return stored
            present = stored.present.at(here.frame)
            if np.all(present):
                return stored.value
            if np.any(present):
                rest = found[position + 1 :]
                groups = (np.flatnonzero(present), np.flatnonzero(~present))
                value = stored.value
                return part(groups, lambda no: self.first_present(rest, memo, at, arguments) if no else value)
        return self.compute(memo, at, arguments)

    def remember(self, at: At, value: Any) -> None:
        store, self.store = self.store, self.new
        try:
            super().remember(at, value)
        finally:
            self.store = store

    # Samples and observes

    def draw(self, at: At, source: Dist) -> Any:
        value = self.suffix.values.get(at, MISSING)
        if value is MISSING or self.suffix.kinds[at] != source.family.discrete or not _fits(source, value):
            self.reject()
        self.use()
        self.weigh(source.log_density(value))
        return value

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        value = self.suffix.values.get(at, MISSING)
        if value is MISSING or self.suffix.kinds[at] != source.family.discrete:
            self.reject()
        self.use()
        self.suffix.drawn_by(source)
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
        self.use()
        self.suffix.drawn_by(source)
        return 0.0

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
        score: Any = self.log_weights + self.constant if self.log_weights.any() else self.constant
        return score, self.uses


def _fits(source: Dist, value: Any) -> bool:
    """Whether a retained value is of the kind that a distribution gives."""
    kind = source.family.value_kind
    if kind == "boolean":
        return type(value) is bool
    if kind in ("vector", "matrix"):
        if type(value) is not np.ndarray:
            return False
        first = source.parts[-1]
        length = first.data.shape[0] if type(first) is Lane else first.shape[0]
        return bool(value.shape[0] == length)
    return type(value) is float or type(value) is int


class Suffix:
    """The rest of the retained run, and its density after each prefix."""

    def __init__(self, plan: Plan, values: dict[At, Any], strict: bool = False) -> None:
        recorder = Recorder(plan, values)
        self.plan = plan
        self.strict = strict
        self.values = dict(values)
        self.events = dict(recorder.events)
        self.kinds = recorder.kinds
        self.segments = recorder.segments
        self.scores: list[Any] = [record.score for record in recorder.segments]
        self.uses: list[Any] = [record.uses for record in recorder.segments]
        self.cells: dict[Any, dict[int, Any]] = {}
        """What the segments of the suffix write: cell -> segment -> value."""
        self.readers: dict[Any, set[int]] = {}
        for number, record in enumerate(recorder.segments):
            for cell, value in record.writes.items():
                self.cells.setdefault(cell, {})[number] = value
            for cell in record.reads:
                self.readers.setdefault(cell, set()).add(number)
        self.seatings = recorder.seatings
        self.sources = recorder.sources
        self.blocks: dict[At, Lane] = {}
        self.fresh_sources: set[At] = set()
        self.total: Any = sum(self.scores)
        self.total_uses: Any = sum(self.uses)
        self.bad: Any = 0
        """How many segments of the suffix are impossible, by lane."""
        self.replays = 0
        self.dropped: Counter[Place] = Counter()

    def note(self, place: Place, lanes: int) -> None:
        """Candidates that were dropped by what stands at a place."""
        if lanes:
            self.dropped[place] += lanes

    def versions(self, cell: Any, number: int) -> list[Any]:
        """What the suffix has in a cell when segment `number` reads it, the latest first."""
        found = self.cells.get(cell)
        if not found:
            return []
        if len(found) == 1:
            ((writer, value),) = found.items()
            return [value] if writer < number else []
        return [found[writer] for writer in sorted(found, reverse=True) if writer < number]

    def drawn_by(self, source: ProcessInstance) -> None:
        """A process as a replay finds it, with the parameters that it has in the lanes of the running frame."""
        frame = here.frame
        old = self.sources.get(source.at)
        if old is source:
            return
        if frame.to_top is not None and old is not None:
            others = np.setdiff1d(np.arange(frame.top.size), frame.to_top)
            if len(others):
                source = join(frame.top, [(frame.top.part(others), old), (frame, source)])
        self.sources[source.at] = source
        self.fresh_sources.add(source.at)

    def rescore(self, number: int, prefix: Forward, frame: Frame) -> NDArray[np.float64]:
        """The log density of the suffix from segment `number` on, after the prefix in each lane."""
        here.frame = frame
        self.total = raw(self.total)
        self.bad = raw(self.bad)
        self.total_uses = raw(self.total_uses)
        self.replace(number - 1, 0.0, 0)
        changed, touched = self.changed(number - 1, prefix)
        queue: list[int] = []
        for cell in changed:
            queue.extend(reader for reader in self.readers.get(cell, ()) if reader >= number)
        queue = list(set(queue))
        heapq.heapify(queue)
        last = -1
        while queue:
            dirty = heapq.heappop(queue)
            if dirty == last:
                continue
            last = dirty
            for cell in self.replay(dirty, prefix, frame):
                for reader in self.readers.get(cell, ()):
                    if reader > dirty:
                        heapq.heappush(queue, reader)
        here.handler = prefix
        result: NDArray[np.float64] = np.zeros(frame.size) + self.total + self.block(number, prefix, frame, touched)
        allowed = (self.bad == 0) & (self.total_uses == len(self.values) + len(self.events))
        if allowed is not True and not np.all(allowed):
            result = np.where(allowed, result, -np.inf)
        self.total = _kept(self.total, frame)
        self.bad = _kept(self.bad, frame)
        self.total_uses = _kept(self.total_uses, frame)
        return result

    def changed(self, number: int, prefix: Forward) -> tuple[list[Any], set[At]]:
        """The cells that a segment wrote otherwise in some lane than in the suffix, and the processes it used."""
        touched: set[At] = set()
        cells: set[Any] = set()
        for written in prefix.written:
            if type(written) is ProcessInstance:
                touched.add(written.at)
            else:
                cells.add(written)
        prefix.written.clear()
        for seatings in self.seatings.values():
            while seatings and seatings[0].segment <= number:
                touched.update(at for at, own in self.seatings.items() if own is seatings)
                seatings.pop(0)
        changed = []
        for cell in [c for c, found in self.cells.items() if number in found]:
            cells.add(cell)
        for cell in cells:
            found = self.cells.get(cell, {})
            old = found.pop(number, MISSING)
            now = prefix.store.get(cell, MISSING)
            if old is MISSING or now is MISSING or not same(now, old, here.frame):
                changed.append(cell)
        return changed, touched

    def replay(self, number: int, prefix: Forward, frame: Frame) -> Iterable[Any]:
        """Replay a segment over all lanes; the cells that come out otherwise than before."""
        self.replays += 1
        here.frame = frame
        here.handler = replay = Replay(self, number, prefix)
        replay.run(self.plan.segments[number])
        here.frame = frame
        self.replace(number, *replay.outcome())
        for cell in replay.reads:
            self.readers.setdefault(cell, set()).add(number)
        record = self.segments[number]
        changed = []
        for cell in {*record.writes, *replay.new}:
            versions = self.cells.setdefault(cell, {})
            old = versions.get(number, MISSING)
            new = replay.new.get(cell, MISSING)
            if new is MISSING:
                versions.pop(number, None)
            else:
                versions[number] = new
                record.writes.setdefault(cell, None)
            if (old is MISSING) != (new is MISSING) or (old is not MISSING and not same(new, old, frame)):
                changed.append(cell)
        return changed

    def replace(self, number: int, score: Any, uses: Any) -> None:
        """Give a segment another score, and keep the totals up to date."""
        old, old_bad = _split(raw(self.scores[number]))
        new, new_bad = _split(score)
        self.total = self.total + (new - old)
        if new_bad is not False or old_bad is not False:
            self.bad = self.bad + np.subtract(new_bad, old_bad, dtype=np.int64)
        self.total_uses = self.total_uses + (uses - raw(self.uses[number]))
        self.scores[number] = _kept(score, here.frame)
        self.uses[number] = _kept(uses, here.frame)

    def block(self, number: int, prefix: Forward, frame: Frame, touched: set[At]) -> Any:
        """The log density of what all processes still have to take in, from the state in each lane."""
        total: Any = 0.0
        here.frame = frame
        for at, seatings in self.seatings.items():
            if not seatings:
                continue
            if at in touched or at in self.fresh_sources or at not in self.blocks:
                source = self.sources[at]
                family = source.family
                parameters = tuple(map(raw, source.parts))
                if at in prefix.seats:
                    state = prefix.seats_of(source).state
                else:
                    state = family.empty(frame.size, *parameters)
                values = [seating.value for seating in seatings]
                self.blocks[at] = Lane(family.block(state, values, *parameters), frame)
            total = total + np.atleast_1d(self.blocks[at].at(frame))
        self.fresh_sources.clear()
        return total


def _kept(value: Any, frame: Frame) -> Any:
    """A raw value as one that later frames can read."""
    return Lane(value, frame) if type(value) is np.ndarray else value


def _split(score: Any) -> tuple[Any, Any]:
    """A score as its finite part and whether it is impossible."""
    if type(score) is np.ndarray:
        if score.min() > -np.inf:
            return score, False
        bad = score == -np.inf
        return np.where(bad, 0.0, score), bad
    return (0.0, True) if score == -np.inf else (score, False)

