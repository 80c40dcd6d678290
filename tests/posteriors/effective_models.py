"""Ten models whose posterior means and variances are known, from easy to hopeless for smc.

Each takes data that are drawn here by a fixed seed. A model gives a text, and for each predict its posterior mean and
variance, exactly or by sums over a fine grid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp
from scipy.stats import norm

from .answer import Array

Moments = dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Model:
    """A program, and the mean and variance of each predict."""

    text: str
    exact: Moments
    log_evidence: float
    method: str = "smc"
    particles: int = 500


def vector(values: NDArray[Any]) -> str:
    return "[" + " ".join(map(repr, np.asarray(values).tolist())) + "]"


def over_grid(log_density: Array, log_cell: float, **values: Array) -> tuple[Moments, float]:
    """Means and variances by the density at the points of a grid, and the log of the sum of it."""
    log_total = float(logsumexp(log_density))
    weights = np.exp(log_density - log_total)
    found: Moments = {}
    for label, value in values.items():
        mean = float((weights * value).sum())
        found[label] = mean, float((weights * (value - mean) ** 2).sum())
    return found, log_total + log_cell


def normal_posterior(prior: Array, design: Array, noise: float, y: Array, labels: list[str]) -> tuple[Moments, float]:
    """Latent ~ N(0, prior), y ~ N(design latent, noise^2)."""
    predicted = design @ prior @ design.T + noise**2 * np.eye(len(y))
    gain = np.linalg.solve(predicted, design @ prior).T
    mean, covariance = gain @ y, prior - gain @ design @ prior
    _, log_determinant = np.linalg.slogdet(2 * np.pi * predicted)
    evidence = -0.5 * (log_determinant + y @ np.linalg.solve(predicted, y))
    return {label: (float(mean[i]), float(covariance[i, i])) for i, label in enumerate(labels)}, float(evidence)


def coin() -> Model:
    """A bias and 20 flips."""
    flips = np.random.default_rng(1).random(20) < 0.7
    text = f"""[assume p (sample (beta 1 1))]
[for [heads [{" ".join(str(bool(flip)).lower() for flip in flips)}]] [observe (flip p) heads]]
[predict p]"""
    a, b = 1 + flips.sum(), 1 + (~flips).sum()
    log_evidence = float(gammaln(a) + gammaln(b) - gammaln(a + b))
    return Model(text, {"p": (a / (a + b), a * b / (a + b) ** 2 / (a + b + 1))}, log_evidence)


def linear_regression() -> Model:
    """A line through 20 points, with a prior a thousand times as wide as the posterior."""
    x = np.linspace(-1, 1, 20)
    y = 2 + 3 * x + 0.1 * np.random.default_rng(2).normal(size=20)
    text = f"""[assume a (sample (normal 0 30))]
[assume b (sample (normal 0 30))]
[for [[x y] (map vector {vector(x)} {vector(y)})] [observe (normal (+ a (* b x)) 0.1) y]]
[predict a]
[predict b]"""
    return Model(text, *normal_posterior(900 * np.eye(2), np.stack([np.ones(20), x], 1), 0.1, y, ["a", "b"]))


def logistic_regression() -> Model:
    """100 labels by two coefficients."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(100, 2))
    labels = rng.random(100) < 1 / (1 + np.exp(-x @ [3.0, -2.0]))
    rows = " ".join(f"[{vector(row)} {str(bool(label)).lower()}]" for row, label in zip(x, labels))
    text = f"""[assume a (sample (normal 0 10))]
[assume b (sample (normal 0 10))]
[for [[x label] [{rows}]]
  [observe (flip (sigmoid (+ (* a (nth x 0)) (* b (nth x 1))))) label]]
[predict a]
[predict b]"""
    a, b = np.meshgrid(np.linspace(0, 10, 400), np.linspace(-8, 2, 400), indexing="ij")
    logits = np.where(labels[:, None, None], 1, -1) * (a[None] * x[:, :1, None] + b[None] * x[:, 1:, None])
    log_density = norm.logpdf(a, 0, 10) + norm.logpdf(b, 0, 10) - np.logaddexp(0, -logits).sum(0)
    return Model(text, *over_grid(log_density, 2 * np.log(10 / 399), a=a, b=b))


