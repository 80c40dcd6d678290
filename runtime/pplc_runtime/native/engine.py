"""The engine for programs of static structure, with machine code where there is some."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.modes import Asked
from pplc_runtime.native.values import Unsupported
from pplc_runtime.numerics.keys import Key
from pplc_runtime.specialise.engine import SpecialisedEngine
from pplc_runtime.values import ModelError

if TYPE_CHECKING:  # the compiler of machine code is imported when it is needed
    from pplc_runtime.native.blocks import Blocks
    from pplc_runtime.native.joint import Joint
    from pplc_runtime.native.mover import Mover
    from pplc_runtime.native.parts import Part
    from pplc_runtime.native.sweeper import Sweeper

LEAST_WORK = 10_000
"""So many segments of sweeps take by scripts as long as it takes to make machine code."""

LEAST_TO_START = 1000
"""From so many segments on the first sweep of a chain is done by machine code."""


class NativeEngine(SpecialisedEngine):
    """Runs scripts; moves values, and does many sweeps at once, by machine code."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.movers: dict[tuple[Part, ...], Mover] = {}
        """What makes some moves, with what it has learnt for them."""
        self.joints: dict[tuple[bool, bool, frozenset[At], bool], Joint] = {}
        self.made: dict[Asked, Blocks | None] = {}
        """What does sweeps in blocks."""
        self.starters: dict[tuple[int, float], Sweeper | None] = {}
        """What finds where chains start."""
        self.below: Any = None
        """The engine of lanes, which does what this one cannot do."""

    @property
    def joint(self) -> Joint:
        """The joint density."""
        return self.density(False, False)

    def density(
        self, noise: bool, gradient: bool, summed: Callable[[At], bool] | None = None, fresh: bool = False
    ) -> Joint:
        """The joint density, of which draws may follow their noise or be summed out, which may have a gradient, and of
        which values may be drawn anew; by CPython, which takes long, where there is no machine code at all."""
        from pplc_runtime.machine.machine import Interpreted, Machine, is_available
        from pplc_runtime.native.joint import Joint

        program = self.scripts.program
        out = frozenset(at for _, at in program.draws if summed is not None and summed(at))
        asked = noise, gradient, out, fresh
        if asked not in self.joints:
            machine = Machine if is_available() else Interpreted
            self.joints[asked] = Joint(program, machine, *asked)
        return self.joints[asked]

    def blocks(self, asked: Asked) -> Blocks | None:
        """What does blocks of sweeps in machine code; None where there is none, or it takes longer to make than it
        saves."""
        found = self.made.get(asked)
        if found is None and asked not in self.made:
            found = self.made[asked] = self._blocks(asked)
        return found

    def _blocks(self, asked: Asked) -> Blocks | None:
        work = asked.sweeps * len(self.scripts.program.segments) * (1 + asked.particles / 250)
        if work < LEAST_WORK or asked.particles < 2 or asked.resampling != "multinomial":
            return None
        from pplc_runtime.machine.machine import is_available

        if not is_available():
            return None
        from pplc_runtime.native.blocks import Blocks
        from pplc_runtime.native.sweep_code import Code
        from pplc_runtime.native.sweeper import Sweeper

        try:
            code = Code(self.scripts.program, asked.mode, asked.holds)
        except Unsupported:
            return None
        return Blocks(self.plan, self.below, Sweeper(code, asked.particles, asked.ess_threshold))

    def first(self, size: int, resampling: str, ess_threshold: float, key: Key) -> dict[At, Any] | None:
        """What a chain of a long program may start with, from a sweep of so many particles; None where lanes find it,
        which draw the same."""
        from pplc_runtime.machine.machine import is_available

        if len(self.scripts.program.segments) < LEAST_TO_START or resampling != "multinomial" or not is_available():
            return None
        from pplc_runtime.native.modes import Mode
        from pplc_runtime.native.sweep_code import Code
        from pplc_runtime.native.sweeper import Sweeper

        if (size, ess_threshold) not in self.starters:
            try:
                found = Sweeper(Code(self.scripts.program, Mode()), size, ess_threshold)
            except Unsupported:
                found = None
            self.starters[size, ess_threshold] = found
        starter = self.starters[size, ess_threshold]
        return None if starter is None else starter.first(key)

    def moves(self, part: Part) -> bool:
        """Whether there is code for some moves."""
        from pplc_runtime.native.sites import sites_of

        try:
            sites_of(self.density(*part.needs), part.covers, part.by)
        except Unsupported:
            return False
        return True

    def mover(self, parts: tuple[Part, ...], held: dict[At, Any]) -> Mover:
        from pplc_runtime.native.mover import Mover

        mover = self.movers.get(parts)
        if mover is not None:
            mover.start(held)
            return mover
        try:
            mover = self.movers[parts] = Mover(self.plan, self.density, parts, held)
        except Unsupported as reason:
            methods = " and ".join(dict.fromkeys(part.by for part in parts))
            raise ModelError(f"there is no move by {methods} for {reason}; use pgas or lmh for it") from None
        return mover
