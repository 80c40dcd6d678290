"""Replay: one segment of the suffix over all lanes, its samples taken from the retained run and scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.cells import MISSING, Partial
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.plan import Segment
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here, run_in
from pplc_runtime.lanes.varying import Dead, Lane, by_value, part, raw, settle, varies
from pplc_runtime.program.stochastic import Dist, ProcessInstance, fits
from pplc_runtime.regeneration.records import run_statements
from pplc_runtime.regeneration.same import same
from pplc_runtime.values import Memo, ModelError

if TYPE_CHECKING:
    from pplc_runtime.regeneration.records import Tracker
    from pplc_runtime.regeneration.suffix import Suffix


class Replay(Forward):
    """Replays one segment of the suffix over all lanes: samples take the retained values and are scored.

    A lane whose path is not one that the suffix can take gets weight zero, and ends there."""

    prints = False

    def __init__(self, suffix: Suffix, prefix: Tracker) -> None:
        super().__init__(prefix.chance, prefix.store)
        self.tables = prefix.tables
        self.formulas = prefix.formulas
        self.suffix = suffix
        self.fixed = suffix.plan.inputs
        self.prefix = prefix
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
        self.boundary: At | None = None
        """The observe where the particles stand, until it has been passed: up to there all is done already."""
        self.place = (0, 0)

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
            run_statements(self, segment)
            record = self.suffix.segments[self.number]
            if type(self.seated_so_far) is int and not self.suffix.strict and self.seated_so_far == len(record.seated):
                return
            undone = np.not_equal(self.seated_so_far, len(record.seated))
            if self.suffix.strict:
                undone = undone | np.not_equal(self.position, len(record.outcomes))
            if np.any(undone):
                run_in(here.frame.top)
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

    def sample(self, at: At, source: Any) -> Any:
        if self.boundary is None:
            return super().sample(at, source)
        return settle(self.prefix.own[at])

    def observe(self, at: At, source: Any, value: Any) -> Any:
        if self.boundary is None:
            return super().observe(at, source, value)
        if at is self.boundary:
            self.boundary = None
        return value

    def draw(self, at: At, source: Dist) -> Any:
        value = self.suffix.values.get(at, MISSING)
        if value is MISSING or self.suffix.kinds[at] != source.family.measure or not fits(source, value):
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
        if value is MISSING or self.suffix.kinds[at] != source.family.measure or not fits(source, value):
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
