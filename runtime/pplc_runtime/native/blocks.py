"""Sweeps in machine code as methods hand them over: blocks with weights, predicts, what is kept, and diagnostics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pplc_runtime.engine.numbers import OfSweeps
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.native.sweeper import SELDOM, Sweeper, Swept
from pplc_runtime.native.values import size_of
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.ancestry import Ancestry, Lines, Outline, Weakest
from pplc_runtime.results.blocks import Block
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.kept import Block as Values
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.sweeps import Column


@dataclass(slots=True)
class Blocks:
    """Blocks of sweeps of one kind."""

    plan: Plan
    below: Any
    """The engine that does a sweep which cannot be done here."""
    sweeper: Sweeper

    def follow(self, held: dict[At, Any], values: Any) -> bool:
        """Go on from what is retained: by the values of all cells, if they are known. Whether that can be."""
        if values is None:
            return self.sweeper.start(held)
        self.sweeper.fields["REF"][:] = values
        return True

    def hold(self, values: dict[At, Any]) -> None:
        """Particles take what they hold from here, where none of them is retained."""
        self.sweeper.fields["REF"][:-1] = self.sweeper.code.layout.written(values)

    @property
    def values(self) -> Any:
        """The values of all cells of what is retained."""
        return self.sweeper.fields["REF"].copy()

    def run(
        self,
        chain: int,
        number: int,
        count: int,
        key: Key,
        folded: int | None,
        traces: int,
        report: bool,
        predict: bool,
    ) -> tuple[int, Block | None]:
        """Some sweeps, from a number on: how many were done, fewer where something is wrong, and what they came to. See
        `Sweeper.run` for the key, which may be folded from another number. Genealogies are kept of the last ones, so
        many as are wanted."""
        done, swept = self.sweeper.run(count, key, folded, number, traces, report, chain)
        if not report or done == 0:
            return done, None
        mode = self.sweeper.code.mode
        log_weights, evidences = swept.log_weights[:done], swept.log_evidences[:done]
        columns = self.reported(swept.reports[:done], log_weights, key, folded) if predict else {}
        if mode.kept:
            log_weights = log_weights - _log_sums(log_weights)
        elif mode.weighed:
            log_weights = log_weights - np.log(self.sweeper.size)
        else:
            log_weights = np.where(
                evidences[:, None] > -np.inf, log_weights - _log_sums(log_weights) + evidences[:, None], -np.inf
            )
        telling = _Telling(self, swept, number, count - traces)
        standing = swept.places[:done] if self.sweeper.standing else None
        block = Block(chain, number, log_weights, columns, evidences, telling.told, telling.kept, standing)
        return done, block

    def reported(self, out: Any, log_weights: Any, key: Key, folded: int | None) -> dict[str, Column]:
        """What is predicted of all particles of all sweeps, which are lanes of one run; each draws as in its own."""
        code, (count, size) = self.sweeper.code, log_weights.shape
        lanes = count * size
        particles = Particles(self.plan, key, max(2, lanes))
        particles.chance = OfSweeps(key, folded, count, size, len(code.program.segments))
        particles.handler.chance = particles.chance
        particles.handler.log_weights[:lanes] = log_weights.ravel()
        if not (log_weights > -np.inf).any():
            return {}
        start = 0
        for var in code.reported:
            end = start + size_of(var)
            data = np.moveaxis(out[:, start:end], 0, 1).reshape((*var.shape, lanes))
            data = np.repeat(data, 2, -1) if lanes == 1 else data
            particles.cells[code.cell_of[var]] = Lane(data.astype(var.dtype), particles.frame)
            start = end
        columns = particles.predicts()
        return {
            label: column[:lanes] if isinstance(column, list) else _by_sweep(column[..., :lanes], count, size)
            for label, column in columns.items()
        }


class _Telling:
    """What is told of single sweeps, when somebody asks."""

    def __init__(self, blocks: Blocks, swept: Swept, number: int, traces: int) -> None:
        self.plan = blocks.plan
        self.sweeper = blocks.sweeper
        self.swept = swept
        self.number = number
        self.traces = traces
        """The place of the first sweep whose genealogy is kept."""

    def told(self, place: int) -> Mapping[str, Any]:
        swept, code, size = self.swept, self.sweeper.code, self.sweeper.size
        mode, program = code.mode, code.program
        looked = (self.number + place) % SELDOM == 0
        if mode.weighed:
            return {"ancestry": Ancestry(size), "outline": self.plan.outline}
        if not swept.log_evidences[place] > -np.inf:  # a run that has lost all particles
            return {"parted": program.parted}
        outline = Outline(tuple(segment.line for segment in program.segments), self.plan.outline.first)
        generation, effective, decades, perished = swept.weakest[place].tolist()
        weakest = Weakest(int(generation), effective, decades) if looked else None
        if not mode.kept:
            found: dict[str, Any] = {"ancestry": self.ancestry(place), "weakest": weakest, "outline": outline}
        else:
            found = {"renewed": (swept.paths[place] != 0).tolist()}
            if looked:
                found |= {"weakest": weakest, "outline": outline, "perished": perished == 1.0}
                found["ancestors"] = swept.ancestors[place].tolist()
            if mode.rescored:
                boundaries = max(1, len(code.program.segments) - 1)
                found["moved"] = float(swept.moved[place]) / boundaries
                found |= {"replays": len(code.replays.places), "dropped": {}, "candidates": boundaries * size}
            found["chosen"] = int(swept.places[place, 0])
            if code.holds is not None:
                found["missed"] = 0
        found["parted"] = program.parted
        if place >= self.traces:
            rows = swept.forks[place - self.traces][1:][swept.due[place - self.traces][1:] == 1]
            found["genealogy"] = Genealogy.of(size, rows, found.get("chosen"))
        return found

    def ancestry(self, place: int) -> Ancestry:
        forks, *generations = self.swept.generations[place].tolist()
        size = self.sweeper.size
        kind = np.min_scalar_type(max(size - 1, 1))
        lines = [
            Lines(generation, self.swept.lines[place, depth].astype(kind))
            for depth, generation in enumerate(generations)
            if generation >= 0
        ]
        return Ancestry(size, forks, tuple(lines))

    def kept(self, place: int) -> Kept | None:
        if not self.sweeper.standing or not self.swept.log_evidences[place] > -np.inf:
            return None
        rows, start, blocks = self.swept.drawn[place], 0, []
        for group in self.sweeper.groups:
            var = group[0].result
            end = start + len(group) * size_of(var)
            data = rows[start:end].reshape((len(group), *var.shape, -1)).astype(var.dtype)
            blocks.append(Values(tuple(draw.at for draw in group), None, data))
            start = end
        return Kept(self.swept.places[place].astype(np.intp), tuple(blocks))


def _by_sweep(column: Any, count: int, size: int) -> Any:
    return column.reshape((*column.shape[:-1], count, size))


def _log_sums(log_weights: Any) -> Any:
    """The log of the sum of each row of weights."""
    largest = log_weights.max(1, keepdims=True)
    return largest + np.log(np.exp(log_weights - largest).sum(1, keepdims=True))
