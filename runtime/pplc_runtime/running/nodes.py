"""Moves of single values of programs whose executions differ in what they draw, by machine code.

An execution stands in nodes (`general/nodes`), so that a move runs again what it changes. Whether a program can be
moved so is decided by its text and its data; what shows only when it is run ends the run with an error.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.general.assembly import Assembled, assembled
from pplc_runtime.general.engine import Stopped
from pplc_runtime.general.naming import Naming, drawn_of
from pplc_runtime.general.node_code import WRONG, NodeProgram, in_nodes
from pplc_runtime.general.node_engine import UNASKED, NodeEngine, Reporter
from pplc_runtime.general.types import Untyped
from pplc_runtime.inference.targets import everything
from pplc_runtime.lanes.addresses import At
from pplc_runtime.machine.machine import Machine, is_available
from pplc_runtime.native.parts import Part
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.sweeps import Column
from pplc_runtime.running.general import KeptLater, OfChain, is_reported
from pplc_runtime.values import ModelError

BY: Final = ("slice", "gibbs")
"""Methods that have such moves: gibbs moves seats and finite values, slice real numbers beside them."""
BLOCK_VALUES: Final = 20_000
"""So many values are moved in a block, whatever the time that takes: so runs can be repeated."""
MOST_SWEEPS: Final = 1000


class NodeMoves:
    """What moves values of a program in general, as engines offer it."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.made: tuple[NodeEngine, Reporter] | None = None

    def first(self, size: int, resampling: str, ess_threshold: float, key: Key) -> None:
        """Lanes find where a chain starts."""
        return None

    def why_not(self) -> str | None:
        """Why values cannot be moved so; None if they can."""
        try:
            texts_of(self.plan)
        except Untyped as reason:
            return str(reason)
        return None

    def engines(self) -> tuple[NodeEngine, Reporter]:
        """What moves, and what tells what is predicted."""
        if self.made is None:
            nodes, whole = texts_of(self.plan)
            self.made = NodeEngine(nodes, Machine), Reporter(whole, len(self.plan.segments), Machine)
        return self.made

    def moves(self, part: Part) -> bool:
        """Whether there is code for some moves."""
        return part.by in BY and part.covers is everything and not part.noise and self.why_not() is None

    def mover(self, parts: tuple[Part, ...], held: dict[At, Any]) -> NodeMover:
        """What moves the values of an execution."""
        for part in parts:
            if part.by not in BY or part.noise:
                by = f"{part.by}(noise)" if part.noise else part.by
                raise ModelError(
                    f"{by} moves the values of programs in which every execution draws and observes the same things; "
                    "this is none (see pplc compile --dump-after specialise); use slice, lmh or pgas"
                )
            if part.covers is not everything:
                raise ModelError(f"where executions differ in what they draw, {part.by} has no targets; lmh has")
        if (reason := self.why_not()) is not None:
            methods = " and ".join(dict.fromkeys(part.by for part in parts))
            raise ModelError(f"there is no move by {methods} for {reason}; use pgas or lmh for it")
        if self.engines()[0].program.has_reals and all(part.by == "gibbs" for part in parts):
            raise ModelError("gibbs moves seats and finite values, and the program draws real numbers, too; use slice")
        return NodeMover(self.plan, *self.engines(), parts, held)


def texts_of(plan: Plan) -> tuple[NodeProgram, Assembled]:
    """The program in nodes, and as it tells what it predicts; `Untyped` where there is no such code."""
    if os.environ.get("PPLC_NATIVE") == "off" or not is_available():
        raise Untyped("a run without machine code")
    nodes, whole = in_nodes(plan), assembled(plan)
    for label, type_ in zip(whole.labels, whole.predicted):
        if not is_reported(type_):
            raise Untyped(f"a predict of a {type_}: {label}")
    return nodes, whole


