"""Lightweight Metropolis-Hastings: one random choice at a time is proposed from its prior.

A proposal picks one of the choices of the execution x, all alike, draws it anew from its distribution or process given
what comes before it, and runs anew what reads it, which gives x'. That is accepted with probability min(1, r),

    r  =  gamma(x') / gamma(x)  .  |x| / |x'|  .  p(stale) / p(fresh),

where gamma is the product of the densities of all draws and observes and |x| the number of choices to pick from. The
fresh values are the one that was drawn anew and those at addresses that only x' has; the stale ones are what they
replace, and those at addresses that only x has. (D. Wingate, A. Stuhlmüller and N. Goodman 2011, "Lightweight
implementations of probabilistic programming languages via transformational compilation"; the first print lacks the
stale term.)

A sweep is a number of proposals that does not depend on the state: as many as a first execution has choices. Where all
executions have the same choices the proposals are made by machine code (`native/proposals`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from pplc_runtime.inference.base import Engine, Kernel, Settings
from pplc_runtime.inference.moving import ByMover
from pplc_runtime.inference.seats import another_seat, has_seats, is_way_back
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.targets import Covers, everything
from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.parts import Part
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.metropolis import accepts
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.regeneration.rerun import REDRAWN
from pplc_runtime.regeneration.trace import Execution
from pplc_runtime.results.sweeps import Sweep

LEAST_PROPOSALS: Final = 2000
"""So many proposals of a run take as long, one by one, as it takes to make machine code."""


@dataclass(frozen=True, slots=True)
class Lmh:
    """A chain of single-site proposals on the choices that are covered."""

    covers: Covers = everything
    proposals: int | None = None
    """Those of a sweep."""

    def bound(self, engine: Engine, settings: Settings) -> Kernel:
        """With a number of proposals. A number that followed the state would not leave the posterior invariant. Where
        the structure of the program is static, many of them are made by machine code."""
        number = self.proposals or settings.proposals
        if number is None:
            typical = first_retained(engine, settings, Key.of(0))
            number = max(1, sum(map(self.covers, typical)))
        part = Part("lmh", self.covers, number=number)
        if (settings.sweeps + settings.burn_in) * number >= LEAST_PROPOSALS and engine.moves(part):
            return ByMover((part,))
        return replace(self, proposals=number)

    def init(self, engine: Engine, settings: Settings, key: Key) -> Retained:
        return Retained([first_retained(engine, settings, key)])

    def step(
        self, engine: Engine, state: Retained, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[Retained, list[Sweep]]:  # fmt: skip
        traces = state.taken_traces() or [engine.trace(own, key.generator()) for own in state.held]
        sweeps = []
        for chain, trace in enumerate(traces):
            rng = key.of_chain(chain).generator()
            accepted = self.sweep(engine, trace, rng)
            told = {"accepted": accepted, "proposed": self.proposals}
            predicts = trace.predicts(rng) if report else {}
            sweeps.append(Sweep(settings.chain + chain, number, np.zeros(1), predicts, None, told))
        return Retained([trace.values for trace in traces], traces=traces), sweeps

    def sweep(self, engine: Engine, trace: Execution, rng: np.random.Generator) -> int:
        """A sweep of proposals; how many were accepted."""
        sites = Sites(at for at in trace.values if self.covers(at))
        accepted = 0
        for _ in range(self.proposals or 0) if sites.items else ():
            accepted += self.propose(engine, trace, sites, rng)
        return accepted

    def propose(self, engine: Engine, trace: Execution, sites: Sites, rng: np.random.Generator) -> bool:
        """Propose another value for a choice; whether it was accepted."""
        picked = sites.pick(rng)
        move = None
        if not has_seats(trace, picked):
            update = engine.update(trace, {picked: REDRAWN}, rng)
        elif (move := another_seat(trace, picked, rng)) is None:
            return True
        else:
            update = engine.update(trace, move.changes, rng, move.moved)
        if update.log_ratio == -math.inf:
            return False
        gone = [at for at, _ in update.choices if at in sites.places and at not in trace.choices]
        new = [at for at, _ in update.choices if at not in sites.places and at in trace.choices and self.covers(at)]
        before, after = len(sites.items), len(sites.items) - len(gone) + len(new)
        log_ratio = update.log_ratio + update.log_stale - update.log_fresh + math.log(before / after)
        if move is not None:
            log_ratio = log_ratio + move.log_back if is_way_back(trace, move) else -math.inf
        elif has_seats(trace, picked):
            log_ratio = -math.inf  # the way back would be another seat
        if not accepts(rng, log_ratio):
            update.undo()
            return False
        sites.change(gone, new)
        return True

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None


class Sites:
    """The choices to pick from."""

    def __init__(self, sites: Iterable[At]) -> None:
        self.items = list(sites)
        self.places = {at: place for place, at in enumerate(self.items)}

    def pick(self, rng: np.random.Generator) -> At:
        return self.items[int(rng.integers(len(self.items)))]

    def change(self, gone: Iterable[At], new: Iterable[At]) -> None:
        for at in gone:
            last, place = self.items.pop(), self.places.pop(at)
            if last is not at:
                self.items[place] = last
                self.places[last] = place
        for at in new:
            self.places[at] = len(self.items)
            self.items.append(at)
