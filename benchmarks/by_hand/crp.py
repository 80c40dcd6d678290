"""The CRP mixture in numpy: smc. Counts and means of classes are matrices that grow."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.by_hand.sweep import Array, Sweep, multinomial, normalised, traced

ALPHA = 1.0
LOG_ROOT = 0.5 * math.log(2 * math.pi)


def smc(arrays: dict[str, Array], n: int, rng: np.random.Generator, prior_sd: float = 3.0) -> Sweep:
    y = arrays["y"]
    labels = np.empty((len(y), n), dtype=np.intp)
    ancestors = np.empty((len(y), n), dtype=np.intp)
    lanes = np.arange(n)
    counts, means = np.zeros((4, n)), np.empty((4, n))
    used = np.zeros(n, dtype=np.intp)
    log_evidence, weights = 0.0, np.ones(n)
    for i, seen in enumerate(y.tolist()):
        if i:
            chosen = ancestors[i] = multinomial(rng, weights, n)
            counts, means, used = counts.take(chosen, axis=1), means.take(chosen, axis=1), used.take(chosen)
        most = int(used.max())
        if most == len(counts):
            counts = np.concatenate([counts, np.zeros((most, n))])
            means = np.concatenate([means, np.empty((most, n))])
        point = rng.random(n) * (i + ALPHA)
        label = (counts[:most].cumsum(axis=0) <= point).sum(axis=0)
        np.minimum(label, used, out=label)
        fresh = (label == used).nonzero()[0]
        if len(fresh):
            means[label[fresh], fresh] = prior_sd * rng.standard_normal(len(fresh))
            used[fresh] += 1
        counts[label, lanes] += 1.0
        labels[i] = label
        log_weights = means[label, lanes]
        log_weights -= seen
        log_weights *= log_weights
        log_weights *= -0.5
        log_weights -= LOG_ROOT
        weights, total = normalised(log_weights)
        log_evidence += total - math.log(n)
    last = len(y) - 1
    predicts = {"(class 1)": labels[1][traced(ancestors, last, 1)], f"(class {last})": labels[last]}
    return Sweep(log_evidence, weights, predicts | {"classes": used})
