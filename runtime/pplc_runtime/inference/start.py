"""Where a chain starts: a first particle to retain."""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.sweep import sweep
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.varying import Dead
from pplc_runtime.program.steps import Observe
from pplc_runtime.program.stochastic import Derived, Dirac, Dist
from pplc_runtime.values import Impossible, ModelError

FEWEST_TO_START = 16
MOST_AT_ONCE = 8192
"""More particles than this are tried in several sweeps: arrays stay in the cache, and the first success ends it."""
MOST_TO_START = 100_000
"""Particles that are tried before a program is taken for impossible: of evidence 1e-4, one in 20,000 is by mistake."""


def first_retained(engine: Engine, settings: Settings, rng: np.random.Generator) -> dict[At, Any]:
    """A first particle to retain, from a sweep with as many particles as it takes.

    A chain may start anywhere, so that having to try again does no harm."""
    size = max(settings.particles, FEWEST_TO_START)
    most_at_once = max(size, MOST_AT_ONCE)
    tried = 0
    while True:
        try:
            particles = engine.particles(rng, size, remember=True)
            weights = sweep(particles, settings.scheme, settings.ess_threshold).weights
            return particles.trajectory(int(settings.scheme.draw(rng, weights, 1)[0]))
        except Impossible as error:
            if tried == 0 and impossible_anyway(engine.plan, error):
                raise
            tried += size
            if tried >= MOST_TO_START:
                raise
            size = min(size * 8, most_at_once)


class _NoChance(Forward):
    """Runs what nothing random reaches."""

    def sample(self, at: At, source: Any) -> Any:
        raise ModelError("this is random")


def impossible_anyway(plan: Plan, error: Impossible) -> bool:
    """Whether the statement at which all particles ended has weight zero whatever is drawn."""
    for step in (step for segment in plan.segments for step in segment if (*step.place, 1) == error.place):
        here.frame = Frame.first(1)
        here.handler = handler = _NoChance(np.random.default_rng(0), dict(plan.inputs))
        try:
            result = step.function(step.at, *step.arguments)
            if step.step is Observe and isinstance(result[0], Dist | Dirac | Derived):
                handler.weigh(handler.score(step.at, *result))
        except Dead:
            return True
        except Exception:  # it reads what is random, draws, or fails otherwise
            continue
    return False
