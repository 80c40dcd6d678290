"""The exact answer of the paper's Kalman program: states integrated out, parameters on a grid.

y ~ N(C z, r I) with known C says about z what u = (C'C)^-1 C'y ~ N(z, r (C'C)^-1) says, up to a factor that
does not depend on z; so the filter runs in two dimensions whatever the length of y, for all grid points
at once.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import gamma

from .answer import Answer, Array, literal, normalised

NOISE = 0.01


def log_likelihood(omega: Array, q: Array, c: Array, y: Array) -> Array:
    """log p(y | omega, q) for arrays of parameters of one shape, by a Kalman filter from z_0 = [1, 0]."""
    size, dims = omega.size, c.shape[0]
    gram = c.T @ c
    inverse = np.linalg.inv(gram)
    sufficient, spread = y @ c @ inverse, NOISE * inverse
    explained = np.einsum("ti,ij,tj->t", sufficient, gram, sufficient)
    constants = -0.5 * (dims * math.log(2.0 * math.pi * NOISE) + ((y**2).sum(axis=1) - explained) / NOISE)
    constants = constants + 0.5 * math.log(np.linalg.det(2.0 * math.pi * spread))
    cos, sin = np.cos(omega.ravel()), np.sin(omega.ravel())
    a = np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1)
    noise = q.ravel()[:, None, None] * np.eye(2)
    mean, covariance = np.tile([1.0, 0.0], (size, 1)), np.zeros((size, 2, 2))
    total = np.full(size, constants.sum())
    for u in sufficient:
        mean = np.einsum("gij,gj->gi", a, mean)
        covariance = a @ covariance @ a.transpose(0, 2, 1) + noise
        innovation, predicted = u - mean, covariance + spread
        precision = np.linalg.inv(predicted)
        quadratic = np.einsum("gi,gij,gj->g", innovation, precision, innovation)
        total = total - 0.5 * (np.log(np.linalg.det(predicted)) + quadratic) - math.log(2.0 * math.pi)
        gain = covariance @ precision
        mean = mean + np.einsum("gij,gj->gi", gain, innovation)
        covariance = covariance - gain @ covariance
    return np.asarray(total.reshape(omega.shape))


def answer(c: Array, y: Array, points: int = 81) -> Answer:
    """Posterior means of omega and q under gamma(10, 2.5) pi / T and gamma(10, 100)."""
    speed, speed_step = np.linspace(0.1, 16.1, points, retstep=True)
    q, q_step = np.linspace(0.005, 0.405, points, retstep=True)
    speeds, qs = np.meshgrid(speed, q, indexing="ij")
    log_prior = gamma.logpdf(speeds, 10.0, scale=1 / 2.5) + gamma.logpdf(qs, 10.0, scale=1 / 100.0)
    omegas = speeds * math.pi / len(y)
    p, total = normalised(log_prior + log_likelihood(omegas, qs, c, y))
    return Answer(
        {"omega": float((p * omegas).sum()), "q": float((p * qs).sum())},
        total + math.log(speed_step * q_step),
    )


def kalman() -> Answer:
    return answer(literal("kalman", "C"), literal("kalman", "y"))
