"""The limit: smc in machine code by numba, one model at a time. Needs the bench extra."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(fastmath=True, cache=True)
def _resample(rng, weights, n, ancestors):
    """Multinomial ancestors by one pass over sorted uniforms."""
    points = np.empty(n)
    total = 0.0
    for i in range(n):
        total += rng.standard_exponential()
        points[i] = total
    total += rng.standard_exponential()
    j, cumulative = 0, weights[0]
    for i in range(n):
        point = points[i] / total
        while cumulative <= point and j < n - 1:
            j += 1
            cumulative += weights[j]
        ancestors[i] = j


@njit(fastmath=True, cache=True)
def _normalise(weights, n):
    """Log weights to weights, in place; the log of their mean."""
    top = weights.max()
    total = 0.0
    for i in range(n):
        weights[i] = math.exp(weights[i] - top)
        total += weights[i]
    for i in range(n):
        weights[i] /= total
    return top + math.log(total / n)


@njit(fastmath=True, cache=True)
def nlss(y, n, rng):
    """NLSS: log evidence, weights, values and ancestors by step."""
    steps = len(y)
    xs, ancestors = np.empty((steps + 1, n)), np.zeros((steps + 1, n), dtype=np.int64)
    weights = np.empty(n)
    sd = math.sqrt(10.0)
    for i in range(n):
        xs[0, i] = math.sqrt(5.0) * rng.standard_normal()
        ancestors[1, i] = i
    log_evidence = 0.0
    for t in range(1, steps + 1):
        if t > 1:
            _resample(rng, weights, n, ancestors[t])
        shift = 8.0 * math.cos(1.2 * t)
        for i in range(n):
            x = xs[t - 1, ancestors[t, i]]
            x = 0.5 * x + 25.0 * x / (1.0 + x * x) + shift + sd * rng.standard_normal()
            xs[t, i] = x
            weights[i] = -0.5 * (x * x / 20.0 - y[t - 1]) ** 2 - 0.5 * math.log(2 * math.pi)
        log_evidence += _normalise(weights, n)
    return log_evidence, weights, xs, ancestors


@njit(fastmath=True, cache=True)
def lgss(c, y, n, rng):
    """LGSS: log evidence, weights, omega and q."""
    steps, dims = y.shape
    state, before = np.empty((7, n)), np.empty((7, n))
    ancestors, weights = np.empty(n, dtype=np.int64), np.empty(n)
    for i in range(n):
        state[0, i] = rng.gamma(10.0, 1 / 2.5) * (math.pi / steps)
        state[1, i] = rng.gamma(10.0, 1 / 100.0)
        state[2, i], state[3, i] = math.cos(state[0, i]), math.sin(state[0, i])
        state[4, i] = math.sqrt(state[1, i])
        state[5, i], state[6, i] = 1.0, 0.0
    constant = -0.5 * dims * math.log(2 * math.pi * 0.01)
    log_evidence = 0.0
    for t in range(steps):
        if t:
            _resample(rng, weights, n, ancestors)
            before, state = state, before
            for k in range(7):
                for i in range(n):
                    state[k, i] = before[k, ancestors[i]]
        for i in range(n):
            x0, x1 = state[5, i], state[6, i]
            z0 = state[2, i] * x0 - state[3, i] * x1 + state[4, i] * rng.standard_normal()
            z1 = state[3, i] * x0 + state[2, i] * x1 + state[4, i] * rng.standard_normal()
            state[5, i], state[6, i] = z0, z1
            squares = 0.0
            for d in range(dims):
                residual = y[t, d] - c[d, 0] * z0 - c[d, 1] * z1
                squares += residual * residual
            weights[i] = constant - 50.0 * squares
        log_evidence += _normalise(weights, n)
    return log_evidence, weights, state[0].copy(), state[1].copy()


@njit(fastmath=True, cache=True)
def hmm(initial, transition, means, y, n, rng):
    """The hidden Markov model: log evidence, weights, states and ancestors by step."""
    steps = len(y)
    states, ancestors = np.empty((steps, n), dtype=np.int64), np.zeros((steps, n), dtype=np.int64)
    weights = np.empty(n)
    log_evidence = 0.0
    for t in range(steps):
        if t:
            _resample(rng, weights, n, ancestors[t])
        for i in range(n):
            row = transition[states[t - 1, ancestors[t, i]]] if t else initial
            point, state = rng.random() - row[0], 0
            while point >= 0.0 and state < len(row) - 1:
                state += 1
                point -= row[state]
            states[t, i] = state
            weights[i] = -0.5 * (means[state] - y[t]) ** 2 - 0.5 * math.log(2 * math.pi)
        log_evidence += _normalise(weights, n)
    return log_evidence, weights, states, ancestors


@njit(fastmath=True, cache=True)
def crp(y, n, rng, prior_sd=3.0, most=64):
    """The CRP mixture: log evidence, weights, labels and ancestors by point, classes; at most `most` classes."""
    points = len(y)
    labels, ancestors = np.empty((points, n), dtype=np.int64), np.zeros((points, n), dtype=np.int64)
    counts, means, used = np.zeros((n, most)), np.zeros((n, most)), np.zeros(n, dtype=np.int64)
    counts_before, means_before, used_before = counts.copy(), means.copy(), used.copy()
    weights = np.empty(n)
    log_evidence = 0.0
    for t in range(points):
        if t:
            _resample(rng, weights, n, ancestors[t])
            counts, counts_before = counts_before, counts
            means, means_before = means_before, means
            used, used_before = used_before, used
            for i in range(n):
                a = ancestors[t, i]
                used[i] = used_before[a]
                for k in range(used[i]):
                    counts[i, k], means[i, k] = counts_before[a, k], means_before[a, k]
        for i in range(n):
            point, label = rng.random() * (t + 1.0), 0
            while label < used[i] and point >= counts[i, label]:
                point -= counts[i, label]
                label += 1
            if label == used[i]:
                counts[i, label], means[i, label] = 0.0, prior_sd * rng.standard_normal()
                used[i] += 1
            counts[i, label] += 1.0
            labels[t, i] = label
            weights[i] = -0.5 * (means[i, label] - y[t]) ** 2 - 0.5 * math.log(2 * math.pi)
        log_evidence += _normalise(weights, n)
    return log_evidence, weights, labels, ancestors, used.copy()
