"""The mover: sweeps of moves over one execution of a specialised program, in blocks, as machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.sites import site_fields, sites_of
from pplc_runtime.native.values import size_of
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.results.kept import Block, Kept
from pplc_runtime.results.sweeps import Column
from pplc_runtime.specialise.ir import Draw, Var, vars_in
from pplc_runtime.values import ModelError

MOST_KEPT: Final = 10_000
"""Of more draws than this a sweep does not keep what they are."""
MOST_SWEEPS: Final = 1000
MOST_SEGMENTS: Final = 1_000_000
"""So many sweeps, or densities of segments, are worth a block."""


_ALONE: Final = np.array([0])


class Mover:
    """Moves the values at some addresses of an execution, which it keeps from block to block."""

    def __init__(self, plan: Plan, joint: Joint, covers: Callable[[At], bool], held: dict[At, Any]) -> None:
        self.plan = plan
        self.joint = joint
        sites = sites_of(joint, covers)
        reported = _reported(joint)
        self.cells = [(joint.program.cell_of[var], var) for var in reported if var in joint.program.cell_of]
        places = [joint.layout.offsets[var] + k for _, var in self.cells for k in range(size_of(var))]
        self.reports = len(places)
        self.groups: list[list[Draw]] = []
        """The draws, by kind and shape."""
        if len(joint.layout.draws) <= MOST_KEPT:
            groups: dict[Any, list[Draw]] = {}
            for draw in joint.layout.draws:
                groups.setdefault((draw.result.dtype, draw.result.shape), []).append(draw)
            self.groups = list(groups.values())
        for draw in (draw for group in self.groups for draw in group):
            places += [joint.layout.offsets[draw.result] + k for k in range(size_of(draw.result))]
        self.kept = np.array([*places, 0], np.int64)
        self.fields = {**joint.fields(joint.layout.written(held)), **site_fields(joint, sites)}
        self.start(held)
        self.done = 0
        """How many sweeps were done."""
        self.block = min(MOST_SWEEPS, max(1, MOST_SEGMENTS // max(1, len(self.fields["AF"]))))
        """How many are done at once; which does not depend on how long they take, so that runs can be repeated."""

    def start(self, held: dict[At, Any]) -> None:
        """Go on from another execution."""
        self.x = self.fields["X"] = self.joint.layout.written(held)
        machine = self.joint.machine
        if machine["score_all"](machine.record("Moves", self.fields)) == -np.inf:
            raise ModelError("the values of this execution have probability zero")

    @property
    def held(self) -> dict[At, Any]:
        """What the execution has drawn."""
        return self.joint.layout.read(self.x)

    def run(
        self,
        count: int,
        first: int,
        adapting: int,
        sliced: bool,
        key: tuple[int, int],
        rng: np.random.Generator,
        report: bool,
    ) -> tuple[dict[str, Column], list[Kept | None]]:
        """Some sweeps, which adapt as long as fewer than `adapting` were done: what they report, and what each drew.

        Their random numbers are those of the key, from number `first` on."""
        self.fields["kept"] = len(self.kept) - 1 if report else 0
        self.fields["KEPT"] = self.kept
        self.fields["OUT"] = out = np.zeros(count * (len(self.kept) - 1) + 1)
        machine = self.joint.machine
        moves = machine.record("Moves", self.fields)
        found = machine["move_block"](moves, count, first, self.done, adapting, int(sliced), *key)
        if found < count:
            raise self.failure(rng)
        self.done += count
        if not report:
            return {}, []
        rows = out[:-1].reshape(count, -1)
        return self.reported(rows[:, : self.reports], count, rng), self.drawn(rows[:, self.reports :], count)

    def drawn(self, rows: Any, count: int) -> list[Kept | None]:
        """What the execution had drawn after each sweep."""
        blocks = []
        start = 0
        for group in self.groups:
            var = group[0].result
            end = start + len(group) * size_of(var)
            data = rows[:, start:end].reshape((count, len(group), *var.shape, 1)).astype(var.dtype)
            blocks.append((tuple(draw.at for draw in group), data))
            start = end
        if not blocks:
            return [None] * count
        return [Kept(_ALONE, tuple([Block(at, None, data[k]) for at, data in blocks])) for k in range(count)]

    def failure(self, rng: np.random.Generator) -> ModelError:
        """The error at the values that the execution has come to: the program itself tells it best."""
        try:
            Trace(self.plan.without_scripts(), self.held, rng)
        except ModelError as error:
            return error
        segment, message = self.joint.failure(self.fields["E"])
        wrong = ModelError(message)
        wrong.place = (*self.plan.segments[segment][-1].place, 1)
        return wrong

    def reported(self, out: Any, count: int, rng: np.random.Generator) -> dict[str, Column]:
        """What is predicted of the executions after each sweep, which are lanes of one run."""
        particles = Particles(self.plan, rng, max(2, count))
        rows = np.concatenate([out, out[:1]]) if count == 1 else out
        start = 0
        for cell, var in self.cells:
            size = size_of(var)
            data = rows[:, start : start + size].T.reshape((*var.shape, len(rows))).astype(var.dtype)
            particles.cells[cell] = Lane(np.ascontiguousarray(data), particles.frame)
            start += size
        return {label: _as_array(column)[..., :count] for label, column in particles.predicts().items()}


def _as_array(column: Column) -> Any:
    """A column that can be cut; values that are no numbers stay what they are."""
    if isinstance(column, np.ndarray):
        return column
    values = np.empty(len(column), object)
    values[:] = column
    return values


def _reported(joint: Joint) -> list[Var]:
    """The values that reports read."""
    program = joint.program
    if program.reports is None:
        return list(vars_in(tuple(program.store.values())))
    found: dict[Var, None] = {}
    for operation in program.reports:
        found.update(dict.fromkeys(operation.uses))
    return list(found)
