"""LGSS in numpy: smc, icsmc, and pgas with suffix sums.

Rows of `state`: omega, q, cos, sin, sd, log q, x_0, x_1; one column a particle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from benchmarks.by_hand.sweep import Array, Index, Sweep, conditional, line_of, multinomial, normalised, pick

NOISE = 0.01


class Retained(NamedTuple):
    omega: float
    q: float
    path: Array
    """One row a step, after the first, which is the known start."""


def _prior(rng: np.random.Generator, n: int, steps: int, retained: Retained | None = None) -> Array:
    omega = rng.gamma(10.0, 1 / 2.5, n) * (math.pi / steps)
    q = rng.gamma(10.0, 1 / 100.0, n)
    if retained is not None:
        omega[0], q[0] = retained.omega, retained.q
    return np.array([omega, q, np.cos(omega), np.sin(omega), np.sqrt(q), np.log(q), np.ones(n), np.zeros(n)])


def _rotate(state: Array) -> None:
    """x becomes the mean of what comes next."""
    cos, sin, x0, x1 = state[2], state[3], state[6], state[7]
    rotated = cos * x0 - sin * x1
    state[7] = sin * x0 + cos * x1
    state[6] = rotated


def _disturb(rng: np.random.Generator, state: Array) -> None:
    noise = rng.standard_normal((2, state.shape[1]))
    noise *= state[4]
    state[6:] += noise


def _log_likelihood(c: Array, y: Array, state: Array) -> Array:
    residual = c @ state[6:]
    np.subtract(y[:, None], residual, out=residual)
    constant = -0.5 * len(y) * math.log(2 * math.pi * NOISE)
    log_weights = np.einsum("dl,dl->l", residual, residual)
    log_weights *= -0.5 / NOISE
    log_weights += constant
    return log_weights


def smc(arrays: dict[str, Array], n: int, rng: np.random.Generator) -> Sweep:
    c, y = arrays["C"], arrays["y"]
    state = _prior(rng, n, len(y))
    log_evidence, weights = 0.0, np.ones(n)
    for t, row in enumerate(y):
        if t:
            state = state.take(multinomial(rng, weights, n), axis=1)
        _rotate(state)
        _disturb(rng, state)
        weights, total = normalised(_log_likelihood(c, row, state))
        log_evidence += total - math.log(n)
    return Sweep(log_evidence, weights, {"omega": state[0], "q": state[1]})


def start(arrays: dict[str, Array], rng: np.random.Generator) -> Retained:
    """A path to retain: the system run forward without data."""
    state = _prior(rng, 1, len(arrays["y"]))
    path = []
    for _ in arrays["y"]:
        _rotate(state)
        _disturb(rng, state)
        path.append(state[6:, 0].copy())
    return Retained(float(state[0, 0]), float(state[1, 0]), np.array([(1.0, 0.0), *path]))


def icsmc(arrays: dict[str, Array], n: int, rng: np.random.Generator, old: Retained) -> tuple[Sweep, Retained]:
    c, y = arrays["C"], arrays["y"]
    steps = len(y)
    state = _prior(rng, n, steps, old)
    xs, ancestors = np.empty((steps, 2, n)), np.zeros((steps, n), dtype=np.intp)
    log_evidence, weights = 0.0, np.ones(n)
    for t in range(steps):
        if t:
            ancestors[t] = conditional(rng, weights, n, 0)
            state = state.take(ancestors[t], axis=1)
        _rotate(state)
        _disturb(rng, state)
        state[6:, 0] = old.path[t + 1]
        xs[t] = state[6:]
        weights, total = normalised(_log_likelihood(c, y[t], state))
        log_evidence += total - math.log(n)
    sweep = Sweep(log_evidence, weights, {"omega": state[0], "q": state[1]})
    return sweep, _kept(rng, sweep, xs, ancestors)


def pgas(arrays: dict[str, Array], n: int, rng: np.random.Generator, old: Retained) -> tuple[Sweep, Retained]:
    """The rest of the retained path scores, in lane l, by sums over the path and the lane's own rotation:
    |x_s - A x_(s-1)|^2 = |x_s|^2 + |x_(s-1)|^2 - 2 cos x_s.x_(s-1) - 2 sin (x_s x x_(s-1))."""
    c, y = arrays["C"], arrays["y"]
    steps = len(y)
    now, before = old.path[1:], old.path[:-1]
    terms = np.array(
        [
            (now**2).sum(axis=1) + (before**2).sum(axis=1),
            -2.0 * (now * before).sum(axis=1),
            -2.0 * (now[:, 1] * before[:, 0] - now[:, 0] * before[:, 1]),
        ]
    )
    rest = np.zeros((3, steps))
    rest[:, :-1] = terms[:, :0:-1].cumsum(axis=1)[:, ::-1]
    state = _prior(rng, n, steps, old)
    xs, ancestors = np.empty((steps, 2, n)), np.zeros((steps, n), dtype=np.intp)
    log_evidence, log_weights, weights = 0.0, np.zeros(n), np.ones(n)
    for t in range(steps):
        _rotate(state)
        if t:
            distance = state[6:] - now[t][:, None]
            distance *= distance
            squares = distance[0] + distance[1] + rest[1:, t] @ state[2:4] + rest[0, t]
            suffix, _ = normalised(log_weights - 0.5 * squares / state[1] - (steps - t) * state[5])
            ancestors[t] = conditional(rng, weights, n, pick(rng, suffix))
            state = state.take(ancestors[t], axis=1)
        _disturb(rng, state)
        state[6:, 0] = now[t]
        xs[t] = state[6:]
        log_weights = _log_likelihood(c, y[t], state)
        weights, total = normalised(log_weights)
        log_evidence += total - math.log(n)
    sweep = Sweep(log_evidence, weights, {"omega": state[0], "q": state[1]})
    return sweep, _kept(rng, sweep, xs, ancestors)


def _kept(rng: np.random.Generator, sweep: Sweep, xs: Array, ancestors: Index) -> Retained:
    last = pick(rng, sweep.weights)
    path = np.empty((len(xs) + 1, 2))
    path[0] = 1.0, 0.0
    path[1:] = xs[np.arange(len(xs)), :, line_of(ancestors, last)]
    return Retained(float(sweep.predicts["omega"][last]), float(sweep.predicts["q"][last]), path)
