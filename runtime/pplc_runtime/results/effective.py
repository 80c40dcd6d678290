"""How many independent draws an average over independent sweeps is worth: importance and smc.

An average m of draws f with weights w is worth Var(f) / Var(m) draws. To tell Var(m) one needs parts of the draws that
are independent of each other, *units*. With unit u having weight W_u and mean f_u, leaving it out moves the average by
W_u (f_u - m) / (1 - W_u), and Var(m) is the sum of the squares (the jackknife of a ratio).

Particles of importance sampling are units themselves. Those of smc that continue one particle are not independent. The
lines of the first generation are units (Chan and Lai 2013; Lee and Whiteley 2018), as long as many are left; lines of
a later generation are too many for what was drawn before, and right for what has forgotten it (Olsson and Douc 2019);
whole sweeps are units whatever happened in them, but few. Each choice can miss spread and none invents it, but for
noise, so the one that finds most of it counts (Mastrototaro and Olsson 2023, who choose the lag in this way).

    H. Chan and T. Lai (2013), "A general theory of particle filters in hidden Markov models and some applications".
    A. Lee and N. Whiteley (2018), "Variance estimation in the particle filter".
    J. Olsson and R. Douc (2019), "Numerically stable online estimation of variance in particle filters".
    A. Mastrototaro and J. Olsson (2023), "Adaptive online variance estimation in particle filters".
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.columns import Floats, Gathered
from pplc_runtime.results.sweeps import Sweep

BETTER_THAN_WEIGHTS: Final = 2.0
"""How much better than the weights alone say an average may be known.

Kong's estimate takes f for independent of the weights. The mean of a normal posterior under a flat prior is known twice
as well in any dimension, since the draws far out have less weight. Where f hardly varies in the draws that have the
weight, spread is found in none of them, and this is what is left to say."""


class Units:
    """Draws by the units that they belong to."""

    def __init__(self, weights: Floats, codes: NDArray[Any] | None) -> None:
        self.codes = codes
        """The unit of each draw; None if each is one by itself."""
        self.weights: Floats = weights if codes is None else np.bincount(codes, weights=weights).astype(np.float64)
        self.heaviest = int(self.weights.argmax())
        self.number = int(np.count_nonzero(self.weights))
        others = self.weights.copy()
        others[self.heaviest] = 0.0
        self.rest: Floats = 1.0 - others
        self.rest[self.heaviest] = others.sum()  # not 1 - W, of which no digit may be left
        self.per_unit = self.weights > 0

    def variance(self, deviations: Floats) -> float:
        """The variance of the average, from the weighted deviation of each draw from it."""
        sums = deviations.copy() if self.codes is None else np.bincount(self.codes, weights=deviations)
        sums[self.heaviest] = 0.0
        sums[self.heaviest] = -sums.sum()
        left_out = sums / self.rest
        jackknife = float(left_out @ left_out) * (self.number - 1) / self.number
        between = float((sums[self.per_unit] ** 2 / self.weights[self.per_unit]).sum())
        kong = between * float(self.weights @ self.weights) / float(self.weights @ self.rest)
        return max(jackknife, kong / BETTER_THAN_WEIGHTS)


def units_of(sweeps: Sequence[Sweep], gathered: Gathered) -> list[Units]:
    """All the ways to take draws together that tell something: one by one, by lines of ancestors, by sweeps."""
    weights = gathered.weights
    own = [(place, sweeps[place]) for place in np.unique(gathered.sweeps).tolist()]
    size = max((sweep.log_weights.size for _, sweep in own), default=0)
    deepest = max((len(lines_of(sweep)) for _, sweep in own), default=0)
    codes: list[NDArray[Any] | None] = [None]
    for depth in range(deepest):
        codes.append(np.concatenate([_line(sweep, depth) + number * size for number, (_, sweep) in enumerate(own)]))
    codes.append(gathered.sweeps)
    return [found for found in (Units(weights, code) for code in codes) if found.number > 1]


def lines_of(sweep: Sweep) -> tuple[Any, ...]:
    ancestry: Ancestry | None = sweep.diagnostics.get("ancestry")
    return () if ancestry is None else ancestry.lines


def _line(sweep: Sweep, depth: int) -> NDArray[np.intp]:
    """For each draw of positive weight its line, so deep, or as deep as they go."""
    lines = lines_of(sweep)
    alive = np.flatnonzero(sweep.log_weights != -np.inf)
    return lines[min(depth, len(lines) - 1)].places[alive].astype(np.intp) if lines else alive


def effective_draws(column: NDArray[Any], weights: Floats, units: Sequence[Units]) -> float:
    """How many independent draws the weighted average of a column is worth, at most as many as there are; NaN where
    nothing varies."""
    values = np.asarray(column, dtype=np.float64)
    if not values.size or not np.isfinite(values).all():
        return nan
    with np.errstate(over="ignore", invalid="ignore"):
        if np.ptp(values) <= 1e-12 * np.abs(values).max():
            return nan
        deviations = values - float(weights @ values)
        variance = float(weights @ deviations**2)
        found = max((each.variance(weights * deviations) for each in units), default=0.0)
    return min(variance / found, float(values.size)) if 0 < found < inf else nan