def change_point() -> Model:
    """Counts whose rate changes at a place that is drawn first."""
    rng = np.random.default_rng(4)
    counts = rng.poisson(np.where(np.arange(60) < 25, 3.0, 6.0))
    text = f"""[assume k (sample (uniform-discrete 0 60))]
[assume before (sample (gamma 2 0.5))]
[assume after (sample (gamma 2 0.5))]
[for [[t y] (map vector (range 60) {vector(counts)})] [observe (poisson (if (< t k) before after)) y]]
[predict k]
[predict before]"""
    places = np.arange(60.0)
    sums, rest = np.array([[counts[:k].sum(), counts[k:].sum()] for k in range(60)], dtype=np.float64).T

    def log_marginal(total: Array, number: Array) -> Array:
        return np.asarray(gammaln(2 + total) + 2 * np.log(0.5) - (2 + total) * np.log(0.5 + number))

    log_weights: Array = log_marginal(sums, places) + log_marginal(rest, 60 - places)
    log_weights = log_weights - np.log(60) - gammaln(counts + 1).sum()
    exact, log_evidence = over_grid(log_weights, 0.0, k=places)
    weights = np.exp(log_weights - log_evidence)
    mean, second = (2 + sums) / (0.5 + places), (2 + sums) * (3 + sums) / (0.5 + places) ** 2
    exact["before"] = float(weights @ mean), float(weights @ second - (weights @ mean) ** 2)
    return Model(text, exact, log_evidence)


def random_walk() -> Model:
    """States of a walk, early, in the middle and late."""
    steps = 60
    states = np.random.default_rng(5).normal(size=steps).cumsum()
    y = states + np.random.default_rng(6).normal(size=steps)
    text = f"""[assume x (mem (lambda (t) (sample (normal (if (= t 0) 0.0 (x (dec t))) 1.0))))]
[for [[t y] (map vector (range {steps}) {vector(y)})] [observe (normal (x t) 1.0) y]]
{" ".join(f"[predict (x {t})]" for t in (0, 30, 56, 59))}"""
    lower = np.tril(np.ones((steps, steps)))
    labels = [f"(x {t})" for t in range(steps)]
    exact, log_evidence = normal_posterior(lower @ lower.T, np.eye(steps), 1.0, y, labels)
    return Model(text, {f"(x {t})": exact[f"(x {t})"] for t in (0, 30, 56, 59)}, log_evidence)


def hidden_markov() -> Model:
    """Three states, normal emissions."""
    steps = 40
    rng = np.random.default_rng(7)
    transition = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]])
    states = [0]
    for _ in range(steps - 1):
        states.append(int(rng.choice(3, p=transition[states[-1]])))
    y = np.array(states) + rng.normal(size=steps)
    asked = (0, 20, 39)
    text = f"""[assume rows [[0.8 0.1 0.1] [0.2 0.7 0.1] [0.1 0.3 0.6]]]
[assume s (mem (lambda (t) (if (= t 0) (sample (uniform-discrete 0 3)) (sample (discrete (nth rows (s (dec t))))))))]
[for [[t y] (map vector (range {steps}) {vector(y)})] [observe (normal (s t) 1.0) y]]
{" ".join(f"[predict (= 1 (s {t}))]" for t in asked)}"""
    likelihood = norm.pdf(y[:, None], np.arange(3)[None], 1.0)
    forward = [likelihood[0] / 3]
    for t in range(1, steps):
        forward.append(forward[-1] @ transition * likelihood[t])
    backward = [np.ones(3)]
    for t in range(steps - 1, 0, -1):
        backward.insert(0, transition @ (likelihood[t] * backward[0]))
    total = forward[-1].sum()
    chances = [float(forward[t][1] * backward[t][1] / total) for t in asked]
    exact = {f"(= 1 (s {t}))": (chance, chance * (1 - chance)) for t, chance in zip(asked, chances)}
    return Model(text, exact, float(np.log(total)))


