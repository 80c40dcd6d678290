"""Exact answers of programs/models/, the models that people bring: by conjugacy, sums over assignments, and quadrature.

Each function is the mathematics of one program, written with numpy and scipy alone. Grids are wide and fine enough for
the digits that the headers of the programs have; a test halves the grid of each and finds the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from scipy import stats
from scipy.special import gammaln

from .answer import Answer, Array, input_of, normal_log_density, normalised

Values = Mapping[str, Array]


def on_grid(log_joint: Array, values: Values, axes: Sequence[Array]) -> Answer:
    """Means of values over a grid of parameters, by the trapezoidal rule: the joint density vanishes at the ends."""
    p, total = normalised(log_joint)
    cell = math.fsum(math.log(axis.ravel()[1] - axis.ravel()[0]) for axis in axes)
    return Answer({label: float((p * value).sum()) for label, value in values.items()}, total + cell)


def axes(*ends: tuple[float, float, int]) -> list[Array]:
    """Axes from one end to the other with so many steps, to be broadcast against each other."""
    return list(np.meshgrid(*(np.linspace(a, b, n) for a, b, n in ends), indexing="ij", sparse=True))


def steps(n: int, fine: float) -> int:
    return round(n * fine) + 1


def poisson_regression(fine: float = 1.0) -> Answer:
    """Quadrature over intercept and slope."""
    x, y = input_of("poisson_regression", "x"), input_of("poisson_regression", "y")
    grid = a, b = axes((-5.0, 5.0, steps(400, fine)), (-4.0, 4.0, steps(400, fine)))
    log_joint = normal_log_density(a, 0.0, 2.0) + normal_log_density(b, 0.0, 1.0)
    for u, v in zip(x, y):
        log_joint = log_joint + v * (a + b * u) - np.exp(a + b * u) - math.lgamma(v + 1.0)
    return on_grid(log_joint, {"intercept": a, "slope": b, "rate at 1": np.exp(a + b)}, grid)


def robust_regression(fine: float = 1.0) -> Answer:
    """Quadrature over intercept, slope and the logarithm of the scale."""
    x, y = input_of("robust_regression", "x"), input_of("robust_regression", "y")
    grid = a, b, log_s = axes((-7.0, 9.0, steps(320, fine)), (0.0, 4.0, steps(280, fine)), (-3.5, 1.8, steps(40, fine)))
    scale = np.exp(log_s)
    log_joint = normal_log_density(a, 0.0, 5.0) + normal_log_density(b, 0.0, 3.0)
    log_joint = log_joint + stats.halfnorm.logpdf(scale) + log_s
    for u, v in zip(x, y):
        log_joint = log_joint + stats.t.logpdf((v - a - b * u) / scale, 3) - log_s
    return on_grid(log_joint, {"intercept": a, "slope": b, "scale": scale}, grid)


def varying_intercepts(fine: float = 1.0) -> Answer:
    """Quadrature over both spreads; given them mean and groups are jointly normal with the data."""
    rows = input_of("varying_intercepts", "rows")
    groups, y = rows[:, 0].astype(int), rows[:, 1]
    grid = log_between, log_within = axes((-9.0, 2.4, steps(150, fine)), (-3.5, 1.8, steps(100, fine)))
    between, within = np.exp(log_between), np.exp(log_within)
    log_joint = stats.halfnorm.logpdf(between, scale=2.0) + log_between + stats.halfnorm.logpdf(within) + log_within
    shape = np.broadcast_shapes(between.shape, within.shape)
    log_marginal, mu = np.empty(shape), np.empty(shape)
    means = {g: np.empty(shape) for g in (0, 3)}
    same = (groups[:, None] == groups[None, :]).astype(float)
    for i, j in np.ndindex(*shape):
        tau2, sigma2 = float(between[i, 0]) ** 2, float(within[0, j]) ** 2
        covariance = 100.0 + tau2 * same + sigma2 * np.eye(len(y))
        log_marginal[i, j] = stats.multivariate_normal.logpdf(y, np.zeros(len(y)), covariance)
        solved = np.linalg.solve(covariance, y)
        mu[i, j] = 100.0 * solved.sum()
        for g, values in means.items():
            values[i, j] = (100.0 + tau2 * (groups == g)) @ solved
    found = {"mu": mu, "between": between, "within": within, "(group 0)": means[0], "(group 3)": means[3]}
    return on_grid(log_joint + log_marginal, found, grid)


def missing_data(fine: float = 1.0) -> Answer:
    """Quadrature over the three parameters; what is missing is normal given them."""
    x, y = input_of("missing_data", "x"), input_of("missing_data", "y")
    grid = c, a, b = axes((-3.0, 4.5, steps(75, fine)), (-2.5, 3.5, steps(75, fine)), (-1.5, 5.0, steps(90, fine)))
    log_joint = sum(normal_log_density(v, 0.0, 2.0) for v in grid)
    found: dict[str, Array] = {"centre": c, "intercept": a, "slope": b}
    for i, (u, v) in enumerate(zip(x, y)):
        if math.isnan(u):
            log_joint = log_joint + normal_log_density(v, a + b * c, np.sqrt(b**2 + 0.25))
            found[f"(unseen {i})"] = c + b / (b**2 + 0.25) * (v - a - b * c)
        else:
            log_joint = log_joint + normal_log_density(u, c, 1.0) + normal_log_density(v, a + b * u, 0.5)
    return on_grid(np.asarray(log_joint), found, grid)


def survival(fine: float = 1.0) -> Answer:
    """Quadrature over shape and scale."""
    grid = shape, scale = axes((0.005, 9.0, steps(400, fine)), (0.05, 60.0, steps(800, fine)))
    log_joint = stats.gamma.logpdf(shape, 4.0, scale=0.5) + stats.gamma.logpdf(scale, 4.0, scale=2.0)
    for t in input_of("survival", "times"):
        law = stats.weibull_min.logsf if t == 10.0 else stats.weibull_min.logpdf
        log_joint = log_joint + law(t, shape, scale=scale)
    survives = np.exp(-((15.0 / scale) ** shape))
    return on_grid(log_joint, {"shape": shape, "scale": scale, "survives 15": survives}, grid)


def _urn(counts: Array, alpha: Array) -> Array:
    """The log probability of draws in their order, by how often each came, with Dirichlet shares summed out."""
    total = gammaln(alpha.sum()) - gammaln(alpha.sum() + counts.sum(axis=-1))
    return np.asarray(total + (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=-1))


def topics(fine: float = 1.0) -> Answer:
    """A sum over all assignments of words to topics, in which shares and words are summed out."""
    documents = input_of("topics", "documents").astype(int)
    n, length = documents.shape
    z = np.array(list(itertools.product((0, 1), repeat=n * length))).reshape(-1, n, length)
    log_weight = np.zeros(len(z))
    for topic in (0, 1):
        counts = np.stack([((z == topic) & (documents == w)).sum(axis=(1, 2)) for w in range(3)], axis=-1)
        log_weight += _urn(counts, np.full(3, 0.5))
    for d in range(n):
        ones = z[:, d].sum(axis=1)
        log_weight += _urn(np.stack([length - ones, ones], axis=-1), np.full(2, 0.8))
    p, evidence = normalised(log_weight)
    pairs = (((0, 0), (0, 1)), ((0, 0), (0, 2)), ((0, 0), (1, 0)), ((1, 0), (2, 1)))
    return Answer(
        {f"(= (topic {a} {b}) (topic {c} {d}))": float(p @ (z[:, a, b] == z[:, c, d])) for (a, b), (c, d) in pairs},
        evidence,
    )


def sir(fine: float = 1.0) -> Answer:
    """Quadrature over the two rates."""
    grid = contact, recovery = axes((0.55, 0.85, steps(400, fine)), (0.1, 0.4, steps(400, fine)))
    log_joint = stats.lognorm.logpdf(contact, 0.5, scale=math.exp(-0.5)) + stats.beta.logpdf(recovery, 2.0, 8.0)
    s, i = np.full(log_joint.shape, 0.95), np.full(log_joint.shape, 0.01)
    for y in input_of("sir", "cases"):
        new = s * -np.expm1(-contact * i)
        log_joint = log_joint + stats.poisson.logpmf(y, 10_000.0 * new)
        s, i = s - new, i + new - recovery * i
    found = {"contact": contact, "recovery": recovery, "reproduction number": contact / recovery}
    return on_grid(log_joint, found, grid)


def gp_scale(fine: float = 1.0) -> Answer:
    """Quadrature over length and height."""
    x, y = input_of("gp_scale", "xs"), input_of("gp_scale", "ys")
    grid = length, height = axes((0.02, 6.0, steps(200, fine)), (0.005, 5.0, steps(200, fine)))
    log_joint = stats.gamma.logpdf(length, 4.0, scale=0.25) + stats.halfnorm.logpdf(height)
    squares = (x[:, None] - x[None, :]) ** 2
    covariance = height[..., None, None] ** 2 * np.exp(-0.5 * squares / length[..., None, None] ** 2)
    covariance = covariance + 0.01 * np.eye(len(x))
    quadratic = np.linalg.solve(covariance, np.broadcast_to(y[:, None], (*covariance.shape[:-1], 1)))[..., 0] @ y
    log_joint = log_joint - 0.5 * (quadratic + np.linalg.slogdet(covariance)[1] + len(x) * math.log(2.0 * math.pi))
    return on_grid(log_joint, {"length": length, "height": height}, grid)


def _normal_mean(y: Array, mean: float, sd: float) -> tuple[float, float]:
    """Unit noise about an unknown normal mean: the log evidence, and the posterior mean."""
    precision = sd**-2 + len(y)
    centre = (mean * sd**-2 + y.sum()) / precision
    quadratic = (y**2).sum() + mean**2 * sd**-2 - centre**2 * precision
    log_evidence = -0.5 * (quadratic + len(y) * math.log(2.0 * math.pi) + math.log(precision * sd**2))
    return log_evidence, centre


def _over_assignments(
    y: Array, log_prior: Callable[[Array], Array], centres: Sequence[float], sd: float, extra: Callable[[Array], Values]
) -> Answer:
    """Two classes with unknown means: a sum over all assignments of points to them."""
    z = np.array(list(itertools.product((0, 1), repeat=len(y))))
    log_weight = log_prior(z)
    means = np.empty((len(z), 2))
    for row, assigned in enumerate(z):
        for k in (0, 1):
            evidence, means[row, k] = _normal_mean(y[assigned == k], centres[k], sd)
            log_weight[row] += evidence
    p, total = normalised(log_weight)
    found = {"(centre 0)": means[:, 0], "(centre 1)": means[:, 1], **extra(z)}
    return Answer({label: float(p @ values) for label, values in found.items()}, total)


def finite_mixture(fine: float = 1.0) -> Answer:
    """A sum over all assignments."""
    y = input_of("finite_mixture", "ys")

    def log_prior(z: Array) -> Array:
        ones = z.sum(axis=1)
        return _urn(np.stack([len(y) - ones, ones], axis=-1), np.array([2.0, 2.0]))

    return _over_assignments(
        y, log_prior, (-2.0, 2.0), 1.5,
        lambda z: {
            "weight": (2.0 + z.sum(axis=1)) / (4.0 + len(y)),
            "(class 2)": z[:, 2],
            "(= (class 2) (class 7))": z[:, 2] == z[:, 7],
        },
    )  # fmt: skip


def hmm_unknown(fine: float = 1.0) -> Answer:
    """A sum over all paths of states, in which the rows of the matrix are summed out."""
    alphas = np.array([[3.0, 1.0], [1.0, 3.0]])

    def moves(z: Array, a: int) -> Array:
        before = np.concatenate([np.zeros((len(z), 1)), z[:, :-1]], axis=1)
        return np.stack([((before == a) & (z == b)).sum(axis=1) for b in (0, 1)], axis=-1)

    def stays(z: Array, a: int) -> Array:
        counts = moves(z, a) + alphas[a]
        return np.asarray(counts[:, a] / counts.sum(axis=1))

    return _over_assignments(
        input_of("hmm_unknown", "ys"),
        lambda z: _urn(moves(z, 0), alphas[0]) + _urn(moves(z, 1), alphas[1]),
        (0.0, 2.0), 1.0,
        lambda z: {
            "stays": stays(z, 0), "(nth (row 1) 1)": stays(z, 1), "(state 6)": z[:, 6], "(state 9)": z[:, 9],
        },
    )  # fmt: skip


def volatility_unknown(fine: float = 1.0) -> Answer:
    """Quadrature over both parameters, and over the states one after the other."""
    returns = input_of("volatility_unknown", "returns")
    grid = logit, log_spread = axes((-3.5, 9.0, steps(50, fine)), (-10.0, 0.9, steps(50, fine)))
    persistence, spread = 1.0 / (1.0 + np.exp(-logit)), np.exp(log_spread)
    log_joint = stats.beta.logpdf(persistence, 8.0, 2.0) + np.log(persistence * (1.0 - persistence))
    log_joint = log_joint + stats.halfnorm.logpdf(spread, scale=0.5) + log_spread
    shape = log_joint.shape
    log_marginal, seventh, last = np.empty(shape), np.empty(shape), np.empty(shape)
    # States as multiples of their spread without data, so that one set of nodes serves all parameters.
    nodes, weights = np.polynomial.hermite_e.hermegauss(round(80 * math.sqrt(fine)))
    weights = weights / weights.sum()
    for i, j in np.ndindex(*shape):
        phi, s = float(persistence[i, 0]), float(spread[0, j])
        variances = s**2 * np.cumsum(phi ** (2.0 * np.arange(len(returns))))
        log_marginal[i, j], (seventh[i, j], last[i, j]) = _states(returns, phi, s, variances, nodes, weights)
    found = {"persistence": persistence, "spread": spread, "(h 7)": seventh, "(h 11)": last}
    return on_grid(log_joint + log_marginal, found, grid)


def _states(
    returns: Array, phi: float, s: float, variances: Array, nodes: Array, weights: Array
) -> tuple[float, tuple[float, float]]:
    """Forward-backward by Gauss-Hermite nodes: the log evidence, and the means of states 7 and 11."""
    points = np.sqrt(variances)[:, None] * nodes[None, :]
    seen = [np.exp(normal_log_density(y, 0.0, np.exp(h / 2.0))) for y, h in zip(returns, points)]
    forward = weights * seen[0]
    log_evidence, kept = 0.0, []
    for t in range(len(returns)):
        if t:
            # The law of the next state at the nodes, relative to the weights that the nodes have.
            ratio = np.exp(
                normal_log_density(points[t][None, :], phi * points[t - 1][:, None], s)
                - normal_log_density(points[t], 0.0, math.sqrt(variances[t]))
            )
            kept.append(ratio)
            forward = (forward @ ratio) * weights * seen[t]
        log_evidence += math.log(forward.sum())
        forward = forward / forward.sum()
        if t == 7:
            filtered = forward
    back = np.ones_like(nodes)
    for t in range(len(returns) - 1, 7, -1):
        back = kept[t - 1] @ (weights * seen[t] * back)
        back = back / back.max()
    smoothed = filtered * back / (filtered @ back)
    return log_evidence, (float(smoothed @ points[7]), float(forward @ points[-1]))


def item_response(fine: float = 1.0) -> Answer:
    """Quadrature over the three difficulties, and for each person over the ability."""
    answers = input_of("item_response", "answers").astype(bool)
    difficulties = axes(*[(-8.0, 8.0, steps(48, fine))] * 3)
    ability, weights = np.polynomial.hermite_e.hermegauss(round(40 * fine))
    weights = weights / weights.sum()
    log_joint = sum(normal_log_density(d, 0.0, 1.5) for d in difficulties)
    found: dict[str, Array] = {"(difficulty 0)": difficulties[0], "(difficulty 2)": difficulties[2]}
    for person, row in enumerate(answers):
        total, moment = np.zeros(1), np.zeros(1)
        for a, w in zip(ability, weights):
            p = w * math.prod(1.0 / (1.0 + np.exp((d - a) if s else (a - d))) for d, s in zip(difficulties, row))
            total, moment = total + p, moment + a * p
        log_joint = log_joint + np.log(total)
        if person in (0, 2):
            found[f"(ability {person})"] = moment / total
    return on_grid(np.asarray(log_joint), found, difficulties)


def autoregression(fine: float = 1.0) -> Answer:
    """Quadrature over the noise; given it level and persistence are those of a linear regression."""
    y = input_of("autoregression", "ys")
    design = np.stack([np.ones(len(y) - 1), y[:-1]], axis=1)
    prior = np.diag([4.0, 0.25])
    (log_noise,) = grid = axes((-4.0, 2.0, steps(400, fine)))
    log_joint = stats.halfnorm.logpdf(np.exp(log_noise)) + log_noise
    log_marginal, means = np.empty(len(log_noise)), np.empty((len(log_noise), 2))
    for i, noise in enumerate(np.exp(log_noise)):
        covariance = design @ prior @ design.T + noise**2 * np.eye(len(design))
        log_marginal[i] = stats.multivariate_normal.logpdf(y[1:], np.zeros(len(design)), covariance)
        means[i] = prior @ design.T @ np.linalg.solve(covariance, y[1:])
    found = {
        "level": means[:, 0], "persistence": means[:, 1], "noise": np.exp(log_noise),
        "next": means @ np.array([1.0, y[-1]]),
    }  # fmt: skip
    return on_grid(log_joint + log_marginal, found, grid)


def ab_test(fine: float = 1.0) -> Answer:
    """Beta distributions by conjugacy, and which is greater by quadrature."""
    shown, clicked = input_of("ab_test", "shown"), input_of("ab_test", "clicked")
    a, b = [stats.beta(1.0 + k, 10.0 + n - k) for n, k in zip(shown, clicked)]
    evidence = math.fsum(stats.betabinom.logpmf(k, n, 1.0, 10.0) for n, k in zip(shown, clicked))
    x = np.linspace(0.0, 1.0, steps(4000, fine))
    better = float((b.pdf(x) * a.cdf(x)).sum() * x[1])
    means = {"(rate 0)": a.mean(), "(rate 1)": b.mean(), "better": better, "lift": b.mean() - a.mean()}
    return Answer({label: float(value) for label, value in means.items()}, evidence)


SOLVERS: Final[Mapping[str, Callable[[float], Answer]]] = {
    solver.__name__: solver
    for solver in (
        ab_test, autoregression, finite_mixture, gp_scale, hmm_unknown, item_response, missing_data,
        poisson_regression, robust_regression, sir, survival, topics, varying_intercepts, volatility_unknown,
    )
}  # fmt: skip
