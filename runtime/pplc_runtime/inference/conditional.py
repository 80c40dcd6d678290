"""What conditional sweeps of one chain or of several together have in common: how they are handed over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pplc_runtime.engine.particles import Particles
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import SELDOM, Settings
from pplc_runtime.results.sweeps import Column, Sweep


def finished(
    particles: Particles, settings: Settings, number: int, log_total: Any, log_evidence: Any, chosen: Any,
    told: list[dict[str, Any]], plan: Plan,
) -> Iterator[Sweep]:  # fmt: skip
    """The sweep of each chain, its weights summing to one; its retained particle was its first all along."""
    size = particles.size
    totals, evidences = np.atleast_1d(log_total), np.atleast_1d(log_evidence)
    columns = particles.predicts()
    lanes = particles.lanes(chosen)
    places = np.array(particles.lines(np.array(lanes)))
    watched = {"weakest": particles.weakest, "outline": plan.outline} if particles.watched else {}
    for chain, lane in enumerate(lanes):
        first = chain * size
        own = slice(first, first + size)
        diagnostics = {"renewed": (places[:, chain] != first).tolist(), **watched, **told[chain]}
        if number % SELDOM == 0:
            diagnostics["ancestors"] = particles.distinct_ancestors(np.arange(first, first + size))
        if settings.keeps_genealogy(number):
            diagnostics["genealogy"] = particles.genealogy(chain, lane - first)
        log_weights = particles.log_weights[own] - totals[chain]
        predicts = {label: _rows(column, own) for label, column in columns.items()}
        yield Sweep(settings.chain + chain, number, log_weights, predicts, float(evidences[chain]), diagnostics)


def _rows(column: Column, own: slice) -> Column:
    """A column of some of the particles."""
    return column[own] if isinstance(column, list) else column[..., own]
