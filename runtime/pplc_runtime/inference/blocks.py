"""Steps that an engine can do in blocks: whole sweeps, of which only the results come back.

A method that has these is as before, sweep by sweep, on an engine that has none.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pplc_runtime.engine.held import Holds
from pplc_runtime.inference.base import Engine, Settings, keeping
from pplc_runtime.native.modes import Asked, Mode
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.blocks import Some, Sweeps, has_weight
from pplc_runtime.results.sweeps import Sweep

if TYPE_CHECKING:
    from pplc_runtime.native.blocks import Blocks


@dataclass(slots=True)
class InCells(Retained):
    """What a chain retains, with the values of all cells of a program of static structure."""

    in_cells: Any = None


class BySweeps:
    """A method whose steps are sweeps of one kind."""

    __slots__ = ()
    mode: ClassVar[Mode]

    @abstractmethod
    def step(
        self, engine: Engine, state: Any, settings: Settings, number: int, key: Key, report: bool = True
    ) -> tuple[Any, list[Sweep]]:
        """The next state, and the sweep of each chain."""

    def asked(self, settings: Settings) -> Asked:
        """What is asked of an engine."""
        holds: Holds | None = getattr(self, "holds", None)
        particles: int = getattr(self, "particles", None) or settings.particles
        sweeps = settings.sweeps + settings.burn_in
        return Asked(self.mode, particles, sweeps, settings.resampling, settings.ess_threshold, holds)

    def at_once(self, engine: Engine, state: Any, settings: Settings) -> Blocks | None:
        """What does sweeps in blocks, for the state of one chain."""
        if self.mode.kept and state is not None and len(state.held) > 1:
            return None
        return engine.blocks(self.asked(settings))

    def block(self, engine: Engine, state: Any, settings: Settings) -> int:
        blocks = self.at_once(engine, state, settings)
        return 0 if blocks is None else blocks.sweeper.block

    def steps(
        self, engine: Engine, state: Any, settings: Settings, number: int, count: int, key: Key
    ) -> tuple[Any, Sequence[Sweep]]:
        blocks = self.at_once(engine, state, settings)
        assert blocks is not None
        parts: list[Some] = []
        report = number >= 0
        last = number + count
        while number < last:
            traces = max(0, last - max(number, settings.sweeps - settings.genealogy)) if report else 0
            if self.follows(blocks, state):
                folded, left = number + settings.burn_in, last - number
                done, block = blocks.run(settings.chain, number, left, key, folded, traces, report, predict=True)
                parts += [] if block is None else [block]
                if number == 0 and block is not None and not has_weight(block):  # an error, if that is always so
                    self.step(blocks.below, state, settings, 0, key.fold(settings.burn_in), report=False)
                state = self.retained(blocks, state) if done else state
                number += done
            if number < last:  # something is wrong in this one: the engine below does it, from the same numbers
                own = key.fold(number + settings.burn_in)
                state, sweeps = self.step(blocks.below, state, settings, number, own, report)
                parts += keeping(state, sweeps) if report else []
                number += 1
        return state, Sweeps(parts)

    def one(
        self, engine: Engine, state: Any, settings: Settings, number: int, key: Key, report: bool
    ) -> tuple[Any, list[Sweep]] | None:
        """One step as a block, as part of a cycle; None where it is not done in blocks, or something is wrong."""
        blocks = self.at_once(engine, state, settings)
        if blocks is None:
            return None
        traces = int(number >= 0 and settings.keeps_genealogy(number))
        if not self.follows(blocks, state):
            return None
        done, block = blocks.run(settings.chain, number, 1, key, None, traces, report=True, predict=report)
        return None if block is None or not done else (self.retained(blocks, state), list(block))

    def follows(self, blocks: Blocks, state: Any) -> bool:
        """Go on from the state of a chain; whether that can be."""
        return not self.mode.kept or blocks.follow(state.held[0], getattr(state, "in_cells", None))

    def retained(self, blocks: Blocks, state: Any) -> Any:
        """The state after sweeps."""
        return InCells([blocks.sweeper.held], in_cells=blocks.values) if self.mode.kept else state