def eight_schools() -> Model:
    """Effects of eight schools about a mean that is drawn first, with a spread that is drawn first."""
    effects = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
    errors = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
    text = f"""[assume mu (sample (normal 0 20))]
[assume tau (sample (gamma 2 0.2))]
[assume theta (mem (lambda (i) (sample (normal mu tau))))]
[for [[i y s] (map vector (range 8) {vector(effects)} {vector(errors)})] [observe (normal (theta i) s) y]]
[predict mu]
[predict tau]
[predict (theta 0)]
[predict (theta 7)]"""
    mu, tau = np.meshgrid(np.linspace(-60, 80, 800), np.linspace(1e-3, 80, 800), indexing="ij")
    log_density = norm.logpdf(mu, 0, 20) + np.log(tau) - 0.2 * tau + 2 * np.log(0.2)
    for y, s in zip(effects, errors):
        log_density = log_density + norm.logpdf(y, mu, np.hypot(tau, s))
    exact, log_evidence = over_grid(log_density, float(np.log(140 / 799 * 80 / 799)), mu=mu, tau=tau)
    weights = np.exp(log_density - logsumexp(log_density))
    for i in (0, 7):
        precision = 1 / errors[i] ** 2 + 1 / tau**2
        means = (effects[i] / errors[i] ** 2 + mu / tau**2) / precision
        mean = float((weights * means).sum())
        exact[f"(theta {i})"] = mean, float((weights * (1 / precision + (means - mean) ** 2)).sum())
    return Model(text, exact, log_evidence)


def two_clusters() -> Model:
    """Points of two clusters, their means drawn first."""
    rng = np.random.default_rng(8)
    y = np.where(rng.random(25) < 0.4, -1.0, 1.5) + rng.normal(size=25)
    text = f"""[assume a (sample (normal -2 1.5))]
[assume b (sample (normal 2 1.5))]
[assume z (mem (lambda (i) (sample (flip 0.4))))]
[for [[i y] (map vector (range 25) {vector(y)})] [observe (normal (if (z i) a b) 1.0) y]]
[predict a]
[predict (z 0)]
[predict (z 24)]"""
    a, b = np.meshgrid(np.linspace(-8, 8, 500), np.linspace(-8, 8, 500), indexing="ij")
    log_density = norm.logpdf(a, -2, 1.5) + norm.logpdf(b, 2, 1.5)
    for value in y:
        log_density = log_density + np.log(0.4 * norm.pdf(value, a, 1) + 0.6 * norm.pdf(value, b, 1))
    exact, log_evidence = over_grid(log_density, 2 * float(np.log(16 / 499)), a=a, b=b)
    del exact["b"]
    weights = np.exp(log_density - logsumexp(log_density))
    for i in (0, 24):
        first = 0.4 * norm.pdf(y[i], a, 1)
        chance = float((weights * first / (first + 0.6 * norm.pdf(y[i], b, 1))).sum())
        exact[f"(z {i})"] = chance, chance * (1 - chance)
    return Model(text, exact, log_evidence)


def rare_event() -> Model:
    """A value far out in the prior, by importance sampling."""
    text = """[assume x (sample (normal 0 1))]
[observe (normal x 0.5) 3.5]
[predict x]
[predict (< x 2.5)]"""
    exact, log_evidence = normal_posterior(np.eye(1), np.eye(1), 0.5, np.array([3.5]), ["x"])
    below = float(norm.cdf(2.5, exact["x"][0], exact["x"][1] ** 0.5))
    exact["(< x 2.5)"] = below, below * (1 - below)
    return Model(text, exact, log_evidence, "importance", 1000)


def one_mean() -> Model:
    """One mean and 200 observes of it."""
    y = 1.0 + 2.0 * np.random.default_rng(9).normal(size=200)
    text = f"""[assume m (sample (normal 0 1))]
[for [y {vector(y)}] [observe (normal m 2.0) y]]
[predict m]
[predict (* m m)]"""
    exact, log_evidence = normal_posterior(np.eye(1), np.ones((200, 1)), 2.0, y, ["m"])
    m, v = exact["m"]
    exact["(* m m)"] = m * m + v, 4 * m * m * v + 2 * v * v
    return Model(text, exact, log_evidence)


MODELS: Final[dict[str, Callable[[], Model]]] = {
    made.__name__: made
    for made in (
        coin, linear_regression, logistic_regression, change_point, random_walk, hidden_markov, eight_schools,
        two_clusters, rare_event, one_mean,
    )
}  # fmt: skip
