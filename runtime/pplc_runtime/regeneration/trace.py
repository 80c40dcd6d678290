"""Traces: executions that are known by what they drew, and that are updated when some of their values change.

A trace keeps for each statement what it read, wrote and drew, and its log density. An update runs anew the statements
that draw a changed value, those that read a cell which came out otherwise than it was, and so on in the order of the
program; all others keep what they had. A statement that runs anew finds its values by address. Where it asks for an
address that the trace does not have, a *fresh* value is drawn; values that nobody asks for any more are *stale*.

The trace is changed in place, so that an update costs what it changes; `Update.undo` puts back what was.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from pplc_runtime.engine.cells import MISSING
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.particles import columns_of
from pplc_runtime.engine.plan import Bound, Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, run_in
from pplc_runtime.lanes.messages import reportable
from pplc_runtime.lanes.varying import Dead
from pplc_runtime.program.steps import Assume, Observe, Predict
from pplc_runtime.regeneration.rerun import Choice, Rerun, StatementRecord
from pplc_runtime.regeneration.same import same
from pplc_runtime.regeneration.scores import in_order
from pplc_runtime.results.sweeps import Column
from pplc_runtime.values import Impossible, ModelError

_NOTHING: Final = StatementRecord()
_NONE: Final[Mapping[At, At]] = {}


class Versions:
    """What statements wrote to a cell: the writers in order, and the value of each."""

    __slots__ = ("values", "writers")

    def __init__(self) -> None:
        self.writers: list[int] = []
        self.values: dict[int, Any] = {}

    def before(self, number: int) -> Any:
        """What a statement finds in the cell: the value of the last writer before it."""
        place = bisect_left(self.writers, number)
        return self.values[self.writers[place - 1]] if place else MISSING

    def put(self, number: int, value: Any) -> None:
        """What a statement writes; MISSING if it writes the cell no more."""
        if value is MISSING:
            if self.values.pop(number, MISSING) is not MISSING:
                del self.writers[bisect_left(self.writers, number)]
            return
        if number not in self.values:
            self.writers.insert(bisect_left(self.writers, number), number)
        self.values[number] = value


class Execution(Protocol):
    """A trace, as methods know it."""

    @property
    def plan(self) -> Any: ...
    @property
    def choices(self) -> Mapping[At, Choice]: ...
    @property
    def records(self) -> Sequence[StatementRecord]:
        """What was done, one after the other."""

    @property
    def values(self) -> dict[At, Any]:
        """What was drawn, in the order of execution."""

    @property
    def log_density(self) -> float:
        """The log of the product of the densities of all draws and observes."""

    def predicts(self, rng: np.random.Generator) -> dict[str, Column]:
        """What is reported, by label."""

    def replace(self, number: int, new: StatementRecord) -> None:
        """A record is another one."""

    def put(self, at: At, choice: Choice | None) -> None:
        """A choice, or none any more."""


class Update(NamedTuple):
    """What a change has come to; if it is impossible, the ratio is -inf and the trace is as it was."""

    trace: Execution
    log_ratio: float
    """The log density of the execution less that of the one before."""
    fresh: tuple[At, ...] = ()
    """Where values were drawn: at new addresses, and where that was asked for."""
    log_fresh: float = 0.0
    """The log density of these draws."""
    stale: tuple[At, ...] = ()
    """Where values were dropped: those that are asked for no more, and those that were drawn anew."""
    log_stale: float = 0.0
    """Their log density in the execution before."""
    replaced: tuple[tuple[int, StatementRecord], ...] = ()
    choices: tuple[tuple[At, Choice | None], ...] = ()

    def undo(self) -> None:
        """The trace as it was before, if nothing has changed it since."""
        for number, record in reversed(self.replaced):
            self.trace.replace(number, record)
        for at, choice in self.choices:
            self.trace.put(at, choice)


class Trace:
    """An execution: its choices by address, and what each statement did."""

    def __init__(self, plan: Plan, values: Mapping[At, Any], rng: np.random.Generator) -> None:
        self.plan = plan
        self.steps: list[Bound] = [step for segment in plan.segments for step in segment]
        self.records: list[StatementRecord] = [_NOTHING] * len(self.steps)
        self.choices: dict[At, Choice] = {}
        self.cells: dict[Any, Versions] = {}
        self.readers: dict[Any, set[int]] = {}
        self.replays = 0
        """How many statements were run, all in all."""
        self.frame = Frame.first(1)
        self.handler = Rerun(self)
        if self.run(range(len(self.steps)), values, rng).log_ratio == -math.inf:
            raise self.impossible()

    def impossible(self) -> ModelError:
        """The error of values that no execution has: it names the statement."""
        error = Impossible("the values of this execution have probability zero here")
        error.place = (*self.handler.place, 1)
        return error

    @property
    def values(self) -> dict[At, Any]:
        """What was drawn, in the order of execution."""
        return {at: self.choices[at].value for record in self.records for at in record.draws}

    @property
    def log_density(self) -> float:
        """The log of the product of the densities of all draws and observes."""
        return math.fsum(record.log_density for record in self.records)

    # Updates

    def update(self, changes: Mapping[At, Any], rng: np.random.Generator, moved: Mapping[At, At] = _NONE) -> Update:
        """Replace values; one that is `REDRAWN` is drawn from its distribution or process as it is there.

        `moved` has choices whose values are to be found at another address, each at its own."""
        missing = next((at for at in (*changes, *moved) if at not in self.choices), None)
        if missing is not None:
            raise KeyError(f"the trace has no choice at {missing}")
        return self.run([self.choices[at].number for at in (*changes, *moved)], changes, rng, moved)

    def run(
        self,
        dirty: Iterable[int],
        changes: Mapping[At, Any],
        rng: np.random.Generator,
        moved: Mapping[At, At] = _NONE,
    ) -> Update:
        """Run some statements anew, and the readers of what comes out of that otherwise."""
        handler = self.handler
        handler.start(changes, rng, {**dict.fromkeys(moved), **{new: old for old, new in moved.items()}})
        run_in(self.frame, handler)
        replaced: list[tuple[int, StatementRecord]] = []
        ratios: list[float] = []

        def rerun(number: int) -> Iterable[int]:
            self.replays += 1
            old, new = self.records[number], self.run_statement(number)
            changed = [cell for cell in {**old.writes, **new.writes} if self.differs(old, new, cell)]
            replaced.append((number, old))
            self.replace(number, new)
            ratios.append(new.log_density - old.log_density)
            return [reader for cell in changed for reader in self.readers.get(cell, ())]

        try:
            in_order(dirty, 0, rerun)
        except BaseException as error:
            Update(self, -math.inf, replaced=tuple(replaced)).undo()
            if isinstance(error, Dead):
                return Update(self, -math.inf)
            raise
        return self.settled(replaced, math.fsum(ratios), moved)

    def run_statement(self, number: int) -> StatementRecord:
        """Run a statement, with what those before it have written; Dead if that is impossible."""
        handler, step = self.handler, self.steps[number]
        record = handler.begin_statement(number, step.place)
        try:
            result = step.function(step.at, *step.arguments)
            if step.step is Observe:
                handler.observe(step.at, *result)
            elif step.step is Assume:
                handler.write(step.name, result)
            elif step.step is Predict:
                record.report = (step.turn, *reportable(*result))
        except Exception as error:
            error.statement = step.place  # type: ignore[attr-defined] # for errors.located
            raise
        return record

    def differs(self, old: StatementRecord, new: StatementRecord, cell: Any) -> bool:
        """Whether a cell was written otherwise, or by one of the two only."""
        before, after = old.writes.get(cell, MISSING), new.writes.get(cell, MISSING)
        return before is MISSING or after is MISSING or not same(after, before, self.frame)

    def settled(self, replaced: list[tuple[int, StatementRecord]], log_ratio: float, moved: Mapping[At, At]) -> Update:
        """The choices after an update, when all statements have been run that had to."""
        found, fresh = self.handler.choices, tuple(self.handler.fresh)
        drawn_anew = set(fresh)
        before = {at: self.choices[at] for _, record in replaced for at in record.draws}
        stale = tuple(at for at in before if (now := moved.get(at, at)) not in found or now in drawn_anew)
        update = Update(
            self,
            log_ratio,
            fresh,
            math.fsum(found[at].log_density for at in fresh),
            stale,
            math.fsum(before[at].log_density for at in stale),
            tuple(replaced),
            tuple((at, before.get(at)) for at in {**before, **found}),
        )
        for at in before:
            self.put(at, found.get(at))
        self.choices.update(found)
        return update

    def put(self, at: At, choice: Choice | None) -> None:
        """A choice, or none any more."""
        if choice is None:
            self.choices.pop(at, None)
        else:
            self.choices[at] = choice

    def replace(self, number: int, new: StatementRecord) -> None:
        """A statement has done something else."""
        old = self.records[number]
        self.records[number] = new
        for cell in old.reads - new.reads:
            self.readers[cell].discard(number)
        for cell in new.reads - old.reads:
            self.readers.setdefault(cell, set()).add(number)
        for cell in old.writes:
            if cell not in new.writes:
                self.cells[cell].put(number, MISSING)
        for cell, value in new.writes.items():
            versions = self.cells.get(cell)
            if versions is None:
                versions = self.cells[cell] = Versions()
            versions.put(number, value)

    # Reports

    def predicts(self, rng: np.random.Generator) -> dict[str, Column]:
        """What is reported of the execution, by label; what only that draws is drawn anew."""
        run_in(self.frame)
        end = len(self.steps)
        store = dict(self.plan.inputs)
        store.update({cell: value for cell, own in self.cells.items() if (value := own.before(end)) is not MISSING})
        handler = Forward(Stream(rng), store)
        run_in(self.frame, handler)
        reports = [record.report for record in self.records if record.report is not None]
        for step in self.plan.reports:
            step.put_back(handler.store)
            try:
                outcome = step.function(step.at, *step.arguments)
                if step.step is Assume:
                    handler.write(step.name, outcome)
                else:
                    reports.append((step.turn, *reportable(*outcome)))
            except Exception as error:
                error.statement = step.place  # type: ignore[attr-defined] # for errors.located
                raise
        return columns_of(reports, self.frame)
