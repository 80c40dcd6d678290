"""The mover: sweeps of moves over one execution of a specialised program, in blocks, as machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.parts import Part, with_sums
from pplc_runtime.native.sites import site_fields, sites_of
from pplc_runtime.native.sums import sum_fields
from pplc_runtime.native.values import size_of
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.results.columns import rows_of
from pplc_runtime.results.kept import Block, Kept
from pplc_runtime.results.sweeps import Column
from pplc_runtime.specialise.ir import Draw, Var, vars_in
from pplc_runtime.values import ModelError

MOST_KEPT: Final = 10_000
"""Of more draws than this a sweep does not keep what they are."""
MOST_SWEEPS: Final = 1000
MOST_SEGMENTS: Final = 1_000_000
"""So many sweeps, or densities of segments, are worth a block."""


Joints: TypeAlias = Callable[[bool, bool, Callable[[At], bool] | None, bool], Joint]
_ALONE: Final = np.array([0])


class _Running:
    """A part on its way: the record that it works on, and how many sweeps of it were done."""

    def __init__(self, part: Part, joint: Joint, base: dict[str, Any]) -> None:
        self.part = part
        self.joint = joint
        sites = sites_of(joint, part.moves, part.by)
        count = len(sites)
        several = max(MOST_SWEEPS, part.times)
        room = {"nuts": 16 + 40 * count, "ellipse": 2 * count, "lmh": several}.get(part.by, 0) + 1
        self.fields = {**base, **site_fields(joint, sites, part.by, part.number), "T": np.zeros(room)}
        if part.summed is not None:
            self.fields.update(sum_fields(joint, part.summed))
        if part.by == "nuts":
            self.fields["T"][:2] = np.log(0.1)
            self.fields["T"][16 : 16 + count] = 1.0
        self.silent = joint.machine.record("Moves", self.fields)
        self.together = part.number or max(1, count)
        self.done = 0

    def run(self, record: Any, count: int, first: int, adapting: int, key: Key) -> bool:
        """Some sweeps; whether all were done."""
        machine, by = self.joint.machine, self.part.by
        if by == "nuts":
            found = machine["nuts_block"](record, count, first, self.done, adapting, key.k0, key.k1)
        elif by == "ellipse":
            found = machine["ellipse_block"](record, count, first, self.together, key.k0, key.k1)
        elif by == "lmh":
            found = machine["lmh_block"](record, count, first, self.part.number, key.k0, key.k1)
        else:
            found = machine["move_block"](record, count, first, self.done, adapting, int(by == "slice"), key.k0, key.k1)
        self.done += count
        return bool(found == count)

    def computes(self, places: Any) -> bool:
        """Whether one of some values is computed from the sites."""
        cells, last = self.fields["WR"], self.fields["sites"]
        return self.part.by == "nuts" and bool(np.isin(places, cells[cells[last] : cells[last + 1]]).any())

    def told(self, count: int) -> list[dict[str, Any]]:
        """What there is to tell of each of the last sweeps."""
        if self.part.by != "lmh":
            return [{}] * count
        return [{"accepted": int(number), "proposed": self.part.number} for number in self.fields["T"][:count]]


class Mover:
    """Moves values of an execution, which it keeps from block to block."""

    def __init__(self, plan: Plan, joints: Joints, parts: tuple[Part, ...], held: dict[At, Any]) -> None:
        self.plan = plan
        self.joint = joint = joints(*with_sums(parts)[0].needs)
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
        self.x = np.zeros(joint.layout.size)
        self.fillers: dict[Joint, Any] = {}
        """For each density the record by which an execution is brought to it."""
        bases: dict[Joint, dict[str, Any]] = {}
        self.running: list[_Running] = []
        for part in with_sums(parts):
            own = joints(*part.needs)
            if own not in bases:
                bases[own] = own.fields(self.x)
                self.fillers[own] = own.machine.record("Moves", {**bases[own], "filling": 1})
            self.running.append(_Running(part, own, bases[own]))
        self.told: list[dict[str, Any]] = []
        """What there is to tell of each of the last sweeps."""
        self.errors = {own: base["E"] for own, base in bases.items()}
        self.folded: tuple[Key | None, list[Key]] = (None, [])
        self.current: Joint | None = None
        """Whose noise and densities the execution has."""
        self.start(held)
        pieces = sum(len(each.fields["AF"]) * each.part.times for each in self.running)
        self.block = min(MOST_SWEEPS, max(1, MOST_SEGMENTS // max(1, pieces)))
        """How many are done at once; which does not depend on how long they take, so that runs can be repeated."""

    @property
    def gradients(self) -> float:
        """How many gradients were computed so far: what the work of `nuts` is, whatever the machine."""
        return float(sum(each.fields["T"][6] for each in self.running if each.part.by == "nuts"))

    @property
    def done(self) -> int:
        """How many sweeps were done."""
        return self.running[0].done

    def start(self, held: dict[At, Any]) -> None:
        """Go on from another execution."""
        self.x[:] = self.joint.layout.written(held)
        self.current = None
        if self.bring(self.joint) == -np.inf:
            raise ModelError("the values of this execution have probability zero")

    def bring(self, joint: Joint) -> float:
        """Bring the execution to a density."""
        if joint is self.current:
            return 0.0
        self.current = joint
        return float(joint.machine["score_all"](self.fillers[joint]))

    @property
    def held(self) -> dict[At, Any]:
        """What the execution has drawn."""
        return self.joint.layout.read(self.x)

    def run(
        self, count: int, first: int, adapting: int, key: Key, report: bool
    ) -> tuple[dict[str, Column], list[Kept | None]]:
        """Some sweeps, which adapt as long as fewer than `adapting` were done: what they report, and what each drew.

        Their random numbers are those of the key, from number `first` on."""
        rows = np.zeros((count, len(self.kept) - 1 if report else 0))
        one = self.running[0]
        if len(self.running) == 1 and one.part.times == 1:
            out = np.zeros(rows.size + 1)
            self.bring(one.joint)
            given = {"kept": rows.shape[1], "settling": int(one.computes(self.kept[: rows.shape[1]]))}
            record = one.joint.machine.record("Moves", {**one.fields, **given, "KEPT": self.kept, "OUT": out})
            if not one.run(record, count, first, adapting, key):
                raise self.failure(one)
            rows = out[:-1].reshape(rows.shape)
            self.told = one.told(count)
        else:
            for number in range(count):
                self.sweep(first + number, adapting, key)
                rows[number] = self.x[self.kept[: rows.shape[1]]]
            self.told = [{}] * count
        if not report:
            return {}, []
        reported = self.reported(rows[:, : self.reports], count, key.fold(START).fold(first))
        return reported, self.drawn(rows[:, self.reports :], count)

    def keys(self, key: Key) -> list[Key]:
        """The key of each part."""
        if self.folded[0] != key:
            self.folded = key, [key.fold(place) for place in range(len(self.running))]
        return self.folded[1]

    def sweep(self, number: int, adapting: int, key: Key) -> None:
        """All parts once. Each has a key of its own."""
        keys = self.keys(key)
        for place, each in enumerate(self.running):
            self.bring(each.joint)
            times = each.part.times
            if not each.run(each.silent, times, number * times, adapting * times, keys[place]):
                raise self.failure(each)

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

    def failure(self, running: _Running) -> ModelError:
        """The error at the values that the execution has come to: the program itself tells it best."""
        try:
            Trace(self.plan.without_scripts(), self.held, Key.of(0).generator())
        except ModelError as error:
            return error
        segment, message = running.joint.failure(self.errors[running.joint])
        wrong = ModelError(message)
        wrong.place = (*self.joint.program.segments[segment].place, 1)
        return wrong

    def reported(self, out: Any, count: int, key: Key) -> dict[str, Column]:
        """What is predicted of the executions after each sweep, which are lanes of one run."""
        particles = Particles(self.plan, key, max(2, count))
        rows = np.concatenate([out, out[:1]]) if count == 1 else out
        start = 0
        for cell, var in self.cells:
            size = size_of(var)
            data = rows[:, start : start + size].T.reshape((*var.shape, len(rows))).astype(var.dtype)
            particles.cells[cell] = Lane(np.ascontiguousarray(data), particles.frame)
            start += size
        return {label: rows_of(column, slice(count)) for label, column in particles.predicts().items()}


def _reported(joint: Joint) -> list[Var]:
    """The values that reports read."""
    program = joint.program
    if program.reports is None:
        return list(vars_in(tuple(program.store.values())))
    found: dict[Var, None] = {}
    for operation in program.reports:
        found.update(dict.fromkeys(operation.uses))
    return list(found)
