"""Every row of the tables in docs/coming-from.md: what is written here has the density of what is written there."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from scipy import stats
from tests.posteriors.answer import Answer
from tests.posteriors.brought_models import SOLVERS
from tests.posteriors.test_methods import check

import pplc

from .blocks import ROOT

TEXT: Final = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
ROWS: Final = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", TEXT, re.MULTILINE)


def _choice(one: str, other: str) -> dict[str, float]:
    return {one: math.log(1 / 4), other: math.log(3 / 4)}


def _at(density: object, *points: float) -> dict[str, float]:
    log = getattr(density, "logpdf", None) if hasattr(getattr(density, "dist", None), "pdf") else None
    log = log or density.logpmf  # type: ignore[attr-defined] # a frozen distribution of scipy
    return {str(point): float(log(point)) for point in points}


SIGMA: Final = np.array([[2.0, 1.0], [1.0, 3.0]])
POINT: Final = np.array([[1.5, 0.2], [0.2, 0.8]])


def _on(log_density: Callable[[Any], Any], *points: list[Any]) -> dict[str, float]:
    """Log densities at vectors and matrices, by how they are written."""
    return {str(point).replace(",", ""): float(log_density(np.array(point))) for point in points}


def _pair(rho: float) -> list[list[float]]:
    return [[1.0, rho], [rho, 1.0]]


MVN: Final = _on(stats.multivariate_normal([0, 1], SIGMA).logpdf, [0.5, 0.5], [-1.0, 2.0])
TWO: Final = {str(x): float(np.log(0.25 * stats.norm(0, 1).pdf(x) + 0.75 * stats.norm(3, 2).pdf(x))) for x in (0, 2)}
MULTINOMIAL: Final = _on(stats.multinomial(3, [0.25, 0.75]).logpmf, [1, 2], [0, 3])
DIRICHLET: Final = _on(stats.dirichlet([1, 3]).logpdf, [0.25, 0.75])
LKJ: Final = _on(lambda c: math.log(0.75 * (1 - c[0, 1] ** 2)), _pair(0.5), _pair(-0.25))  # 1 - rho^2, normalised
HALF_CAUCHY: Final = _at(stats.halfcauchy(scale=2), 0.5, 4)
TRUNCATED: Final = _at(stats.truncnorm(-0.5, math.inf, 1, 2), 0.5, 4)

THERE: Final[dict[str, dict[str, float]]] = {
    "(normal 1 2)": _at(stats.norm(1, 2), 0.5, 4),
    "(gamma 2 3)": _at(stats.gamma(2, scale=1 / 3), 0.5, 2),
    "(uniform-discrete 0 3)": {"0": -math.log(3), "2": -math.log(3)},
    "(categorical {:a 1 :b 3})": _choice(":a", ":b"),
    "Gaussian({mu: 1, sigma: 2})": _at(stats.norm(1, 2), 0.5, 4),
    "Gamma({shape: 2, scale: 4})": _at(stats.gamma(2, scale=4), 0.5, 9),
    "Exponential({a: 2})": _at(stats.expon(scale=1 / 2), 0.5, 3),
    "Binomial({p: 0.3, n: 5})": _at(stats.binom(5, 0.3), 0, 4),
    "RandomInteger({n: 4})": {"0": -math.log(4), "3": -math.log(4)},
    "Categorical({vs: ['a', 'b'], ps: [1, 3]})": _choice('"a"', '"b"'),
    "Discrete({ps: [1, 3]})": _choice("0", "1"),
    "StudentT({df: 3, location: 1, scale: 2})": _at(stats.t(3, 1, 2), 0.5, 4),
    "Delta({v: 2})": {"2": 0.0},
    "normal(1, 2)": _at(stats.norm(1, 2), 0.5, 4),
    "gamma(2, 3)": _at(stats.gamma(2, scale=1 / 3), 0.5, 2),
    "inv_gamma(2, 3)": _at(stats.invgamma(2, scale=3), 0.5, 2),
    "student_t(3, 1, 2)": _at(stats.t(3, 1, 2), 0.5, 4),
    "weibull(2, 3)": _at(stats.weibull_min(2, scale=3), 0.5, 4),
    "double_exponential(1, 2)": _at(stats.laplace(1, 2), 0.5, 4),
    "neg_binomial(2, 3)": _at(stats.nbinom(2, 3 / 4), 0, 3),  # mean 2 / 3, which is a / b
    "neg_binomial_2(2, 3)": _at(stats.nbinom(3, 3 / 5), 0, 3),  # mean 2, variance 2 + 4 / 3
    "categorical([0.25, 0.75])": _choice("0", "1"),
    "bernoulli_logit(0.5)": _at(stats.bernoulli(1 / (1 + math.exp(-0.5))), 0, 1),
    "Normal(mu=1, sigma=2)": _at(stats.norm(1, 2), 0.5, 4),
    "Gamma(alpha=2, beta=3)": _at(stats.gamma(2, scale=1 / 3), 0.5, 2),
    "Gamma(mu=2, sigma=4)": _at(stats.gamma(1 / 4, scale=8), 0.5, 2),
    "Exponential(lam=2)": _at(stats.expon(scale=1 / 2), 0.5, 3),
    "Exponential(scale=2)": _at(stats.expon(scale=2), 0.5, 3),
    "DiscreteUniform(lower=1, upper=6)": {"1": -math.log(6), "6": -math.log(6)},
    "NegativeBinomial(mu=2, alpha=3)": _at(stats.nbinom(3, 3 / 5), 0, 3),
    "Binomial(n=5, p=0.3)": _at(stats.binom(5, 0.3), 0, 4),
    "StudentT(nu=3, mu=1, sigma=2)": _at(stats.t(3, 1, 2), 0.5, 4),
    "Weibull(alpha=2, beta=3)": _at(stats.weibull_min(2, scale=3), 0.5, 4),
    # Anglican
    "(exponential 2)": _at(stats.expon(scale=1 / 2), 0.5, 3),
    "(binomial 5 0.3)": _at(stats.binom(5, 0.3), 0, 4),
    "(student-t 3)": _at(stats.t(3), 0.5, 4),
    "(chi-squared 3)": _at(stats.chi2(3), 0.5, 4),
    "(mvn [0 1] [[2 1] [1 3]])": MVN,
    "(wishart 4 [[2 1] [1 3]])": _on(stats.wishart(4, SIGMA).logpdf, POINT.tolist()),
    "(dirichlet [1 3])": DIRICHLET,
    # Venture
    "(inv_gamma 2 3)": _at(stats.invgamma(2, scale=3), 0.5, 2),
    "(expon 2)": _at(stats.expon(scale=1 / 2), 0.5, 3),
    "(student_t 3 1 2)": _at(stats.t(3, 1, 2), 0.5, 4),
    "(categorical (simplex 0.25 0.75) (array 'a 'b))": _choice("'a", "'b"),
    "(log_flip -1)": {"true": -1.0, "false": math.log1p(-math.exp(-1))},
    # WebPPL
    "Bernoulli({p: 0.3})": {"true": math.log(0.3), "false": math.log(0.7)},
    "Beta({a: 2, b: 3})": _at(stats.beta(2, 3), 0.1, 0.5),
    "Poisson({mu: 3})": _at(stats.poisson(3), 0, 4),
    "Uniform({a: -1, b: 3})": _at(stats.uniform(-1, 4), 0, 2.5),
    "Cauchy({location: 1, scale: 2})": _at(stats.cauchy(1, 2), 0.5, 4),
    "Laplace({location: 1, scale: 2})": _at(stats.laplace(1, 2), 0.5, 4),
    "Dirichlet({alpha: Vector([1, 3])})": DIRICHLET,
    "Multinomial({ps: [0.25, 0.75], n: 3})": MULTINOMIAL,
    "MultivariateGaussian({mu: Vector([0, 1]), cov: Matrix([[2, 1], [1, 3]])})": MVN,
    "DiagCovGaussian({mu: Vector([0, 1]), sigma: Vector([2, 3])})":
        _on(stats.multivariate_normal([0, 1], [[4, 0], [0, 9]]).logpdf, [0.5, 4.0]),
    "Mixture({dists: [Gaussian({mu: 0, sigma: 1}), Gaussian({mu: 3, sigma: 2})], ps: [0.25, 0.75]})": TWO,
    # Stan
    "exponential(2)": _at(stats.expon(scale=1 / 2), 0.5, 3),
    "lognormal(1, 2)": _at(stats.lognorm(2, scale=math.e), 0.5, 4),
    "real<lower=0> s; s ~ cauchy(0, 2)": HALF_CAUCHY,
    "normal(1, 2) T[0, ]": TRUNCATED,
    "logistic(1, 2)": _at(stats.logistic(1, 2), 0.5, 4),
    "pareto(1, 3)": _at(stats.pareto(3, scale=1), 1.5, 4),
    "von_mises(1, 2)": _at(stats.vonmises(2, loc=1), 0.5, -2),
    "chi_square(3)": _at(stats.chi2(3), 0.5, 4),
    "inv_chi_square(3)": {x: float(stats.chi2(3).logpdf(1 / float(x)) - 2 * math.log(float(x))) for x in ("0.5", "2")},
    "scaled_inv_chi_square(3, 2)": {  # 12 over a chi-squared draw
        x: float(stats.chi2(3).logpdf(12 / float(x)) + math.log(12 / float(x) ** 2)) for x in ("0.5", "2")
    },
    "poisson_log(0.5)": _at(stats.poisson(math.exp(0.5)), 0, 4),
    "neg_binomial_2_log(0.5, 3)": _at(stats.nbinom(3, 3 / (3 + math.exp(0.5))), 0, 3),
    "binomial_logit(5, 0.5)": _at(stats.binom(5, 1 / (1 + math.exp(-0.5))), 0, 4),
    "beta_binomial(5, 2, 3)": _at(stats.betabinom(5, 2, 3), 0, 4),
    "hypergeometric(4, 5, 6)": _at(stats.hypergeom(11, 5, 4), 0, 3),
    "multinomial([0.25, 0.75])": MULTINOMIAL,
    "categorical_logit([0, 1])": {"0": -math.log1p(math.e), "1": 1 - math.log1p(math.e)},
    "dirichlet([1, 3])": DIRICHLET,
    "multi_normal([0, 1], [[2, 1], [1, 3]])": MVN,
    "multi_normal_prec([0, 1], [[2, 1], [1, 3]])":
        _on(stats.multivariate_normal([0, 1], np.linalg.inv(SIGMA)).logpdf, [0.5, 0.5]),
    "wishart(4, [[2, 1], [1, 3]])": _on(stats.wishart(4, SIGMA).logpdf, POINT.tolist()),
    "inv_wishart(4, [[2, 1], [1, 3]])": _on(stats.invwishart(4, SIGMA).logpdf, POINT.tolist()),
    "corr_matrix[2] c; c ~ lkj_corr(2)": LKJ,
    # PyMC
    "Normal(mu=1, tau=4)": _at(stats.norm(1, 0.5), 0.5, 4),
    "LogNormal(mu=1, sigma=2)": _at(stats.lognorm(2, scale=math.e), 0.5, 4),
    "Beta(mu=0.3, sigma=0.1)": _at(stats.beta(6, 14), 0.1, 0.5),  # of mean 6 / 20 and variance 0.21 / 21
    "InverseGamma(alpha=2, beta=3)": _at(stats.invgamma(2, scale=3), 0.5, 2),
    "HalfNormal(sigma=2)": _at(stats.halfnorm(scale=2), 0.5, 4),
    "HalfCauchy(beta=2)": HALF_CAUCHY,
    "HalfStudentT(nu=3, sigma=2)": {x: float(stats.t(3, 0, 2).logpdf(float(x)) + math.log(2)) for x in ("0.5", "4")},
    "TruncatedNormal(mu=1, sigma=2, lower=0)": TRUNCATED,
    "Pareto(alpha=3, m=1)": _at(stats.pareto(3, scale=1), 1.5, 4),
    "VonMises(mu=1, kappa=2)": _at(stats.vonmises(2, loc=1), 0.5, -2),
    "NegativeBinomial(n=2, p=0.3)": _at(stats.nbinom(2, 0.3), 0, 3),
    "BetaBinomial(alpha=2, beta=3, n=5)": _at(stats.betabinom(5, 2, 3), 0, 4),
    "HyperGeometric(N=11, k=5, n=4)": _at(stats.hypergeom(11, 5, 4), 0, 3),
    "ZeroInflatedPoisson(psi=0.8, mu=3)": {
        "0": math.log(0.2 + 0.8 * math.exp(-3)), "2": math.log(0.8) + float(stats.poisson(3).logpmf(2))
    },
    "Multinomial(n=3, p=[0.25, 0.75])": MULTINOMIAL,
    "Categorical(p=[0.25, 0.75])": _choice("0", "1"),
    "Bernoulli(p=0.3)": {"1": math.log(0.3), "0": math.log(0.7)},
    "MvNormal(mu=[0, 1], cov=[[2, 1], [1, 3]])": MVN,
    "Mixture(w=[0.25, 0.75], comp_dists=[Normal.dist(0, 1), Normal.dist(3, 2)])": TWO,
    "LKJCorr(n=2, eta=2)": LKJ,
}  # fmt: skip


def test_every_row_is_tested() -> None:
    assert {there for there, _ in ROWS} == set(THERE)


@pytest.mark.parametrize(("there", "here"), ROWS)
def test_the_densities_are_the_same(there: str, here: str) -> None:
    """The evidence of one observe that nothing random reaches is the density."""
    for value, expected in THERE[there].items():
        posterior = pplc.compile_text(f"[observe {here} {value}]\n[predict 1]").infer(
            "importance", particles=1, sweeps=1, seed=1
        )
        assert posterior.log_evidence == pytest.approx(expected, abs=1e-9), value


THREE: Final = {
    "A Poisson regression": ("poisson_regression", {":intercept": "intercept", ":slope": "slope"}),
    "Varying intercepts": ("varying_intercepts", {":mu": "mu", ":between": "between"}),
    "A mixture of two": ("finite_mixture", {":weight": "weight", ":third": "(class 2)"}),
}
"""The models that stand side by side, by their headings: where their answers are, and what Anglican's predicts are."""


@pytest.mark.parametrize("heading", THREE)
def test_models_side_by_side_have_one_answer(heading: str) -> None:
    """All that is run of a model against its exact answer: 20 sweeps, whose errors pass the limit of the table of
    tests/posteriors/test_methods.py in one of a thousand such tables."""
    stem, names = THREE[heading]
    section = TEXT.split(f"### {heading}\n")[1].split("\n##")[0]
    programs = re.findall(r"^```clojure\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert len(programs) >= 2
    for program in programs:
        answer = SOLVERS[stem](1.0)
        labels = pplc.compile_text(program).infer("importance", particles=2, sweeps=1, seed=1).labels
        means = {label: answer.means[names.get(label, label)] for label in labels}
        check(program, "smc", {"particles": 1000, "sweeps": 20}, Answer(means, answer.log_evidence), seed=1)
