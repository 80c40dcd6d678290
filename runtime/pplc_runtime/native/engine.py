"""The engine for programs of static structure, with machine code where there is some."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.values import Unsupported
from pplc_runtime.specialise.engine import SpecialisedEngine
from pplc_runtime.values import ModelError

if TYPE_CHECKING:  # the compiler of machine code is imported when it is needed
    from pplc_runtime.native.joint import Joint
    from pplc_runtime.native.mover import Mover


class NativeEngine(SpecialisedEngine):
    """Runs scripts, and moves values by machine code."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.movers: dict[Callable[[At], bool], Mover] = {}
        """What moves the values at some addresses, with what it has learnt of them."""

    @cached_property
    def joint(self) -> Joint:
        """The joint density; by CPython, which takes long, where there is no machine code at all."""
        from pplc_runtime.native.joint import Joint
        from pplc_runtime.native.machine import Interpreted, Machine, is_available

        return Joint(self.scripts.program, Machine if is_available() else Interpreted)

    def mover(self, covers: Callable[[At], bool], held: dict[At, Any]) -> Mover:
        from pplc_runtime.native.mover import Mover

        mover = self.movers.get(covers)
        if mover is not None:
            mover.start(held)
            return mover
        try:
            mover = self.movers[covers] = Mover(self.plan, self.joint, covers, held)
        except Unsupported as reason:
            raise ModelError(f"rw and slice have no code for {reason} yet; use pgas or lmh") from None
        return mover
