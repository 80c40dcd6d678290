"""The limit: icsmc and pgas in machine code by numba, one model at a time. Needs the bench extra."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from benchmarks.by_hand.numba_smc import _normalise, _resample

MOST = 64
"""The most classes of a mixture."""


@njit(fastmath=True, cache=True)
def _pick(rng, weights, n):
    """A particle by weight."""
    total = 0.0
    for i in range(n):
        total += weights[i]
    point, cumulative = rng.random() * total, 0.0
    for i in range(n):
        cumulative += weights[i]
        if cumulative > point:
            return i
    return n - 1


@njit(fastmath=True, cache=True)
def nlss(y, n, rng, old, renew):
    """NLSS: log evidence, weights, values and ancestors by step, and the path that is retained next."""
    steps = len(y)
    xs, ancestors = np.empty((steps + 1, n)), np.zeros((steps + 1, n), dtype=np.int64)
    weights, suffix, means = np.empty(n), np.empty(n), np.empty(n)
    sd = math.sqrt(10.0)
    for i in range(n):
        xs[0, i] = math.sqrt(5.0) * rng.standard_normal()
        ancestors[1, i] = i
    xs[0, 0] = old[0]
    log_evidence = 0.0
    for t in range(1, steps + 1):
        shift = 8.0 * math.cos(1.2 * t)
        for i in range(n):
            x = xs[t - 1, i]
            means[i] = 0.5 * x + 25.0 * x / (1.0 + x * x) + shift
        if t > 1:
            kept = 0
            if renew:
                for i in range(n):
                    suffix[i] = math.log(weights[i]) - (old[t] - means[i]) ** 2 / 20.0
                _normalise(suffix, n)
                kept = _pick(rng, suffix, n)
            _resample(rng, weights, n, ancestors[t])
            ancestors[t, 0] = kept
        for i in range(n):
            x = old[t] if i == 0 else means[ancestors[t, i]] + sd * rng.standard_normal()
            xs[t, i] = x
            weights[i] = -0.5 * (x * x / 20.0 - y[t - 1]) ** 2 - 0.5 * math.log(2 * math.pi)
        log_evidence += _normalise(weights, n)
    path, place = np.empty(steps + 1), _pick(rng, weights, n)
    for t in range(steps, -1, -1):
        path[t] = xs[t, place]
        place = ancestors[t, place]
    return log_evidence, weights, xs, ancestors, path


@njit(fastmath=True, cache=True)
def hmm(initial, transition, means, y, n, rng, old, renew):
    """The hidden Markov model: log evidence, weights, states and ancestors by step, and the path that is retained."""
    steps = len(y)
    states, ancestors = np.empty((steps, n), dtype=np.int64), np.zeros((steps, n), dtype=np.int64)
    weights, suffix = np.empty(n), np.empty(n)
    log_evidence = 0.0
    for t in range(steps):
        if t:
            kept = 0
            if renew:
                for i in range(n):
                    suffix[i] = weights[i] * transition[states[t - 1, i], old[t]]
                kept = _pick(rng, suffix, n)
            _resample(rng, weights, n, ancestors[t])
            ancestors[t, 0] = kept
        for i in range(n):
            state = old[t]
            if i > 0:
                row = transition[states[t - 1, ancestors[t, i]]] if t else initial
                point, state = rng.random() - row[0], 0
                while point >= 0.0 and state < len(row) - 1:
                    state += 1
                    point -= row[state]
            states[t, i] = state
            weights[i] = -0.5 * (means[state] - y[t]) ** 2 - 0.5 * math.log(2 * math.pi)
        log_evidence += _normalise(weights, n)
    path, place = np.empty(steps, dtype=np.int64), _pick(rng, weights, n)
    for t in range(steps - 1, -1, -1):
        path[t] = states[t, place]
        place = ancestors[t, place]
    return log_evidence, weights, states, ancestors, path


@njit(fastmath=True, cache=True)
def lgss(c, y, n, rng, old, renew):
    """LGSS: log evidence, weights, omega and q, and what is retained: the path after omega and q.

    The rest of the retained path is scored by sums over it (see `lgss.pgas`)."""
    steps, dims = y.shape
    state, before = np.empty((8, n)), np.empty((8, n))
    xs, ancestors = np.empty((steps, 2, n)), np.zeros((steps, n), dtype=np.int64)
    weights, suffix = np.empty(n), np.empty(n)
    for i in range(n):
        state[0, i] = rng.gamma(10.0, 1 / 2.5) * (math.pi / steps)
        state[1, i] = rng.gamma(10.0, 1 / 100.0)
    state[0, 0], state[1, 0] = old[0, 0], old[0, 1]
    for i in range(n):
        state[2, i], state[3, i] = math.cos(state[0, i]), math.sin(state[0, i])
        state[4, i], state[7, i] = math.sqrt(state[1, i]), math.log(state[1, i])
        state[5, i], state[6, i] = 1.0, 0.0
    rest = np.zeros((3, steps))
    if renew:
        for t in range(steps - 2, -1, -1):
            a0, a1, b0, b1 = old[t + 2, 0], old[t + 2, 1], old[t + 1, 0], old[t + 1, 1]
            rest[0, t] = rest[0, t + 1] + a0 * a0 + a1 * a1 + b0 * b0 + b1 * b1
            rest[1, t] = rest[1, t + 1] - 2.0 * (a0 * b0 + a1 * b1)
            rest[2, t] = rest[2, t + 1] - 2.0 * (a1 * b0 - a0 * b1)
    constant = -0.5 * dims * math.log(2 * math.pi * 0.01)
    log_evidence = 0.0
    for t in range(steps):
        for i in range(n):
            x0, x1 = state[5, i], state[6, i]
            state[5, i] = state[2, i] * x0 - state[3, i] * x1
            state[6, i] = state[3, i] * x0 + state[2, i] * x1
        if t:
            kept = 0
            if renew:
                for i in range(n):
                    d0, d1 = state[5, i] - old[t + 1, 0], state[6, i] - old[t + 1, 1]
                    squares = d0 * d0 + d1 * d1 + rest[1, t] * state[2, i] + rest[2, t] * state[3, i] + rest[0, t]
                    suffix[i] = math.log(weights[i]) - 0.5 * squares / state[1, i] - (steps - t) * state[7, i]
                _normalise(suffix, n)
                kept = _pick(rng, suffix, n)
            _resample(rng, weights, n, ancestors[t])
            ancestors[t, 0] = kept
            before, state = state, before
            for k in range(8):
                for i in range(n):
                    state[k, i] = before[k, ancestors[t, i]]
        for i in range(n):
            z0 = state[5, i] + state[4, i] * rng.standard_normal()
            z1 = state[6, i] + state[4, i] * rng.standard_normal()
            if i == 0:
                z0, z1 = old[t + 1, 0], old[t + 1, 1]
            state[5, i], state[6, i] = z0, z1
            xs[t, 0, i], xs[t, 1, i] = z0, z1
            squares = 0.0
            for d in range(dims):
                residual = y[t, d] - c[d, 0] * z0 - c[d, 1] * z1
                squares += residual * residual
            weights[i] = constant - 50.0 * squares
        log_evidence += _normalise(weights, n)
    path, place = np.empty((steps + 1, 2)), _pick(rng, weights, n)
    path[0, 0], path[0, 1] = state[0, place], state[1, place]
    for t in range(steps - 1, -1, -1):
        path[t + 1, 0], path[t + 1, 1] = xs[t, 0, place], xs[t, 1, place]
        place = ancestors[t, place]
    return log_evidence, weights, state[0].copy(), state[1].copy(), path


@njit(fastmath=True, cache=True)
def crp(y, n, rng, old_labels, old_means, prior_sd=3.0):
    """The CRP mixture, icsmc alone: log evidence, weights, labels and ancestors by point, and the labels and means that
    are retained."""
    points = len(y)
    labels, ancestors = np.empty((points, n), dtype=np.int64), np.zeros((points, n), dtype=np.int64)
    counts, means, used = np.zeros((n, MOST)), np.zeros((n, MOST)), np.zeros(n, dtype=np.int64)
    counts_before, means_before, used_before = counts.copy(), means.copy(), used.copy()
    weights = np.empty(n)
    log_evidence = 0.0
    for t in range(points):
        if t:
            _resample(rng, weights, n, ancestors[t])
            ancestors[t, 0] = 0
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
            if i == 0:
                label = old_labels[t]
            if label == used[i]:
                counts[i, label] = 0.0
                means[i, label] = old_means[label] if i == 0 else prior_sd * rng.standard_normal()
                used[i] += 1
            counts[i, label] += 1.0
            labels[t, i] = label
            weights[i] = -0.5 * (means[i, label] - y[t]) ** 2 - 0.5 * math.log(2 * math.pi)
        log_evidence += _normalise(weights, n)
    path, place = np.empty(points, dtype=np.int64), _pick(rng, weights, n)
    kept = means[place].copy()
    for t in range(points - 1, -1, -1):
        path[t] = labels[t, place]
        place = ancestors[t, place]
    return log_evidence, weights, labels, ancestors, path, kept
