"""Whether a statement is impossible whatever is drawn: more particles would not help."""

from __future__ import annotations

from typing import Any

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import Dead
from pplc_runtime.program.steps import Observe
from pplc_runtime.program.stochastic import Derived, Dirac, Dist
from pplc_runtime.values import Impossible, ModelError


class _NoChance(Forward):
    """Runs what nothing random reaches."""

    def sample(self, at: At, source: Any) -> Any:
        raise ModelError("this is random")


def is_hopeless(plan: Plan, error: Impossible) -> bool:
    """Whether the statement at which all particles ended has weight zero whatever is drawn."""
    for step in (step for segment in plan.segments for step in segment if (*step.place, 1) == error.place):
        run_in(Frame.first(1))
        handler = _NoChance(Stream(), dict(plan.inputs))
        run_in(here.frame, handler)
        try:
            result = step.function(step.at, *step.arguments)
            if step.step is Observe and isinstance(result[0], Dist | Dirac | Derived):
                source, value = result
                handler.weigh(handler.score(step.at, source, handler.observed(step.at, value)))
        except Dead:
            return True
        except Exception:  # it reads what is random, draws, or fails otherwise
            continue
    return False
