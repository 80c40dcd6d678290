"""Rerun: the statements of a trace, one at a time, their samples found by address.

As `replay` has it for a suffix and many lanes; here there is one lane, and an execution may come to draw other
addresses than before. The state of a process is a cell like any other: a statement that draws from the process reads
and writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pplc_runtime.engine.cells import MISSING
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Dead, raw
from pplc_runtime.program.stochastic import Dist, ProcessInstance, fits
from pplc_runtime.values import Memo, ModelError, Place

if TYPE_CHECKING:
    from pplc_runtime.regeneration.trace import Trace

_NOWHERE: Final[Mapping[At, At | None]] = {}
REDRAWN: Final = object()
"""In place of a value: to be drawn from its distribution or process."""


@dataclass(slots=True)
class StatementRecord:
    """What one statement of a trace did."""

    reads: set[Any] = field(default_factory=set)
    """The cells that it found, or looked for, in what earlier statements wrote."""
    writes: dict[Any, Any] = field(default_factory=dict)
    draws: list[At] = field(default_factory=list)
    log_density: float = 0.0
    """Of what it draws and observes."""
    observed: set[At] = field(default_factory=set)
    """The processes that its observes gave values to."""
    report: tuple[int, Any, Any] | None = None


class Choice(NamedTuple):
    """A value that was drawn, from what, and by which statement."""

    source: Dist | ProcessInstance
    value: Any
    log_density: float
    number: int
    is_fresh_atom: bool | None = None
    """Where a process draws old values with a mass and fresh ones with a density: which of them it is."""


class Rerun(Forward):
    """Runs statements of a trace. What they read are the latest versions of cells that earlier ones have written."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(Stream(), trace.plan.inputs)
        self.trace = trace
        self.number = 0
        self.record = StatementRecord()
        self.changes: Mapping[At, Any] = {}
        self.origins: Mapping[At, At | None] = {}
        """Where the value for an address was before, if not there; None if there is none."""
        self.choices: dict[At, Choice] = {}
        """What the statements that run anew have drawn."""
        self.fresh: list[At] = []

    def start(
        self, changes: Mapping[At, Any], rng: np.random.Generator, origins: Mapping[At, At | None] = _NOWHERE
    ) -> None:
        """An update begins."""
        self.changes = changes
        self.origins = origins
        self.rng = rng
        self.choices = {}
        self.fresh = []

    def begin_statement(self, number: int, place: Place) -> StatementRecord:
        """A statement begins; what it does is written into its record."""
        self.number = number
        self.place = place
        self.record = StatementRecord()
        return self.record

    def bury(self) -> None:
        raise Dead

    def weigh(self, score: Any) -> None:
        if score != score:
            raise ModelError("the density of this observe is not a number")
        if score == -np.inf:
            raise Dead
        self.record.log_density += float(score)

    # Cells

    def visible(self, cell: Any) -> Any:
        """What is in a cell: from this statement, or from the last one before it that wrote it."""
        value = self.record.writes.get(cell, MISSING)
        if value is not MISSING:
            return value
        self.record.reads.add(cell)
        versions = self.trace.cells.get(cell)
        return MISSING if versions is None else versions.before(self.number)

    def read(self, name: str) -> Any:
        value = self.store.get(name, MISSING)
        if value is MISSING:
            value = self.visible(name)
        return super().read(name) if value is MISSING else value

    def write(self, name: str, value: Any) -> None:
        self.record.writes[name] = value

    def keep(self, turn: int, names: tuple[str, ...]) -> None:
        for name in names:
            value = self.store.get(name, MISSING)
            value = self.visible(name) if value is MISSING else value
            if value is not MISSING:
                self.record.writes[turn, name] = value

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        value = self.visible(at)
        return self.compute(memo, at, arguments) if value is MISSING else value

    def remember(self, at: At, value: Any) -> None:
        self.record.writes[at] = value

    def load(self, at: At, default: Any) -> Any:
        value = self.visible(at)
        return default if value is MISSING else value

    def save(self, at: At, value: Any) -> None:
        self.record.writes[at] = value

    # Samples

    def draw(self, at: At, source: Dist) -> Any:
        value = self.known(at, source)
        if value is MISSING:
            self.fresh.append(at)
            value = source.sample(self.rng)
        density = source.log_density(value)
        return self.chosen(at, Choice(source, value, float(density), self.number))

    def known(self, at: At, source: Dist | ProcessInstance) -> Any:
        """The value that the trace has at an address, or is given; MISSING if one is to be drawn.

        A value is kept for a distribution of the same kind only. So the way back keeps what this way keeps, and draws
        what this way drops."""
        given = self.changes.get(at, MISSING)
        if given is REDRAWN:
            return MISSING
        old = self.before(at)
        alike = old is None or is_of_a_kind(old, source)
        if given is MISSING:
            return old.value if old is not None and alike else MISSING
        if not alike or not fits(source, given):
            raise Dead
        return given

    def before(self, at: At) -> Choice | None:
        """The choice of the trace that an address has its value from."""
        origin = self.origins.get(at, at)
        return None if origin is None else self.trace.choices.get(origin)

    def chosen(self, at: At, choice: Choice) -> Any:
        self.record.draws.append(at)
        self.choices[at] = choice
        self.weigh(choice.log_density)
        return choice.value

    # Processes

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        family, parameters = source.family, tuple(map(raw, source.parts))
        state = self.state_of(source, parameters)
        value = self.known(at, source)
        is_new = value is MISSING
        if is_new:
            self.fresh.append(at)
            data = family.sample(self.rng, state, None, *parameters)
            value = data[..., 0].item() if data.ndim == 1 else data[..., 0]
        is_fresh_atom = only(family.fresh(state, None, value))
        old = self.before(at)
        if not is_new and old is not None and at not in self.changes and old.is_fresh_atom is not is_fresh_atom:
            raise Dead  # a mass and a density cannot stand for each other
        density = float(family.log_density(state, None, value, *parameters)[0])
        self.chosen(at, Choice(source, value, density, self.number, is_fresh_atom))
        self.take_in(source, state, value)
        return value

    def score_in_process(self, at: At, source: ProcessInstance, value: Any) -> Any:
        parameters = tuple(map(raw, source.parts))
        state = self.state_of(source, parameters)
        density = float(source.family.log_density(state, None, raw(value), *parameters)[0])
        self.take_in(source, state, raw(value))
        self.record.observed.add(source.at)
        return density

    def state_of(self, source: ProcessInstance, parameters: tuple[Any, ...]) -> Any:
        state = self.visible(("process", source.at))
        return source.family.empty(1, *parameters) if state is MISSING else state

    def take_in(self, source: ProcessInstance, state: Any, value: Any) -> None:
        """The process has another value; the state before is another statement's."""
        copied = tuple(part.copy() for part in state)
        self.record.writes["process", source.at] = source.family.seat(copied, None, value)


def only(fresh: Any) -> bool | None:
    """What holds in the one lane of a state."""
    return None if fresh is None else bool(fresh[0])


def is_of_a_kind(old: Choice, source: Dist | ProcessInstance) -> bool:
    """Whether a value may stand where a distribution is drawn from: the same measure, sort and size."""
    before, now = old.source.family, source.family
    if before is not now and (before.measure != now.measure or before.value_kind != now.value_kind):
        return False
    return type(old.value) is not np.ndarray or fits(source, old.value)
