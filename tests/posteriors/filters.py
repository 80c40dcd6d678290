"""The chains of programs/ once more, as particle filters in numpy: they are too long for plain weighting.

`FILTERED[stem](rng, n)` gives an estimate of the log evidence and of the mean of the last state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np

from .answer import Array, literal, normal_log_density

Rng: TypeAlias = np.random.Generator


def particle_filter(
    rng: Rng, x: Array, steps: int, move: Callable[[int, Array], Array], weigh: Callable[[int, Array], Array]
) -> tuple[float, float]:
    """Bootstrap filter over times 1 to `steps`: log evidence and mean of the last state."""
    log_evidence, p = 0.0, np.full(len(x), 1.0 / len(x))
    for t in range(1, steps + 1):
        x = move(t, x)
        log_weights = weigh(t, x)
        top = float(log_weights.max())
        p = np.exp(log_weights - top)
        log_evidence += top + math.log(float(p.mean()))
        p /= p.sum()
        mean = float(p @ x)
        # Systematic resampling, which is proper here: nothing is retained.
        positions = (rng.random() + np.arange(len(x))) / len(x)
        x = x[np.minimum(np.searchsorted(np.cumsum(p), positions), len(x) - 1)]
    return log_evidence, mean


def hmm_filter(rng: Rng, n: int) -> tuple[float, float]:
    y, means = literal("hmm", "y"), np.array([-2.0, 0.0, 2.0])
    cumulative = np.cumsum([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]], axis=1)

    def move(t: int, x: Array) -> Array:
        if t == 1:
            return rng.choice(3, p=[0.4, 0.3, 0.3], size=n).astype(float)
        return np.asarray((cumulative[x.astype(int)] <= rng.random(n)[:, None]).sum(axis=1), dtype=float)

    def weigh(t: int, x: Array) -> Array:
        return normal_log_density(y[t - 1], means[x.astype(int)], 1.0)

    return particle_filter(rng, np.zeros(n), len(y), move, weigh)


def gaussian_chain_filter(rng: Rng, n: int) -> tuple[float, float]:
    y = literal("gaussian_chain", "y")
    return particle_filter(
        rng,
        np.zeros(n),
        len(y),
        lambda t, x: rng.normal(0.9 * x, 1.0),
        lambda t, x: normal_log_density(y[t - 1], x, 0.5),
    )


def stochastic_volatility_filter(rng: Rng, n: int) -> tuple[float, float]:
    y = literal("stochastic_volatility", "returns")
    return particle_filter(
        rng,
        rng.normal(-1.0, 0.6, n),
        len(y),
        lambda t, h: rng.normal(-1.0 + 0.95 * (h + 1.0), 0.3),
        lambda t, h: normal_log_density(y[t - 1], 0.0, np.exp(h / 2.0)),
    )


def nonlinear_ssm_filter(rng: Rng, n: int) -> tuple[float, float]:
    y = literal("nonlinear_ssm", "y")
    return particle_filter(
        rng,
        rng.normal(0.0, math.sqrt(5.0), n),
        len(y),
        lambda t, x: rng.normal(x / 2.0 + 25.0 * x / (1.0 + x * x) + 8.0 * math.cos(1.2 * t), math.sqrt(10.0)),
        lambda t, x: normal_log_density(y[t - 1], x * x / 20.0, 1.0),
    )


# The label is the predict whose mean the filter estimates: the last state.
FILTERED: Final[Mapping[str, tuple[str, Callable[[Rng, int], tuple[float, float]]]]] = {
    "hmm": ("(state 15)", hmm_filter),
    "gaussian_chain": ("(x 10)", gaussian_chain_filter),
    "stochastic_volatility": ("(h 24)", stochastic_volatility_filter),
    "nonlinear_ssm": ("(x 100)", nonlinear_ssm_filter),
}
