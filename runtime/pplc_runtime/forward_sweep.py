"""One SMC sweep, as several methods use it, and a first particle to retain."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from pplc_runtime.addresses import At
from pplc_runtime.particles import Particles
from pplc_runtime.resampling import Scheme
from pplc_runtime.steps import Plan
from pplc_runtime.values import Impossible
from pplc_runtime.weights import effective_sample_size

FEWEST_TO_START = 16
MOST_TO_START = 100_000


class Resampling(Protocol):
    """When and how particles are resampled."""

    @property
    def scheme(self) -> Scheme: ...
    @property
    def ess_threshold(self) -> float: ...


def forward(
    plan: Plan, resampling: Resampling, rng: np.random.Generator, size: int, remember: bool = False
) -> tuple[Particles, float]:
    """One sweep up to the weights of the last generation, and the log evidence of those before."""
    particles = Particles(plan, rng, size, remember=remember)
    log_evidence = 0.0
    for segment in plan.segments:
        particles.extend(segment)
        weights, log_total = particles.weights()
        if segment is plan.segments[-1]:
            break
        everywhere = resampling.ess_threshold >= 1 or not weights.all()
        if everywhere or effective_sample_size(weights) < resampling.ess_threshold * size:
            log_evidence += log_total - math.log(size)
            particles.fork(resampling.scheme.draw(rng, weights, size))
    return particles, log_evidence


def first_retained(plan: Plan, resampling: Resampling, rng: np.random.Generator, size: int) -> dict[At, Any]:
    """A first particle to retain, from a sweep with as many particles as it takes.

    A chain may start anywhere, so that having to try again does no harm."""
    size = max(size, FEWEST_TO_START)
    while True:
        try:
            particles, _ = forward(plan, resampling, rng, size, remember=True)
            weights, _ = particles.weights()
            return particles.trajectory(int(resampling.scheme.draw(rng, weights, 1)[0]))
        except Impossible:
            if size >= MOST_TO_START:
                raise
            size *= 8
