"""The hidden Markov model in numpy: smc, icsmc, and pgas."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.by_hand.sweep import (
    Array,
    Index,
    Sweep,
    conditional,
    line_of,
    multinomial,
    normalised,
    pick,
    traced,
)

LOG_ROOT = 0.5 * math.log(2 * math.pi)


def _log_likelihood(means: Array, states: Index, y: float) -> Array:
    residual = means.take(states)
    residual -= y
    residual *= residual
    residual *= -0.5
    residual -= LOG_ROOT
    return residual


def _predicts(states: Index, ancestors: Index) -> dict[str, Index]:
    last = len(states) - 1
    return {"(state 0)": states[0][traced(ancestors, last, 0)], f"(state {last})": states[last]}


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
        weights, total = normalised(_log_likelihood(means, states[t], seen))
        log_evidence += total - math.log(n)
    return Sweep(log_evidence, weights, _predicts(states, ancestors))


def start(arrays: dict[str, Array], rng: np.random.Generator) -> Index:
    """A path to retain: the chain run forward without data."""
    initial, transition = arrays["initial"].cumsum(), arrays["transition"].cumsum(axis=1)
    path = [int((initial[:-1] <= rng.random()).sum())]
    for _ in arrays["y"][1:]:
        path.append(int((transition[path[-1], :-1] <= rng.random()).sum()))
    return np.array(path)


def icsmc(arrays: dict[str, Array], n: int, rng: np.random.Generator, old: Index) -> tuple[Sweep, Index]:
    return _conditional_sweep(arrays, n, rng, old, renew=False)


def pgas(arrays: dict[str, Array], n: int, rng: np.random.Generator, old: Index) -> tuple[Sweep, Index]:
    """Of the rest of the retained path, only the next state depends on the ancestor."""
    return _conditional_sweep(arrays, n, rng, old, renew=True)


def _conditional_sweep(
    arrays: dict[str, Array], n: int, rng: np.random.Generator, old: Index, renew: bool
) -> tuple[Sweep, Index]:
    y, means, probabilities = arrays["y"], arrays["means"], arrays["transition"]
    initial, transition = arrays["initial"].cumsum(), probabilities.cumsum(axis=1)
    states, ancestors = np.empty((len(y), n), dtype=np.intp), np.empty((len(y), n), dtype=np.intp)
    log_evidence, weights, kept = 0.0, np.ones(n), 0
    for t, seen in enumerate(y.tolist()):
        if t:
            before = states[t - 1]
            if renew:
                kept = pick(rng, weights * probabilities[before, old[t]])
            ancestors[t] = conditional(rng, weights, n, kept)
            cumulative = transition[:, :-1].take(before.take(ancestors[t]), axis=0)
        else:
            cumulative = initial[:-1]
        states[t] = (cumulative <= rng.random((n, 1))).sum(axis=1)
        states[t, 0] = old[t]
        weights, total = normalised(_log_likelihood(means, states[t], seen))
        log_evidence += total - math.log(n)
    line = line_of(ancestors, pick(rng, weights))
    return Sweep(log_evidence, weights, _predicts(states, ancestors)), states[np.arange(len(y)), line]
