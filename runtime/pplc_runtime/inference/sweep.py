"""The sweep that smc, icsmc and pgas share, and how it is handed over.

At each generation the particles are resampled, run on to the next observe and are weighed by it. If some of them are
retained the sweep is conditional: those survive every resampling. With a suffix, each retained particle draws a new
ancestor l with probability proportional to w_{n-1}^l p(suffix | prefix^l). (Paper, section 3.)

An observe inside of a procedure is such a point, too, where all particles come to it together: then what is done
between two generations is called from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.inference.base import SELDOM, Particles, Settings
from pplc_runtime.numerics.resampling import Scheme
from pplc_runtime.numerics.weights import effective_sample_size
from pplc_runtime.results.columns import rows_of
from pplc_runtime.results.kept import MOST_PARTICLES, Kept, equal_places
from pplc_runtime.results.sweeps import Sweep

Rescore = Callable[[int], Any]


@dataclass(frozen=True, slots=True)
class Swept:
    """How a sweep came out; for several chains, values by chain."""

    weights: NDArray[np.float64]
    """Those of the last generation, up to a factor, and the log of what they sum to."""
    log_total: Any
    log_evidence: Any
    moved: Any
    """How often the retained particle has drawn another ancestor than itself."""


def is_due(ess_threshold: float, weights: NDArray[np.float64]) -> bool:
    """Whether particles are resampled: where few of them have most of the weight, or one has none."""
    if ess_threshold >= 1 or not weights.all():
        return True
    return effective_sample_size(weights) < ess_threshold * len(weights)


def sweep(particles: Particles, scheme: Scheme, ess_threshold: float, rescore: Rescore | None = None) -> Swept:
    """One sweep, up to the weights of the last generation."""
    log_totals: list[Any] = []
    moved: Any = 0
    generation = 0

    def between() -> None:
        """What is done between two generations."""
        nonlocal moved, generation
        generation += 1
        weights, log_total = particles.weights()
        suffix_scores = rescore(generation) if rescore is not None else None
        if is_due(ess_threshold, weights):
            log_totals.append(log_total)
            moved = moved + resample(particles, scheme, weights, suffix_scores)

    for number, segment in enumerate(particles.segments):
        if number > 0:
            between()
        particles.extend(segment, between)
    weights, log_total = particles.weights()
    log_evidence = np.sum([*log_totals, log_total], 0) - (len(log_totals) + 1) * math.log(particles.size)
    return Swept(weights, log_total, log_evidence, moved)


def resample(particles: Particles, scheme: Scheme, weights: NDArray[np.float64], suffix_scores: Any) -> Any:
    """Go on with particles by weight; whether the retained one has drawn another ancestor than itself."""
    if not particles.kept:
        particles.fork_by(scheme, weights)
        return 0
    if suffix_scores is None:
        particles.fork_around(scheme, weights)
        return 0
    ancestor_weights, _ = particles.weights(particles.log_weights + suffix_scores)
    ancestors = particles.pick(ancestor_weights)
    particles.fork_around(scheme, weights, ancestors)
    return ancestors != 0


def finished(
    particles: Particles,
    settings: Settings,
    number: int,
    swept: Swept,
    chosen: Any,
    told: list[dict[str, Any]],
    report: bool = True,
) -> Iterator[Sweep]:
    """The sweep of each chain, its weights summing to one; its retained particle was its first all along."""
    size = particles.size
    totals, evidences = np.atleast_1d(swept.log_total), np.atleast_1d(swept.log_evidence)
    columns = particles.predicts() if report else {}
    lanes = particles.lanes(chosen)
    places = np.array(particles.lines(np.array(lanes)))
    watched: dict[str, Any] = {}
    if particles.watched:
        watched = {"weakest": particles.weakest, "outline": particles.outline, "perished": particles.perished}
    for chain, lane in enumerate(lanes):
        first = chain * size
        own = slice(first, first + size)
        diagnostics = {"renewed": (places[:, chain] != first).tolist(), **watched, **told[chain]}
        diagnostics["chosen"], diagnostics["parted"] = lane - first, particles.parted
        if particles.missed is not None:
            diagnostics["missed"] = particles.missed
        if number % SELDOM == 0:
            diagnostics["ancestors"] = particles.distinct_ancestors(np.arange(first, first + size))
        if settings.keeps_genealogy(number):
            diagnostics["genealogy"] = particles.genealogy(chain, lane - first)
        log_weights = particles.log_weights[own] - totals[chain]
        predicts = {label: rows_of(column, own) for label, column in columns.items()}
        yield Sweep(settings.chain + chain, number, log_weights, predicts, float(evidences[chain]), diagnostics)


def standing_for(
    particles: Particles, settings: Settings, number: int, log_weights: NDArray[np.float64]
) -> Kept | None:
    """What is kept of an independent sweep."""
    if settings.particles > MOST_PARTICLES:
        return None
    return particles.drawn_by(equal_places(log_weights, settings.chain, number, is_chain=False))
