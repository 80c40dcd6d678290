"""Sequential Monte Carlo: particles are resampled at the observes.

At each generation n the ancestors a_n^l ~ R(a | w_{n-1}) are drawn, the particles run on to the next observe, and
w_n^l is its likelihood. The product of the average weights is an unbiased estimate of the evidence. (Paper,
section 3.1; Del Moral, Doucet and Jasra 2006.)
"""

from __future__ import annotations

from typing import Any

from pplc_runtime.inference.base import SELDOM, Engine, Settings
from pplc_runtime.inference.blocks import BySweeps
from pplc_runtime.inference.sweep import standing_for, sweep
from pplc_runtime.native.modes import Mode
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.kept import MOST_PARTICLES
from pplc_runtime.results.sweeps import Sweep


class Smc(BySweeps):
    """Independent sweeps, whose weights sum to their estimates of the evidence."""

    mode = Mode()

    def bound(self, engine: Engine, settings: Settings) -> Smc:
        return self

    def init(self, engine: Engine, settings: Settings, key: Key) -> None:
        return None

    def step(
        self,
        engine: Engine,
        state: None,
        settings: Settings,
        number: int,
        key: Key,
        report: bool = True,
    ) -> tuple[None, list[Sweep]]:
        keep = settings.keeps_genealogy(number)
        particles = engine.particles(key, settings.particles, remember=keep or settings.particles <= MOST_PARTICLES)
        particles.watched = number % SELDOM == 0
        swept = sweep(particles, settings.scheme, settings.ess_threshold)
        log_evidence = float(swept.log_evidence)
        ancestry = Ancestry.of(settings.particles, particles.forks())
        told: dict[str, Any] = {"ancestry": ancestry, "weakest": particles.weakest, "outline": particles.outline}
        told["parted"] = particles.parted
        if keep:
            told["genealogy"] = particles.genealogy()
        log_weights = particles.log_weights - swept.log_total + log_evidence
        predicts = particles.predicts() if report else {}
        kept = standing_for(particles, settings, number, log_weights)
        return None, [Sweep(settings.chain, number, log_weights, predicts, log_evidence, told, kept)]

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None
