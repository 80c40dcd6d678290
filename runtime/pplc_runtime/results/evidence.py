"""The evidence: each sweep's estimate, all of them together, and how far that can be trusted.

A sweep of importance or smc draws u from psi(u) and has an estimate Z^(u) whose expectation is Z. A sweep of icsmc or
pgas in equilibrium draws u from the extended target, psi(u) Z^(u) / Z (Andrieu, Doucet and Holenstein 2010, theorem 5;
for pgas Lindsten, Jordan and Schön 2014, whose steps are all draws from conditionals of it). So there

    E[1 / Z^]  =  sum over u with Z^(u) > 0 of psi(u) / Z  =  1 / Z,

unless psi may lose all particles, and Z^ be zero. By Jensen's inequality E[log Z^] is below log Z under psi, and above
it under the extended target: a sandwich (Grosse, Ghahramani and Adams 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.numerics.weights import log_evidence, log_sum_exp
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.convergence import aligned, effective_draws
from pplc_runtime.results.sweeps import Sweep

FEW_SWEEPS: Final = 5
"""Fewer estimates than this may agree by chance: what a sweep says of itself counts too."""
DOUBTFUL: Final = 0.5
"""A standard error of the log evidence above this is itself not to be trusted."""
WIDE: Final = 1.5
"""Nor is one of estimates whose logs have a larger standard deviation: the few that count may not be among them."""
HEAVY: Final = 0.7
"""Nor are the inverses of those of chains, if their tail has a larger shape."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One sweep's estimate."""

    log: float
    variance: float = nan
    """Its relative variance as the sweep knows it; NaN where it is not known."""


def estimate_of(sweep: Sweep) -> Estimate:
    """The estimate of a sweep; for importance and smc its weights sum to it."""
    log = float(log_sum_exp(sweep.log_weights)) if sweep.log_evidence is None else sweep.log_evidence
    known = sweep.diagnostics.get("evidence_variance")
    if known is not None:
        return Estimate(log, known)
    ancestry: Ancestry | None = sweep.diagnostics.get("ancestry")
    return Estimate(log) if ancestry is None or not isfinite(log) else Estimate(log, _variance(sweep, ancestry))


def _variance(sweep: Sweep, ancestry: Ancestry) -> float:
    """The sum of the squared shares of the first generation's lines, above what equal shares come to.

    H. Chan and T. Lai (2013). It is 1 where one line is left: then nothing is known."""
    weights = np.exp(sweep.log_weights - log_sum_exp(sweep.log_weights))
    if ancestry.lines:
        weights = np.bincount(ancestry.lines[-1].places, weights=weights)
    size = ancestry.particles
    return max(0.0, (size * float(weights @ weights) - 1) / (size - 1)) if size > 1 else 1.0


def log_estimates(sweeps: Sequence[Sweep], is_chain: bool) -> list[NDArray[np.float64]]:
    """The log estimates of each chain, where its sweeps have one; those of independent sweeps are one series."""
    found: dict[int, list[float]] = {}
    for sweep in sweeps:
        if not is_chain:
            found.setdefault(0, []).append(estimate_of(sweep).log)
        elif sweep.log_evidence is not None:
            found.setdefault(sweep.chain, []).append(sweep.log_evidence)
    return [np.array(own) for own in found.values()]


def has_lost_particles(sweeps: Sequence[Sweep]) -> bool:
    """Whether a sweep that was looked at had particles of weight zero: smc might lose all of them."""
    return any(sweep.diagnostics.get("perished") for sweep in sweeps)


def evidence_of(sweeps: Sequence[Sweep], is_chain: bool) -> tuple[float | None, float | None]:
    """The log evidence and its standard error, as far as sweeps know it."""
    if not is_chain:
        return combined_evidence([estimate_of(sweep) for sweep in sweeps])
    return (None, None) if has_lost_particles(sweeps) else evidence_of_chains(log_estimates(sweeps, is_chain))


def evidence_of_chains(series: Sequence[NDArray[np.float64]]) -> tuple[float | None, float | None]:
    """The log of one over the mean of 1 / Z^, from the log estimates of each chain, and its standard error."""
    logs = np.concatenate(series) if series else np.empty(0)
    if not logs.size or not np.isfinite(logs).all():
        return None, None
    inverses = [np.exp(logs.min() - own) for own in series]
    every = np.concatenate(inverses)
    z = float(logs.min() - np.log(every.mean()))
    if np.ptp(every) <= 1e-12 * every.max():
        return z, 0.0 if every.size > 1 else None
    effective = effective_draws(aligned(inverses))
    return z, float(every.std() / every.mean() / sqrt(effective)) if effective > 0 else None


def tail_shape(values: NDArray[np.float64]) -> float:
    """The shape k of a generalised Pareto distribution for the largest fifth of some values; NaN for few of them.

    From 1/2 on their mean has no variance, and above 0.7 it cannot be told from any number of them that there will be
    (J. Zhang and M. Stephens 2009; A. Vehtari et al. 2024, "Pareto smoothed importance sampling")."""
    ordered = np.sort(values)
    n = len(ordered) // 5
    if n < 10:
        return nan
    excess = ordered[-n:] - ordered[-n - 1]
    excess = excess[excess > 0]
    n = len(excess)
    if n < 10:
        return nan
    m = 30 + int(sqrt(n))
    b = 1 / excess[-1] + (1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))) / (3 * excess[int(n / 4 + 0.5) - 1])
    with np.errstate(all="ignore"):
        k = np.log1p(-b[:, None] * excess).mean(1)
        scores = n * (np.log(-b / k) - k - 1)
        weights = np.nan_to_num(1 / np.exp(scores - scores[:, None]).sum(1))
    chosen = float((b * weights).sum() / weights.sum())
    return float(np.log1p(-chosen * excess).mean())


def combined_evidence(estimates: Sequence[Estimate]) -> tuple[float | None, float | None]:
    """The log of the mean of the sweeps' estimates and its standard error, None where there is none."""
    if not estimates:
        return None, None
    logs = [estimate.log for estimate in estimates]
    z, error = log_evidence(logs)
    if len(estimates) < FEW_SWEEPS and isfinite(z):
        shares = np.exp(np.array(logs) - z) / len(logs)
        known = np.array([0.0 if estimate.log == -np.inf else estimate.variance for estimate in estimates])
        error = float(np.fmax(error, sqrt(shares**2 @ known)))  # NaN is no answer, and gives way
    return float(z), None if np.isnan(error) else float(error)
