"""One SMC sweep, as several methods use it, and a first particle to retain."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.varying import Dead
from pplc_runtime.numerics.resampling import Scheme
from pplc_runtime.numerics.weights import effective_sample_size
from pplc_runtime.program.steps import Observe
from pplc_runtime.program.stochastic import Categorical, Dirac, Dist
from pplc_runtime.values import Impossible, ModelError

FEWEST_TO_START = 16
MOST_AT_ONCE = 8192
"""More particles than this are tried in several sweeps: arrays stay in the cache, and the first success ends it."""
MOST_TO_START = 100_000
"""Particles that are tried before a program is taken for impossible: of evidence 1e-4, one in 20,000 is by mistake."""


class Resampling(Protocol):
    """When and how particles are resampled."""

    @property
    def scheme(self) -> Scheme: ...
    @property
    def ess_threshold(self) -> float: ...


def is_due(ess_threshold: float, weights: NDArray[np.float64]) -> bool:
    """Whether particles are resampled: where few of them have most of the weight, or one has none."""
    if ess_threshold >= 1 or not weights.all():
        return True
    return effective_sample_size(weights) < ess_threshold * len(weights)


def forward(
    plan: Plan, resampling: Resampling, rng: np.random.Generator, size: int, remember: bool = False,
    watched: bool = False,
) -> tuple[Particles, float]:  # fmt: skip
    """One sweep up to the weights of the last generation, and the log evidence of those before."""
    particles = Particles(plan, rng, size, remember=remember)
    particles.watched = watched
    log_evidence = 0.0
    for segment in plan.segments:
        particles.extend(segment)
        weights, log_total = particles.weights()
        if segment is plan.segments[-1]:
            break
        if is_due(resampling.ess_threshold, weights):
            log_evidence += log_total - math.log(size)
            particles.fork(resampling.scheme.draw(rng, weights, size))
    return particles, log_evidence


def first_retained(plan: Plan, resampling: Resampling, rng: np.random.Generator, size: int) -> dict[At, Any]:
    """A first particle to retain, from a sweep with as many particles as it takes.

    A chain may start anywhere, so that having to try again does no harm."""
    plan = plan.without_scripts()
    size = max(size, FEWEST_TO_START)
    most_at_once = max(size, MOST_AT_ONCE)
    tried = 0
    while True:
        try:
            particles, _ = forward(plan, resampling, rng, size, remember=True)
            weights, _ = particles.weights()
            return particles.trajectory(int(resampling.scheme.draw(rng, weights, 1)[0]))
        except Impossible as error:
            if tried == 0 and impossible_anyway(plan, error):
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
            if step.step is Observe and type(result[0]) in (Dist, Dirac, Categorical):
                handler.weigh(handler.score(step.at, *result))
        except Dead:
            return True
        except Exception:  # it reads what is random, draws, or fails otherwise
            continue
    return False
