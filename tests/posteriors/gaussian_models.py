"""Exact answers where everything is jointly normal, perhaps given a few discrete choices."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import binom, multivariate_normal, poisson

from .answer import Answer, Array, literal, normal_log_density, normalised


def condition(mean: Array, covariance: Array, design: Array, noise: Array, y: Array) -> tuple[Array, float]:
    """Latent ~ N(mean, covariance), y ~ N(design latent, noise): posterior mean and log evidence."""
    predicted = design @ covariance @ design.T + noise
    gain = np.linalg.solve(predicted, design @ covariance).T
    evidence = multivariate_normal.logpdf(y, design @ mean, predicted)
    return mean + gain @ (y - design @ mean), float(evidence)


def mixture(log_priors: Sequence[float], parts: Sequence[tuple[Array, float]]) -> tuple[Array, Array, float]:
    """Posterior probabilities of the parts, the posterior mean over them, and the log evidence."""
    log_weights = np.array(log_priors) + np.array([log_evidence for _, log_evidence in parts])
    probabilities, total = normalised(log_weights)
    return probabilities, probabilities @ np.array([mean for mean, _ in parts]), total


def conditional_mean() -> Answer:
    log_weights = np.log(0.5) + normal_log_density(0.1, 0.0, np.sqrt([2.0, 1.0]))
    probabilities, total = normalised(log_weights)
    random = float(probabilities[0])
    marginals = {"random?": {True: random, False: 1.0 - random}}
    return Answer({"random?": random, "mu": random * 0.05}, total, marginals)


def linear_regression() -> Answer:
    xs, ys = literal("linear_regression", "xs"), literal("linear_regression", "ys")
    design = np.column_stack([np.ones_like(xs), xs])
    mean, evidence = condition(np.zeros(2), 9.0 * np.eye(2), design, 0.25 * np.eye(len(xs)), ys)
    intercept, slope = map(float, mean)
    return Answer({"slope": slope, "intercept": intercept, "(line 6.0)": intercept + 6.0 * slope}, evidence)


def gaussian_chain() -> Answer:
    y = literal("gaussian_chain", "y")
    steps = np.arange(len(y))
    # x = L e with independent standard normal e, L the powers of the coefficient below the diagonal.
    lower = np.tril(0.9 ** np.abs(steps[:, None] - steps[None, :]))
    mean, evidence = condition(np.zeros(len(y)), lower @ lower.T, np.eye(len(y)), 0.25 * np.eye(len(y)), y)
    return Answer({f"(x {t})": float(mean[t - 1]) for t in (1, 5, 10)}, evidence)


def gp_regression() -> Answer:
    xs, ys = literal("gp_regression", "xs"), literal("gp_regression", "ys")
    points = np.concatenate([xs, [0.7, 2.2]])
    covariance = 2.0 * np.exp(-0.5 * (points[:, None] - points[None, :]) ** 2)
    design = np.eye(len(xs), len(points))
    mean, evidence = condition(np.full(len(points), 0.5), covariance, design, 0.09 * np.eye(len(xs)), ys)
    asked = {"(value 0.0)": 2, "(value 0.7)": 5, "(value 2.2)": 6}
    return Answer({label: float(mean[index]) for label, index in asked.items()}, evidence)


def memo_branch() -> Answer:
    y = np.array([1.2, 0.8, -0.5])
    parts = [
        condition(np.zeros(2), np.eye(2), np.array([[first, 0.0], [1.0, 0.0], [1.0, 1.0]]), np.eye(3), y)
        for first in (1.0, 0.0)
    ]
    early, mean, evidence = mixture([math.log(0.5)] * 2, parts)
    return Answer(
        {"early": float(early[0]), "(shift 0)": float(mean[0]), "(shift 1)": float(mean[1])},
        evidence,
        {"early": {True: float(early[0]), False: float(early[1])}},
    )


def random_depth() -> Answer:
    cases = list(itertools.product(range(60), repeat=2))
    parts = []
    for n1, n2 in cases:
        covariance = np.array([[n1, n1], [n1, n1 + n2]], dtype=float)
        parts.append(condition(np.zeros(2), covariance, np.eye(2), 0.25 * np.eye(2), np.array([1.0, 3.0])))
    log_priors = [(n1 + n2) * math.log(0.6) + 2.0 * math.log(0.4) for n1, n2 in cases]
    probabilities, mean, evidence = mixture(log_priors, parts)
    steps = probabilities @ np.array(cases)
    return Answer(
        {
            "(nth first-walk 0)": float(steps[0]),
            "(nth first-walk 1)": float(mean[0]),
            "(nth second-walk 0)": float(steps[1]),
            "(nth second-walk 1)": float(mean[1]),
        },
        evidence,
    )


def lazy_memo() -> Answer:
    y = literal("lazy_memo", "y")
    cases = list(itertools.product(range(3), repeat=len(y)))
    parts = [
        condition(np.array([-1.0, 0.0, 1.0]), np.eye(3), np.eye(3)[list(z)], 0.36 * np.eye(len(y)), y) for z in cases
    ]
    log_priors = [float(np.log(np.array([0.5, 0.3, 0.2]))[list(z)].sum()) for z in cases]
    probabilities, mean, evidence = mixture(log_priors, parts)
    marginals = {
        f"(z {i})": {k: float(sum(p for p, z in zip(probabilities, cases) if z[i] == k)) for k in range(3)}
        for i in (0, 2)
    }
    expected = {label: sum(k * p for k, p in values.items()) for label, values in marginals.items()}
    thetas = {f"(theta {k})": float(mean[k]) for k in range(3)}
    return Answer({**expected, **thetas}, evidence, marginals)


def poly_closure() -> Answer:
    xs, ys = np.array([-1.0, 0.0, 1.0, 2.0]), np.array([0.9, 0.2, 0.6, 1.4])
    sds = np.array([2.0, 1.0, 0.5])
    parts = []
    for degree in range(3):
        design = np.vander(xs, degree + 1, increasing=True)
        mean, evidence = condition(np.zeros(degree + 1), np.diag(sds[: degree + 1] ** 2), design, 0.49 * np.eye(4), ys)
        parts.append((np.array([float(np.vander([3.0], degree + 1, increasing=True)[0] @ mean)]), evidence))
    degrees, at_three, total = mixture(np.log([0.4, 0.3, 0.3]).tolist(), parts)
    marginal = {degree: float(p) for degree, p in enumerate(degrees)}
    return Answer({"degree": float(degrees @ np.arange(3)), "(f 3.0)": float(at_three[0])}, total, {"degree": marginal})


def list_length() -> Answer:
    sizes = np.arange(60)
    log_weights = np.empty((60, 60))
    for n in sizes:
        log_sum_seen = normal_log_density(4.2, n, math.sqrt(n + 0.25))
        with np.errstate(divide="ignore"):
            log_marks = binom.logpmf(sizes, n, 0.3)
        log_weights[n] = poisson.logpmf(n, 3.0) + log_sum_seen + log_marks + poisson.logpmf(2, 0.5 + sizes)
    probabilities, evidence = normalised(log_weights)
    by_size = probabilities.sum(axis=1)
    sums = sizes + sizes / (sizes + 0.25) * (4.2 - sizes)
    return Answer(
        {
            "(count xs)": float(by_size @ sizes),
            "(sum xs)": float(by_size @ sums),
            "marks": float(probabilities.sum(axis=0) @ sizes),
        },
        evidence,
        {"(count xs)": {int(n): float(p) for n, p in zip(sizes, by_size)}},
    )


def collapsed_mean() -> Answer:
    # Latents: the level, the unseen draw and the next draw.
    covariance = np.full((3, 3), 4.0) + np.diag([0.0, 0.25, 0.25])
    design = np.array([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]])
    noise = np.diag([0.25, 0.25, 0.16, 0.25])
    mean, evidence = condition(np.ones(3), covariance, design, noise, np.array([2.3, 1.9, 2.8, 2.2]))
    return Answer({"unseen": float(mean[1]), "next": float(mean[2])}, evidence)
