"""Families at many points: parameters, values (the edges of the support among them), and scipy's log density.

Shared by the tests of densities and of lanes. Values and parameters are plain: floats, ints and ndarrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import inf
from typing import Any

import numpy as np
from scipy import special, stats


@dataclass(frozen=True)
class Case:
    """One family: its reference takes a value and then the parameters."""

    family: str
    reference: Callable[..., Any]
    parameters: list[tuple[Any, ...]]
    values: list[Any]


def _pairs(*columns: list[float]) -> list[tuple[float, ...]]:
    return [tuple(map(float, row)) for row in product(*columns)]


POSITIVES = [0.05, 0.3, 1.0, 2.0, 7.5, 300.0]
SCALES = [0.01, 0.5, 1.0, 20.0]
LOCATIONS = [-3.0, 0.0, 2.5]
PROBABILITIES = [0.0, 1e-12, 0.2, 0.5, 0.99, 1.0]
LOGITS = [-inf, -800.0, -40.0, -1.5, 0.0, 0.3, 40.0, 800.0, inf]
ON_LINE = [-inf, -1e200, -50.0, -1.0, 0.0, 0.3, 2.5, 40.0, 1e20, 1e200, inf]
ON_HALF_LINE = [-inf, -1.0, -1e-300, 0.0, 1e-300, 1e-5, 0.5, 1.0, 2.0, 30.0, 1e6, 1e200, inf]
COUNTS = [-inf, -3, -1, 0, 1, 2, 3, 7, 40, 1000, 0.5, 2.0, -0.5, inf]


def _log_sigmoid(z: float) -> float:
    return float(-np.logaddexp(0.0, -z))


def _bernoulli_logit(x: float, z: float) -> float:
    return _log_sigmoid(z if x else -z) if x in (0, 1) else -inf


def _binomial_logit(k: float, n: float, z: float) -> float:
    if not 0 <= k <= n or k != int(k):
        return -inf
    logs = [count * _log_sigmoid(sign * z) for count, sign in ((k, 1), (n - k, -1)) if count]
    return float(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1) + sum(logs))


def _t(x: float, df: float, location: float, scale: float) -> float:
    if 1e100 < abs(x) < inf:  # scipy's square overflows
        z = abs(x - location) / scale
        return float(stats.t.logpdf(1e50, df) - (df + 1) * (np.log(z) - np.log(1e50)) - np.log(scale))
    return float(stats.t.logpdf(x, df, location, scale))


def _cauchy(x: float, location: float, scale: float) -> float:
    if 1e100 < abs(x) < inf:
        return float(np.log(scale / np.pi) - 2 * np.log(abs(x - location)))
    return float(stats.cauchy.logpdf(x, location, scale))


def _lognormal(x: float, mu: float, sigma: float) -> float:
    return float(stats.norm.logpdf(np.log(x), mu, sigma) - np.log(x)) if 0 < x < inf else -inf


def _half_normal(x: float, sd: float) -> float:
    return float(stats.norm.logpdf(x, 0, sd) + np.log(2)) if x >= 0 else -inf


def _half_cauchy(x: float, scale: float) -> float:
    return _cauchy(x, 0.0, scale) + float(np.log(2)) if x >= 0 else -inf


def _pareto(x: float, scale: float, shape: float) -> float:
    return float(np.log(shape) + shape * np.log(scale) - (shape + 1) * np.log(x)) if scale <= x < inf else -inf


def _beta_binomial(k: float, n: float, a: float, b: float) -> float:
    if not 0 <= k <= n or k != int(k):
        return -inf
    choices = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return float(choices + special.betaln(k + a, n - k + b) - special.betaln(a, b))


def _gamma(x: float, shape: float, rate: float) -> float:
    return float(stats.gamma.logpdf(x, shape, scale=1 / rate))


def _inverse_gamma(x: float, shape: float, scale: float) -> float:
    # As a change of variable: scipy's own does not take the smallest and largest values.
    if not 0 < x < inf:
        return -inf
    return float(stats.gamma.logpdf(scale / x, shape) + np.log(scale) - 2 * np.log(x))


def _negative_binomial(k: float, r: float, p: float) -> float:
    if p == 1:
        return 0.0 if k == 0 else -inf
    return float(stats.nbinom.logpmf(k, r, p))


def _poisson(k: float, rate: float) -> float:
    return float(stats.poisson.logpmf(k, rate))


def _discrete(k: float, weights: Any) -> float:
    if not 0 <= k < len(weights) or k != int(k):
        return -inf
    return float(np.log(weights[int(k)] / weights.sum()))


SCALAR_CASES = [
    Case("flip", lambda x, p: np.log(p) if x else np.log1p(-p), _pairs(PROBABILITIES), [True, False]),
    Case("bernoulli", stats.bernoulli.logpmf, _pairs(PROBABILITIES), [0, 1, 1.0, 2, -1, 0.5]),
    Case("flip-logit", lambda x, z: _log_sigmoid(z if x else -z), _pairs(LOGITS), [True, False]),
    Case("bernoulli-logit", _bernoulli_logit, _pairs(LOGITS), [0, 1, 1.0, 2, -1, 0.5]),
    Case("normal", stats.norm.logpdf, _pairs(LOCATIONS, SCALES), ON_LINE),
    Case("half-normal", _half_normal, _pairs(SCALES), ON_HALF_LINE),
    Case("half-cauchy", _half_cauchy, _pairs(SCALES), ON_HALF_LINE),
    Case("logistic", lambda x, m, s: stats.logistic.logpdf(x, m, s), _pairs(LOCATIONS, SCALES), ON_LINE),
    Case("pareto", _pareto, _pairs(SCALES, POSITIVES), [*ON_HALF_LINE, 0.01, 20.0]),
    Case(
        "von-mises",
        lambda x, m, k: stats.vonmises.logpdf(x, k, m) if abs(x) <= np.pi else -inf,
        _pairs([-3.0, 0.0, 2.5, 40.0], [1e-3, 0.5, 7.0, 1e4]),
        [-inf, -4.0, -np.pi, -1.0, 0.0, 0.3, 2.5, np.pi, 3.2, inf],
    ),
    Case(
        "beta-binomial",
        _beta_binomial,
        [(n, a, b) for n in (0, 1, 7, 7.0, 1000) for a, b in _pairs([0.05, 1.0, 30.0], [0.5, 4.0])],
        COUNTS,
    ),
    Case(
        "hypergeometric",
        lambda k, good, bad, draws: stats.hypergeom.logpmf(k, good + bad, good, draws),
        [(1, 0, 0), (5, 3, 4), (5, 3, 8), (0, 3, 2), (40, 1000, 50.0), (7, 0, 3)],
        COUNTS,
    ),
    Case("lognormal", _lognormal, _pairs(LOCATIONS, SCALES), ON_HALF_LINE),
    Case("gamma", _gamma, _pairs(POSITIVES, SCALES), ON_HALF_LINE),
    Case("inverse-gamma", _inverse_gamma, _pairs(POSITIVES, SCALES), ON_HALF_LINE),
    Case("chi-squared", stats.chi2.logpdf, _pairs([0.3, 1.0, 2.0, 5.0, 200.0]), ON_HALF_LINE),
    Case(
        "beta",
        stats.beta.logpdf,
        _pairs([0.05, 0.5, 1.0, 2.0, 300.0, 1e7], [0.05, 0.5, 1.0, 2.0, 300.0]),
        [-inf, -0.1, 0.0, 1e-300, 1e-5, 0.4, 0.999, 1.0, 1.5, inf],
    ),
    Case("exponential", lambda x, r: stats.expon.logpdf(x, scale=1 / r), _pairs(SCALES), ON_HALF_LINE),
    Case(
        "weibull",
        lambda x, k, s: stats.weibull_min.logpdf(x, k, scale=s),
        _pairs([0.05, 0.5, 1.0, 2.0, 7.0], SCALES),
        [-inf, -1.0, 0.0, 1e-5, 0.5, 1.0, 3.0, 20.0, inf],
    ),
    Case("laplace", lambda x, m, s: -np.log(2 * s) - abs(x - m) / s, _pairs(LOCATIONS, SCALES), ON_LINE),
    Case("student-t", _t, _pairs([0.3, 1.0, 4.0, 30.0, 1e5], LOCATIONS, SCALES), ON_LINE),
    Case("cauchy", _cauchy, _pairs(LOCATIONS, SCALES), ON_LINE),
    Case(
        "uniform-continuous",
        lambda x, a, b: stats.uniform.logpdf(x, a, b - a),
        [(0.0, 1.0), (-2, 3), (-1.5, 1e6), (0.25, 0.5)],
        [-inf, -3.0, -2.0, -1.5, 0.0, 0.25, 0.5, 0.7, 1.0, 3.0, 3.1, 1e6, inf],
    ),
    Case(
        "uniform-discrete",
        lambda x, a, b: stats.randint.logpmf(x, a, b),
        [(0, 1), (-2, 3), (0, 1000), (2.0, 5.0)],
        [-inf, -3, -2, -1, 0, 1, 2, 3, 4, 5, 999, 1000, 0.5, 2.0, inf],
    ),
    Case("poisson", _poisson, _pairs([0.0, 0.01, 1.0, 3.5, 900.0]), COUNTS),
    Case(
        "binomial",
        stats.binom.logpmf,
        [(n, p) for n in (0, 1, 7, 7.0, 1000) for p in PROBABILITIES],
        COUNTS,
    ),
    Case("binomial-logit", _binomial_logit, [(n, z) for n in (0, 1, 7, 7.0, 1000) for z in LOGITS], COUNTS),
    Case("negative-binomial", _negative_binomial, _pairs([0.1, 1.0, 3.7, 500.0], PROBABILITIES[1:]), COUNTS),
    Case("geometric", lambda k, p: stats.geom.logpmf(k + 1, p), _pairs(PROBABILITIES[1:]), COUNTS),
    Case(
        "discrete",
        _discrete,
        [(np.array(w),) for w in ([1.0], [0.0, 2.0, 0.0], [3, 1, 4, 1, 0], [1e-300, 1e300], [0.2] * 5)],
        [-inf, -6, -1, 0, 1, 2, 3, 4, 5, 2**63 - 1, 1.0, 0.5, inf],
    ),
]


def _covariance(d: int, seed: int) -> Any:
    a = np.random.default_rng(seed).standard_normal((d, d + 2))
    return a @ a.T


def _mvn(x: Any, mean: Any, covariance: Any) -> float:
    return float(stats.multivariate_normal.logpdf(x, mean, covariance)) if np.isfinite(x).all() else -inf


def _multinomial(x: Any, n: Any, weights: Any) -> float:
    return float(stats.multinomial.logpmf(x, n, weights / weights.sum()))


def vector_cases(d: int) -> list[Case]:
    """Families of vectors and matrices, of dimension d."""
    rng = np.random.default_rng(d)
    points = [*rng.dirichlet(np.ones(d), 3), np.full(d, 1.0 / d)]
    counts = [rng.multinomial(6, np.full(d, 1.0 / d)) for _ in range(4)]
    return [
        Case(
            "mvn",
            _mvn,
            [(rng.standard_normal(d), _covariance(d, s)) for s in range(3)]
            + [(rng.standard_normal(d), np.diag(rng.random(d) + 0.1))],
            [*rng.standard_normal((3, d)), np.zeros(d, np.int64), np.full(d, 1e200), np.full(d, -inf)],
        ),
        Case(
            "wishart",
            lambda x, df, scale: stats.wishart.logpdf(x, df, scale),
            [(d - 0.5, _covariance(d, 7)), (float(d), np.eye(d)), (d + 20, _covariance(d, 8))],
            [np.eye(d), *(_covariance(d, s) for s in (4, 5))],
        ),
        Case(
            "inverse-wishart",
            lambda x, df, scale: stats.invwishart.logpdf(x, df, scale),
            [(d - 0.5, _covariance(d, 7)), (float(d), np.eye(d)), (d + 20, _covariance(d, 8))],
            [np.eye(d), *(_covariance(d, s) for s in (4, 5))],
        ),
        Case(
            "dirichlet",
            lambda x, alpha: stats.dirichlet.logpdf(x, alpha),
            [(np.full(d, a),) for a in (0.05, 1.0, 40.0)] + [(rng.random(d) * 3,)],
            points,
        ),
        Case(
            "multinomial",
            _multinomial,
            [(6, np.ones(d)), (6.0, rng.random(d)), (0, np.ones(d)), (6, np.eye(d)[0])],
            [*counts, counts[0] * 1.0, 0 * counts[0], 6 * np.eye(d, dtype=np.int64)[0], counts[1] - 1],
        ),
    ]


ALL_CASES = SCALAR_CASES + [case for d in (1, 2, 3, 5) for case in vector_cases(d)]


def label(case: Case) -> str:
    """How pytest names a case."""
    value = case.values[0]
    return case.family + (f"-{value.shape[0]}" if isinstance(value, np.ndarray) else "")