class NodeMover:
    """Moves the values of an execution, which it keeps from block to block."""

    gradients = 0.0

    def __init__(
        self, plan: Plan, engine: NodeEngine, reporter: Reporter, parts: tuple[Part, ...], held: dict[At, Any]
    ) -> None:
        self.plan = plan
        self.engine = engine
        self.reporter = reporter
        self.parts = [int(part.by == "gibbs") for part in parts for _ in range(part.times)]
        owner = plan.module["PROGRAM"]
        self.naming = Naming(owner, {name: plan.inputs[name] for name in owner.inputs if name in plan.inputs}, plan)
        self.told: list[dict[str, Any]] = []
        self.done = 0
        self.now: dict[At, Any] | None = None
        self.start(held)
        values = len(self.engine.places()) * len(self.parts)
        self.block = max(1, min(MOST_SWEEPS, BLOCK_VALUES // max(1, values)))

    def start(self, held: dict[At, Any]) -> None:
        """Go on from another execution."""
        if held is self.now:
            return
        try:
            self.engine.begin(drawn_of(self.plan, held))
        except Stopped as stopped:
            raise self.failure(stopped.code) from None
        self.now = held

    @property
    def held(self) -> dict[At, Any]:
        """What the execution has drawn."""
        if self.now is None:
            self.now = self.naming.named(self.engine.words)
        return self.now

    def run(
        self, count: int, first: int, adapting: int, key: Key, report: bool
    ) -> tuple[dict[str, Column], list[Kept | None]]:
        """Some sweeps: what they report, and what each drew. Their random numbers go by their number, from `first`."""
        keys = [key.fold(first + place) for place in range(count)]
        try:
            drawn, ends = self.engine.run([(own.k0, own.k1) for own in keys], self.parts)
            self.now = None
            self.done += count
            tried = {"impossible": self.engine.impossible, "unlike": self.engine.unlike}
            self.told = [tried] + [{}] * (count - 1)
            if not report:
                return {}, []
            columns = self.reported(drawn, ends, [own.fold(START) for own in keys])
        except Stopped as stopped:
            raise self.failure(stopped.code) from None
        starts = [0, *ends[:-1].tolist()]
        words = [drawn[start:end] for start, end in zip(starts, ends.tolist())]
        return columns, [KeptLater(np.zeros(1, np.intp), OfChain(self.naming, own)) for own in words]

    def reported(self, drawn: Any, ends: Any, keys: list[Key]) -> dict[str, Column]:
        """What is predicted after each sweep."""
        reporter = self.reporter
        given = [(own.k0, own.k1) for own in keys]
        types = list(enumerate(zip(reporter.program.labels, reporter.program.predicted)))
        if not reporter.has_references:
            block = reporter.predicted(drawn, ends, given)
            living = np.ones(len(ends), np.bool_)
            return {label: reporter.column(block, block.words[:, 0, k], type_, living) for k, (label, type_) in types}
        columns: dict[str, list[Any]] = {label: [] for label in reporter.program.labels}
        start = 0
        for place, end in enumerate(ends.tolist()):
            own = drawn[start:end].copy()
            block = reporter.predicted(own, np.array([len(own)]), given[place : place + 1])
            for k, (label, type_) in types:
                columns[label].append(reporter.plain(block.heap, int(block.words[0, 0, k]), type_))
            start = end
        return {label: as_column(values) for label, values in columns.items()}

    def failure(self, code: int) -> ModelError:
        """The error of a code: the program itself tells it best."""
        if code in WRONG or code == UNASKED:
            what = WRONG.get(code, "what only predicts ask for")
            return ModelError(f"there is no move by slice or gibbs for {what}; use pgas or lmh for it")
        try:
            Trace(self.plan.without_scripts(), self.held, Key.of(0).generator())
        except ModelError as error:
            return error
        message, where = self.engine.program.failures.get(code, (f"machine code ended with {code}", None))
        wrong = ModelError(message)
        wrong.place = self.plan.module["PROGRAM"].places.get(where)
        return wrong


def as_column(values: list[Any]) -> Column:
    """What was predicted of several executions."""
    if all(isinstance(value, np.ndarray) for value in values) and len({value.shape for value in values}) == 1:
        return np.stack(values, axis=-1)
    if all(type(value) in (int, float) for value in values):
        return np.array(values)
    return values
