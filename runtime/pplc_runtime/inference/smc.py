"""Sequential Monte Carlo: particles are resampled at the top-level observes.

At each generation n the ancestors a_n^l ~ R(a | w_{n-1}) are drawn, the particles run on to the next observe, and
w_n^l is its likelihood. The product of the average weights is an unbiased estimate of the evidence. (Paper,
section 3.1; Del Moral, Doucet and Jasra 2006.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import SELDOM, Settings
from pplc_runtime.inference.forward_sweep import forward
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise import either


def smc(plan: Plan, settings: Settings, rng: np.random.Generator) -> Iterator[Sweep]:
    """Sweeps whose weights sum to their estimates of the evidence."""
    for number in range(settings.sweeps):
        yield either(plan, rng, partial(sweep, settings, rng, number))


def sweep(settings: Settings, rng: np.random.Generator, number: int, plan: Plan) -> Sweep:
    """One sweep."""
    keep = settings.keeps_genealogy(number)
    seldom = number % SELDOM == 0
    particles, log_evidence = forward(plan, settings, rng, settings.particles, remember=keep, watched=seldom)
    _, log_total = particles.weights()
    log_evidence -= math.log(settings.particles)
    log_weights = particles.log_weights + log_evidence
    log_evidence += log_total
    ancestry = Ancestry.of(settings.particles, particles.forks())
    told: dict[str, Any] = {"ancestry": ancestry, "weakest": particles.weakest, "outline": plan.outline}
    if keep:
        told["genealogy"] = particles.genealogy()
    return Sweep(settings.chain, number, log_weights, particles.predicts(), log_evidence, told)
