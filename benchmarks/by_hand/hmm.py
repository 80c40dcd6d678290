"""The hidden Markov model in numpy: smc."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.by_hand.sweep import Array, Sweep, multinomial, normalised, traced

LOG_ROOT = 0.5 * math.log(2 * math.pi)


def smc(arrays: dict[str, Array], n: int, rng: np.random.Generator) -> Sweep:
    y, means = arrays["y"], arrays["means"]
    initial, transition = arrays["initial"].cumsum(), arrays["transition"].cumsum(axis=1)
    states, ancestors = np.empty((len(y), n), dtype=np.intp), np.empty((len(y), n), dtype=np.intp)
    log_evidence, weights = 0.0, np.ones(n)
    for t, seen in enumerate(y.tolist()):
        if t:
            ancestors[t] = multinomial(rng, weights, n)
            cumulative = transition[:, :-1].take(states[t - 1].take(ancestors[t]), axis=0)
        else:
            cumulative = initial[:-1]
        states[t] = (cumulative <= rng.random((n, 1))).sum(axis=1)
        residual = means.take(states[t]) - seen
        weights, total = normalised(-0.5 * residual * residual - LOG_ROOT)
        log_evidence += total - math.log(n)
    last = len(y) - 1
    predicts = {"(state 0)": states[0][traced(ancestors, last, 0)], f"(state {last})": states[last]}
    return Sweep(log_evidence, weights, predicts)
