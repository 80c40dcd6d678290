"""Exact answers by sums over a grid: hidden Markov chains, and quadrature over one to three parameters.

The trapezoidal rule on a smooth integrand that vanishes at both ends converges faster than any power of the
step, so that all answers here are good to many more digits than a sampler can see.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import binom, gamma, norm, poisson

from .answer import Answer, Array, from_marginals, literal, normal_log_density, normalised


def forward_backward(
    initial: Array, transition: Callable[[int], Array], likelihoods: Sequence[Array]
) -> tuple[list[Array], float]:
    """Posterior marginals of a chain at times 0, 1, ... and the log evidence. `initial` is the law at time 0,
    `transition(t)` the matrix from time t - 1 to t."""
    forward: list[Array] = []
    log_evidence = 0.0
    for t, likelihood in enumerate(likelihoods):
        predicted = initial if t == 0 else forward[-1] @ transition(t)
        weighted = predicted * likelihood
        log_evidence += math.log(weighted.sum())
        forward.append(weighted / weighted.sum())
    message = np.ones_like(initial)
    marginals = [forward[-1]]
    for t in range(len(likelihoods) - 1, 0, -1):
        message = transition(t) @ (message * likelihoods[t])
        message = message / message.sum()
        posterior = forward[t - 1] * message
        marginals.append(posterior / posterior.sum())
    return marginals[::-1], log_evidence


def hmm() -> Answer:
    y = literal("hmm", "y")
    matrix = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
    likelihoods = [np.exp(normal_log_density(v, np.array([-2.0, 0.0, 2.0]), 1.0)) for v in y]
    states, evidence = forward_backward(np.array([0.4, 0.3, 0.3]), lambda t: matrix, likelihoods)
    return from_marginals(
        {f"(state {t})": {k: float(p) for k, p in enumerate(states[t])} for t in (0, 3, 7, 12, 15)}, evidence
    )


def stochastic_volatility() -> Answer:
    returns = literal("stochastic_volatility", "returns")
    grid, step = np.linspace(-7.0, 5.0, 801, retstep=True)
    matrix = norm.pdf(grid[None, :], -1.0 + 0.95 * (grid[:, None] + 1.0), 0.3) * step
    likelihoods = [np.ones_like(grid), *(norm.pdf(y, 0.0, np.exp(grid / 2.0)) for y in returns)]
    h, evidence = forward_backward(norm.pdf(grid, -1.0, 0.6) * step, lambda t: matrix, likelihoods)
    return Answer({f"(h {t})": float(h[t] @ grid) for t in (1, 8, 24)}, evidence)


def nonlinear_ssm() -> Answer:
    y = literal("nonlinear_ssm", "y")
    grid, step = np.linspace(-35.0, 35.0, 701, retstep=True)
    drift = grid / 2.0 + 25.0 * grid / (1.0 + grid**2)

    def transition(t: int) -> Array:
        mean = drift[:, None] + 8.0 * math.cos(1.2 * t)
        return np.asarray(np.exp(normal_log_density(grid[None, :], mean, math.sqrt(10.0))) * step)

    likelihoods = [np.ones_like(grid), *(norm.pdf(v, grid**2 / 20.0, 1.0) for v in y)]
    x, evidence = forward_backward(norm.pdf(grid, 0.0, math.sqrt(5.0)) * step, transition, likelihoods)
    return Answer({f"(x {t})": float(x[t] @ grid) for t in (1, 50, 100)}, evidence)


def logistic_regression() -> Answer:
    hours, passed = literal("logistic_regression", "hours"), literal("logistic_regression", "passed")
    grid, step = np.linspace(-18.0, 18.0, 601, retstep=True)
    weight, bias = grid[:, None], grid[None, :]
    log_density = normal_log_density(weight, 0.0, 2.0) + normal_log_density(bias, 0.0, 2.0)
    for x, outcome in zip(hours, passed):
        log_density = log_density - np.logaddexp(0.0, (-1.0 if outcome else 1.0) * (bias + weight * x))
    p, total = normalised(log_density)
    at_one = 1.0 / (1.0 + np.exp(-(bias + weight)))
    return Answer(
        {
            "weight": float((p * weight).sum()),
            "bias": float((p * bias).sum()),
            "(pass 1.0)": float((p * at_one).sum()),
        },
        total + 2.0 * math.log(step),
    )


def change_point() -> Answer:
    counts = literal("change_point", "counts")
    times = np.arange(1, 16)
    log_weights, rates = [], []
    for change in times:
        log_weight = -math.log(len(times)) - float(gammaln(counts + 1.0).sum())
        row = []
        for part in (counts[:change], counts[change:]):
            shape, rate = 2.0 + part.sum(), 0.5 + len(part)
            log_weight += 2.0 * math.log(0.5) - math.lgamma(2.0) + math.lgamma(shape) - shape * math.log(rate)
            row.append(shape / rate)
        log_weights.append(log_weight)
        rates.append(row)
    p, evidence = normalised(np.array(log_weights))
    before, after = p @ np.array(rates)
    return from_marginals(
        {"when-changed": {int(t): float(q) for t, q in zip(times, p)}},
        evidence,
        before=float(before),
        after=float(after),
    )


def over_gamma(
    shape: float, rate: float, grid: Array, model: Callable[[float], tuple[Mapping[str, float], float]]
) -> tuple[dict[str, float], float]:
    """Average a model's means over a gamma-distributed parameter; the parameter's own is under ""."""
    results = [model(float(value)) for value in grid]
    log_prior = gamma.logpdf(grid, shape, scale=1.0 / rate)
    p, total = normalised(log_prior + np.array([evidence for _, evidence in results]))
    means = {label: float(p @ np.array([means[label] for means, _ in results])) for label in results[0][0]}
    return {"": float(p @ grid), **means}, total + math.log(grid[1] - grid[0])


def branching() -> Answer:
    counts = literal("branching", "counts")
    sizes = np.arange(200)
    likelihoods = [np.ones(200), *(np.asarray(poisson.pmf(y, 0.2 + sizes)) for y in counts)]

    def model(rate: float) -> tuple[Mapping[str, float], float]:
        matrix = np.asarray(poisson.pmf(sizes[None, :], sizes[:, None] * rate))
        chain, evidence = forward_backward((sizes == 3).astype(float), lambda t: matrix, likelihoods)
        return {f"(size {t})": float(chain[t] @ sizes) for t in (1, 4)}, evidence

    means, evidence = over_gamma(12.0, 10.0, np.linspace(0.02, 4.02, 101), model)
    return Answer({"rate": means.pop(""), **means}, evidence)


def epidemic() -> Answer:
    cases = literal("epidemic", "cases")
    states = [(s, i) for s in range(28) for i in range(31 - s)]
    s, i = np.array(states).T
    caught = s[:, None] - s[None, :]
    recovered = i[:, None] + caught - i[None, :]
    recovery = binom.pmf(recovered, i[:, None], 0.4)
    reports = [poisson.pmf(y, 0.1 + 0.7 * np.maximum(caught, 0)) for y in cases]

    def model(beta: float) -> tuple[Mapping[str, float], float]:
        risk = 1.0 - np.exp(-beta * i / 30.0)
        matrix = binom.pmf(caught, s[:, None], risk[:, None]) * recovery
        # The reports depend on the step, not on the state reached: they go into the transitions.
        chain, evidence = forward_backward(
            ((s == 27) & (i == 3)).astype(float),
            lambda t: matrix * reports[t - 1],
            [np.ones(len(states))] * (len(cases) + 1),
        )
        return {"(nth (state 4) 1)": float(chain[4] @ i), "(nth (state 8) 0)": float(chain[8] @ s)}, evidence

    means, evidence = over_gamma(6.0, 6.0, np.linspace(0.03, 4.53, 46), model)
    return Answer({"beta": means.pop(""), **means}, evidence)


def tug_of_war() -> Answer:
    grid, step = np.linspace(-7.0, 7.0, 81, retstep=True)
    ann, bob, cat = np.meshgrid(grid, grid, grid, indexing="ij", sparse=True)

    def chance(home: Sequence[Array], away: Sequence[Array], lazy: tuple[bool, ...] | None = None) -> Array:
        """The home team's chance, averaged over who is lazy (or for given ones: home first, then away)."""
        total = np.zeros((1, 1, 1))
        patterns = itertools.product((False, True), repeat=len(home) + len(away)) if lazy is None else [lazy]
        for pattern in patterns:
            pulls = [player - 1.0 * is_lazy for player, is_lazy in zip([*home, *away], pattern)]
            lead = sum(pulls[: len(home)]) - sum(pulls[len(home) :])
            prior = 1.0 if lazy else math.prod(0.25 if is_lazy else 0.75 for is_lazy in pattern)
            total = total + prior / (1.0 + np.exp(-2.0 * lead))
        return np.asarray(total)

    prior = norm.pdf(ann) * norm.pdf(bob) * norm.pdf(cat) * step**3
    others = prior * chance([ann], [bob]) * chance([ann], [cat]) * (1.0 - chance([bob], [cat]))
    joint = others * chance([bob, cat], [ann])
    evidence = float(joint.sum())
    ann_lazy = sum(
        0.25 * math.prod(0.25 if lazy else 0.75 for lazy in pair) * chance([bob, cat], [ann], (*pair, True))
        for pair in itertools.product((False, True), repeat=2)
    )
    return Answer(
        {
            '(strength "ann")': float((joint * ann).sum()) / evidence,
            '(strength "bob")': float((joint * bob).sum()) / evidence,
            '(strength "cat")': float((joint * cat).sum()) / evidence,
            '(lazy "ann" 3)': float((others * ann_lazy).sum()) / evidence,
        },
        math.log(evidence),
    )


def nested_observe() -> Answer:
    def joint(mu: float) -> float:
        log_density = normal_log_density(mu, 0.0, 2.0) + normal_log_density(1.0, mu, 1.0)
        log_density = log_density + normal_log_density(-0.5, mu, 1.0) + normal_log_density(-1.5, mu, 1.0)
        if mu > 0.0:
            log_density = log_density + normal_log_density(1.0, mu, 0.5)
        return math.exp(float(log_density + normal_log_density(1.0, mu, 2.0)))

    above, below = quad(joint, 0.0, 20.0)[0], quad(joint, -20.0, 0.0)[0]
    moment = quad(lambda mu: mu * joint(mu), 0.0, 20.0)[0] + quad(lambda mu: mu * joint(mu), -20.0, 0.0)[0]
    evidence = above + below
    return Answer({"mu": moment / evidence, "(> mu 0.0)": above / evidence}, math.log(evidence))
