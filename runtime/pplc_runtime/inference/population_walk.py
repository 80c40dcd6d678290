"""A random walk of all particles at once, by the covariance that they have: `rw` after the resamplings of smc.

The values that all particles drew from continuous families move together, on scales without bounds: z' = z + C e, where
C C' is 2.38^2 / d times the covariance of the particles and e standard normal (Gelman, Roberts and Gilks 1996). Each
particle takes its step with the probability of Metropolis and Hastings for gamma_n; one that would draw other
addresses, or under another measure, does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.base import Engine, Floats, Settings
from pplc_runtime.inference.targets import Covers, everything
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.scales import BETWEEN, POSITIVE
from pplc_runtime.regeneration.following import Population, Prefixes, Site, prefixes
from pplc_runtime.regeneration.kept_runs import Values

LENGTHS = (1.0, 0.3, 0.1)
"""Steps of one of these lengths, by turns among the particles: long ones where the target is as wide as they are."""


@dataclass(frozen=True, slots=True)
class PopulationWalk:
    """One step of every particle."""

    covers: Covers = everything

    def bound(self, engine: Engine, settings: Settings) -> PopulationWalk:
        return self

    def move(self, plan: Plan, before: Prefixes, segments: int, key: Key) -> Prefixes:
        sites = [site for site in before.sites() if self.covers(site.at)]
        if not sites:
            return before
        size = before.particles.size
        rng = key.fold(0).generator()
        z, jacobian = free(before.values, sites)
        root = _root(z)
        lengths = np.take(LENGTHS, rng.integers(len(LENGTHS), size=size))
        proposed = z + lengths * (2.38 / np.sqrt(len(z)) * root @ rng.standard_normal(z.shape))
        values, new_jacobian = bounded(before.values, sites, proposed)
        after = prefixes(plan, key.fold(1), values, size, segments)
        with np.errstate(invalid="ignore"):
            log_ratio = after.log_gamma + new_jacobian - before.log_gamma - jacobian
            taken = (np.log1p(-rng.random(size)) < log_ratio) & before.is_of_form(after)
        chosen = {site.at: _chosen(before.values[site.at], values[site.at], taken) for site in sites}
        log_gamma = np.where(taken, after.log_gamma, before.log_gamma)
        return replace(before, values={**before.values, **chosen}, log_gamma=log_gamma)


def free(values: Population, sites: list[Site]) -> tuple[Floats, Floats]:
    """The values on scales without bounds, by element and particle, and the log of how much dx/dz is."""
    rows, jacobian = [], np.zeros(1)
    for x, scale in _elements(values, sites):
        if scale.kind == POSITIVE:
            rows.append(np.log(x))
            jacobian = jacobian + np.log(x)
        elif scale.kind == BETWEEN:
            share = (x - scale.low) / (scale.high - scale.low)
            rows.append(np.log(share) - np.log1p(-share))
            jacobian = jacobian + np.log(share) + np.log1p(-share)
        else:
            rows.append(x)
    return np.array(rows), jacobian


def bounded(values: Population, sites: list[Site], z: Floats) -> tuple[Population, Floats]:
    """Values from numbers on scales without bounds, and the same for them."""
    found = dict(values)
    row = 0
    for site in sites:
        entry = values[site.at][site.key]
        flat = []
        for scale in site.scales:
            x = z[row]
            if scale.kind == POSITIVE:
                x = np.exp(x)
            elif scale.kind == BETWEEN:
                x = scale.low + (scale.high - scale.low) / (1 + np.exp(-x))
            flat.append(x)
            row += 1
        found[site.at] = {site.key: Values(np.array(flat).reshape(entry.data.shape), entry.present)}
    return found, free(found, sites)[1]


def _elements(values: Population, sites: list[Site]) -> Any:
    for site in sites:
        data = values[site.at][site.key].data
        yield from zip(data.reshape(-1, data.shape[-1]), site.scales)


def _root(z: Floats) -> Floats:
    """A square root of the covariance of the particles; where they are all alike, small steps."""
    spread = np.maximum(z.std(axis=1), 1e-3 * (1e-3 + np.abs(z).max(axis=1)))
    covariance = np.atleast_2d(np.cov(z)) if z.shape[1] > 1 else np.zeros((len(z), len(z)))
    return np.asarray(np.linalg.cholesky(covariance + np.diag(1e-6 * spread**2 + 1e-300)))


def _chosen(old: dict[Any, Values], new: dict[Any, Values], taken: Any) -> dict[Any, Values]:
    """The new values where they were taken, else the old ones."""
    return {key: Values(np.where(taken, new[key].data, entry.data), entry.present) for key, entry in old.items()}
