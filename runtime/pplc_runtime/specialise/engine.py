"""The engine for programs of static structure: straight code, which does what the program does, or fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.lane_engine import Conditions, PlannedEngine
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.specialise.ir import NoFixedCourse
from pplc_runtime.specialise.numpy_code import scripts_of
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.suffix import ScriptedSweep
from pplc_runtime.specialise.text import text_of
from pplc_runtime.specialise.traced import traced

MOST_FAILURES = 3
"""Scripts that fail more often than this, and in more than a tenth of the sweeps, are not tried again."""


def scripted(plan: Plan) -> Plan:
    """A plan with scripts, where the program has a fixed course."""
    try:
        return replace(plan, scripts=scripts_of(specialised(traced(plan))))
    except Exception:  # it has none, or something is wrong that the program itself says better
        return plan


def specialised_text(plan: Plan) -> str:
    """The specialised program, or why there is none."""
    try:
        return text_of(specialised(traced(plan)))
    except NoFixedCourse as reason:
        return f"no static structure: {reason}"


class SpecialisedEngine(PlannedEngine):
    """Runs scripts."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.scripts = plan.scripts

    @property
    def is_worth_trying(self) -> bool:
        return bool(self.scripts.failures <= max(MOST_FAILURES, self.scripts.attempts / 10))

    def particles(
        self, key: Key, size: int, retained: list[dict[At, Any]] | None = None, remember: bool = False
    ) -> Particles:
        return Particles(self.plan, key, size, retained, remember)

    def conditional(self, key: Key, settings: Conditions, retained: Retained) -> Iterator[ScriptedSweep]:
        """One run: chains always fit together."""
        yield ScriptedSweep(self.plan, key, settings.particles, retained)
