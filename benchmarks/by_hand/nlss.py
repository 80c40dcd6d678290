"""NLSS in numpy: smc, icsmc, and pgas."""

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

START, PROCESS = math.sqrt(5.0), math.sqrt(10.0)
LOG_ROOT = 0.5 * math.log(2 * math.pi)


def _drift(x: Array, t: int) -> Array:
    return 0.5 * x + 25.0 * x / (1.0 + x * x) + 8.0 * math.cos(1.2 * t)


def _log_likelihood(x: Array, y: float) -> Array:
    residual = x * x
    residual /= 20.0
    residual -= y
    residual *= residual
    residual *= -0.5
    residual -= LOG_ROOT
    return residual


def smc(arrays: dict[str, Array], n: int, rng: np.random.Generator) -> Sweep:
    y = arrays["y"]
    steps = len(y)
    xs, ancestors = np.empty((steps + 1, n)), np.empty((steps + 1, n), dtype=np.intp)
    x = START * rng.standard_normal(n)
    log_evidence, weights = 0.0, np.ones(n)
    for t, seen in enumerate(y.tolist(), 1):
        if t > 1:
            ancestors[t] = multinomial(rng, weights, n)
            x = x.take(ancestors[t])
        x = _drift(x, t) + PROCESS * rng.standard_normal(n)
        xs[t] = x
        weights, total = normalised(_log_likelihood(x, seen))
        log_evidence += total - math.log(n)
    return Sweep(log_evidence, weights, _predicts(xs, ancestors))


def _predicts(xs: Array, ancestors: Index) -> dict[str, Array]:
    last = len(xs) - 1
    middle = last // 2
    half = traced(ancestors, last, middle)
    first = half
    for t in range(middle, 1, -1):
        first = ancestors[t].take(first)
    return {"(x 1)": xs[1][first], f"(x {middle})": xs[middle][half], f"(x {last})": xs[last]}


def start(arrays: dict[str, Array], rng: np.random.Generator) -> Array:
    x = START * rng.standard_normal(1)
    path = [float(x[0])]
    for t in range(1, len(arrays["y"]) + 1):
        x = _drift(x, t) + PROCESS * rng.standard_normal(1)
        path.append(float(x[0]))
    return np.array(path)


def icsmc(arrays: dict[str, Array], n: int, rng: np.random.Generator, old: Array) -> tuple[Sweep, Array]:
    return _conditional_sweep(arrays["y"], n, rng, old, renew=False)


def pgas(arrays: dict[str, Array], n: int, rng: np.random.Generator, old: Array) -> tuple[Sweep, Array]:
    """Of the rest of the retained path, only the next step depends on the ancestor."""
    return _conditional_sweep(arrays["y"], n, rng, old, renew=True)


def _conditional_sweep(y: Array, n: int, rng: np.random.Generator, old: Array, renew: bool) -> tuple[Sweep, Array]:
    steps = len(y)
    xs, ancestors = np.empty((steps + 1, n)), np.zeros((steps + 1, n), dtype=np.intp)
    x = START * rng.standard_normal(n)
    x[0] = old[0]
    xs[0], ancestors[1] = x, np.arange(n)
    log_evidence, log_weights, weights, kept = 0.0, np.zeros(n), np.ones(n), 0
    for t, seen in enumerate(y.tolist(), 1):
        mean = _drift(x, t)
        if t > 1:
            if renew:
                suffix, _ = normalised(log_weights - (old[t] - mean) ** 2 / 20.0)
                kept = pick(rng, suffix)
            ancestors[t] = conditional(rng, weights, n, kept)
            mean = mean.take(ancestors[t])
        x = mean + PROCESS * rng.standard_normal(n)
        x[0] = old[t]
        xs[t] = x
        log_weights = _log_likelihood(x, seen)
        weights, total = normalised(log_weights)
        log_evidence += total - math.log(n)
    line = line_of(ancestors, pick(rng, weights))
    return Sweep(log_evidence, weights, _predicts(xs, ancestors)), xs[np.arange(steps + 1), line]
