"""Draws from the prior: what a program says before it has seen data.

Particles run the program from start to end and observe nothing. A process takes in what is drawn from it, not what is
observed. Queries inside of the program (`conditional`) are part of what it says, and keep their observes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.unweighted import Unobserving
from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.independent import Stateless
from pplc_runtime.inference.sweep import standing_for
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.kept import MOST_PARTICLES
from pplc_runtime.results.sweeps import Sweep


class Prior(Stateless):
    """Independent sweeps of independent draws, all of the same weight."""

    def step(
        self, engine: Engine, state: None, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[None, list[Sweep]]:  # fmt: skip
        plan: Any = engine.plan
        size = settings.particles
        particles = Particles(plan, key, size, remember=size <= MOST_PARTICLES, handler=Unobserving)
        for segment in particles.segments:
            particles.extend(segment)
        log_weights = np.full(size, -np.log(size))
        predicts = particles.predicts() if report else {}
        kept = standing_for(particles, settings, number, log_weights)
        return None, [Sweep(settings.chain, number, log_weights, predicts, 0.0, kept=kept)]
