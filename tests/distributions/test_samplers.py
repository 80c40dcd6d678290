"""Samplers against their own densities and distribution functions, with fixed seeds.

Each test draws with a fixed seed and fails if a p-value is below 1e-4: with seeds at random, a right sampler
would fail such a test once in ten thousand times, and one of some 200 tests would fail in one run of fifty.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.distributions.base import Family
from pplc_runtime.engine.numbers import Numbers
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.numerics.keys import Key

LEAST_P = 1e-4
DRAWS = 20_000

CONTINUOUS: list[tuple[str, tuple[float, ...], Any]] = [
    ("normal", (1.5, 0.3), stats.norm(1.5, 0.3)),
    ("lognormal", (0.5, 2.0), stats.lognorm(2.0, scale=math.exp(0.5))),
    ("gamma", (0.3, 2.0), stats.gamma(0.3, scale=0.5)),
    ("gamma", (7.0, 0.1), stats.gamma(7.0, scale=10.0)),
    ("inverse-gamma", (2.5, 3.0), stats.invgamma(2.5, scale=3.0)),
    ("chi-squared", (3.0,), stats.chi2(3.0)),
    ("beta", (0.5, 2.0), stats.beta(0.5, 2.0)),
    ("beta", (3.0, 4.0), stats.beta(3.0, 4.0)),
    ("exponential", (4.0,), stats.expon(scale=0.25)),
    ("weibull", (0.7, 3.0), stats.weibull_min(0.7, scale=3.0)),
    ("weibull", (2.0, 3.0), stats.weibull_min(2.0, scale=3.0)),
    ("half-normal", (2.0,), stats.halfnorm(scale=2.0)),
    ("half-cauchy", (2.0,), stats.halfcauchy(scale=2.0)),
    ("logistic", (-1.0, 2.0), stats.logistic(-1.0, 2.0)),
    ("pareto", (2.0, 1.5), stats.pareto(1.5, scale=2.0)),
    ("von-mises", (0.0, 1.5), stats.vonmises(1.5)),
    ("laplace", (-1.0, 2.0), stats.laplace(-1.0, 2.0)),
    ("student-t", (2.5, 1.0, 3.0), stats.t(2.5, 1.0, 3.0)),
    ("cauchy", (1.0, 3.0), stats.cauchy(1.0, 3.0)),
    ("uniform-continuous", (-1.0, 3.0), stats.uniform(-1.0, 4.0)),
]

INTEGERS: list[tuple[str, tuple[Any, ...]]] = [
    ("flip", (0.3,)),
    ("bernoulli", (0.8,)),
    ("poisson", (3.5,)),
    ("binomial", (9, 0.3)),
    ("binomial", (9.0, 1.0)),
    ("beta-binomial", (9, 0.7, 2.0)),
    ("hypergeometric", (5, 7, 6)),
    ("hypergeometric", (5.0, 7.0, 11.0)),
    ("negative-binomial", (2.5, 0.4)),
    ("negative-binomial", (2.5, 1.0)),
    ("geometric", (0.3,)),
    ("geometric", (1.0,)),
    ("uniform-discrete", (-2, 3)),
    ("uniform-discrete", (-2.0, 3.0)),
    ("discrete", (np.array([3.0, 0.0, 1.0, 4.0]),)),
    ("discrete", (np.array([0, 2, 5, 0, 0]),)),
]


def draws_in_three_ways(family: Family, parameters: tuple[Any, ...], seed: int) -> list[Any]:
    """Lanes with shared parameters, lanes with one each, and plain draws one by one: of the same address, they are the
    same draws, whoever is drawn for together."""
    numbers: Any = Numbers(Key.of(seed), DRAWS)
    frame, first, second = Frame.first(DRAWS), At()[1], At()[2]
    varying = [np.stack([np.asarray(p)] * DRAWS, -1) for p in parameters]
    plain = np.stack([family.sample(numbers.alone(second, i), None, *parameters) for i in range(DRAWS // 40)], -1)
    shared = family.sample(numbers.at(first, frame), DRAWS, *parameters)
    apart = family.sample(numbers.at(second, frame), DRAWS, *varying)
    again = family.sample(numbers.at(second, frame), DRAWS, *parameters)
    for same in (apart, again):
        np.testing.assert_allclose(same[..., : plain.shape[-1]], plain, rtol=1e-9)
    return [shared, apart, plain]


@pytest.mark.parametrize(("name", "parameters", "reference"), CONTINUOUS)
def test_continuous_draws(name: str, parameters: tuple[float, ...], reference: Any) -> None:
    """Kolmogorov-Smirnov; error rate 1e-4 for each of the three ways."""
    family = DISTRIBUTIONS[name]
    for draws in draws_in_three_ways(family, parameters, 1):
        assert draws.dtype == np.float64
        assert draws.ndim == 1
        assert stats.kstest(draws, reference.cdf).pvalue > LEAST_P
        assert np.isfinite(family.log_density(draws, *parameters)).all()


@pytest.mark.parametrize(("name", "parameters"), INTEGERS)
def test_draws_of_integers(name: str, parameters: tuple[Any, ...]) -> None:
    """Chi-square against the masses, cells of less than five expected draws in one; error rate 1e-4 a way."""
    family = DISTRIBUTIONS[name]
    for draws in draws_in_three_ways(family, parameters, 2):
        assert draws.dtype == (np.bool_ if name == "flip" else np.int64)
        values = [False, True] if name == "flip" else list(range(-3, 60))
        expected = len(draws) * np.exp([family.log_density(v, *parameters) for v in values])
        assert expected.sum() == pytest.approx(len(draws))
        counts = np.array([(draws == v).sum() for v in values])
        assert counts.sum() == len(draws)
        assert counts[expected == 0].sum() == 0
        rare = expected < 5
        observed = np.append(counts[~rare], counts[rare].sum())
        masses = np.append(expected[~rare], expected[rare].sum())
        statistic = ((observed - masses) ** 2 / np.maximum(masses, 1e-9)).sum()
        assert stats.chi2.sf(statistic, max(len(masses) - 1, 1)) > LEAST_P


@pytest.mark.parametrize("alpha", [[0.5, 2.0, 1.0], [0.02, 0.05, 0.01], [0.2, 4.0]])
def test_dirichlet_draws(alpha: list[float]) -> None:
    """Each component is beta: Kolmogorov-Smirnov, error rate 1e-4 each. Tiny draws have a finite density."""
    family, a = DISTRIBUTIONS["dirichlet"], np.array(alpha)
    for draws in draws_in_three_ways(family, (a,), 3):
        assert draws.shape[0] == len(a)
        np.testing.assert_allclose(draws.sum(0), 1.0, atol=1e-12)
        assert np.isfinite(family.log_density(draws, a)).all()
        for component, x in zip(draws, a):
            # Of a tiny alpha, much of the mass is next to 0 and to 1: compare away from the rounding there.
            marginal = stats.beta(x, a.sum() - x)
            below, above = marginal.cdf(1e-300), marginal.sf(1 - 1e-12)
            assert (component < 1e-300).mean() == pytest.approx(below, abs=4 * len(component) ** -0.5)
            assert (component > 1 - 1e-12).mean() == pytest.approx(above, abs=4 * len(component) ** -0.5)
            middle = component[(component >= 1e-300) & (component <= 1 - 1e-12)]
            p = stats.kstest((marginal.cdf(middle) - below) / (1 - below - above), "uniform").pvalue
            assert p > LEAST_P


def test_multinomial_draws() -> None:
    """Chi-square over all vectors of counts; error rate 1e-4 for each of the three ways."""
    family, weights = DISTRIBUTIONS["multinomial"], np.array([2.0, 1.0, 0.0, 3.0])
    cells = [(i, j, 0, 3 - i - j) for i in range(4) for j in range(4 - i)]
    for draws in draws_in_three_ways(family, (3, weights), 4):
        assert draws.dtype == np.int64
        expected = draws.shape[1] * np.exp([family.log_density(np.array(c), 3, weights) for c in cells])
        counts = [(c == draws.T).all(1).sum() for c in cells]
        result = stats.chisquare(counts, expected)
        assert result.pvalue > LEAST_P


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("diagonal", [False, True])
def test_mvn_draws(d: int, diagonal: bool) -> None:
    """z'z of whitened draws is chi-squared, and so are those of projections; error rate 1e-4 each."""
    rng = np.random.default_rng(d)
    a = rng.standard_normal((d, d + 1))
    covariance = np.diag(rng.random(d) + 0.1) if diagonal else a @ a.T
    mean = rng.standard_normal(d)
    for draws in draws_in_three_ways(DISTRIBUTIONS["mvn"], (mean, covariance), 5):
        centred = draws - mean[:, None]
        squares = (centred * np.linalg.solve(covariance, centred)).sum(0)
        assert stats.kstest(squares, stats.chi2(d).cdf).pvalue > LEAST_P
        for direction in np.random.default_rng(6).standard_normal((3, d)):
            sd = math.sqrt(direction @ covariance @ direction)
            assert stats.kstest(direction @ centred / sd, "norm").pvalue > LEAST_P


@pytest.mark.parametrize("d", [1, 2, 4])
def test_wishart_draws(d: int) -> None:
    """c'Xc / c'Vc is chi-squared of df; c'inv(V)c / c'inv(X)c of df - d + 1; error rate 1e-4 each."""
    rng = np.random.default_rng(d)
    a = rng.standard_normal((d, d + 1))
    scale, df = a @ a.T, d + 1.5
    for draws in draws_in_three_ways(DISTRIBUTIONS["wishart"], (df, scale), 7):
        assert draws.shape[:2] == (d, d)
        assert np.isfinite(DISTRIBUTIONS["wishart"].log_density(draws, df, scale)).all()
        inverses = np.linalg.inv(draws.transpose(2, 0, 1))
        for c in rng.standard_normal((2, d)):
            forms = np.einsum("i,ijl,j->l", c, draws, c) / (c @ scale @ c)
            assert stats.kstest(forms, stats.chi2(df).cdf).pvalue > LEAST_P
            forms = (c @ np.linalg.solve(scale, c)) / np.einsum("i,lij,j->l", c, inverses, c)
            assert stats.kstest(forms, stats.chi2(df - d + 1).cdf).pvalue > LEAST_P


@pytest.mark.parametrize("d", [1, 2, 4])
def test_inverse_wishart_draws(d: int) -> None:
    """Their inverses are Wishart draws: quadratic forms are chi-squared; error rate 1e-4 each."""
    rng = np.random.default_rng(d)
    a = rng.standard_normal((d, d + 1))
    scale, df = a @ a.T, d + 1.5
    for draws in draws_in_three_ways(DISTRIBUTIONS["inverse-wishart"], (df, scale), 7):
        assert np.isfinite(DISTRIBUTIONS["inverse-wishart"].log_density(draws, df, scale)).all()
        inverses = np.linalg.inv(draws.transpose(2, 0, 1))
        for c in rng.standard_normal((2, d)):
            forms = np.einsum("i,lij,j->l", c, inverses, c) / (c @ np.linalg.solve(scale, c))
            assert stats.kstest(forms, stats.chi2(df).cdf).pvalue > LEAST_P
            forms = (c @ scale @ c) / np.einsum("i,ijl,j->l", c, draws, c)
            assert stats.kstest(forms, stats.chi2(df - d + 1).cdf).pvalue > LEAST_P


def test_angles_about_any_mean() -> None:
    """A von Mises draw, turned back by its mean; Kolmogorov-Smirnov, error rate 1e-4 each."""
    for draws in draws_in_three_ways(DISTRIBUTIONS["von-mises"], (2.5, 1.5), 10):
        assert (abs(draws) <= math.pi).all()
        turned = (draws - 2.5 + math.pi) % (2 * math.pi) - math.pi
        assert stats.kstest(turned, stats.vonmises(1.5).cdf).pvalue > LEAST_P


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("gamma", (1e-3, 1e3)),
        ("inverse-gamma", (1e-3, 1e3)),
        ("chi-squared", (1e-3,)),
        ("beta", (1e-3, 1e-3)),
        ("beta", (1e-3, 50.0)),
        ("weibull", (1e-3, 1e3)),
        ("lognormal", (0.0, 1e4)),
        ("student-t", (1e-3, 0.0, 1.0)),
        ("pareto", (1e3, 1e-3)),
        ("beta-binomial", (2**40, 1e-3, 1e-3)),
        ("negative-binomial", (1e-3, 0.5)),
        ("negative-binomial", (5.0, 1e-300)),
        ("geometric", (1e-300,)),
        ("poisson", (1e18,)),
        ("poisson", (0.0,)),
        ("binomial", (2**53, 0.5)),
        ("dirichlet", (np.array([1e-3, 1e-4, 2.0]),)),
        ("discrete", (np.array([1e-300, 1e300, 0.0]),)),
    ],
)
def test_extreme_draws_have_a_finite_density(name: str, parameters: tuple[Any, ...]) -> None:
    family = DISTRIBUTIONS[name]
    rng = np.random.default_rng(8)
    draws = family.sample(rng, 1000, *parameters)
    assert np.isfinite(draws).all()
    assert np.isfinite(family.log_density(draws, *parameters)).all()
    varying = family.sample(rng, 10, *(np.stack([np.asarray(p)] * 10, -1) for p in parameters))
    assert np.isfinite(family.log_density(varying, *parameters)).all()
    plain = [family.sample(rng, None, *parameters) for _ in range(100)]
    assert np.isfinite([family.log_density(x, *parameters) for x in plain]).all()


PLAIN_TYPES = {"number": float, "integer": int, "boolean": bool, "vector": np.ndarray, "matrix": np.ndarray}
SOME_PARAMETERS: list[tuple[str, tuple[Any, ...]]] = [
    *((name, parameters) for name, parameters, _ in CONTINUOUS),
    *INTEGERS,
    ("normal", (1, 2)),
    ("mvn", (np.arange(2), np.eye(2))),
    ("wishart", (4, np.eye(2))),
    ("inverse-wishart", (4, np.eye(2))),
    ("dirichlet", (np.ones(2),)),
    ("multinomial", (4, np.ones(2))),
]


@pytest.mark.parametrize(("name", "parameters"), SOME_PARAMETERS)
def test_shapes_and_types(name: str, parameters: tuple[Any, ...]) -> None:
    family, rng = DISTRIBUTIONS[name], np.random.default_rng(9)
    event = (2,) * family.event_rank
    plain = family.sample(rng, None, *parameters)
    assert np.shape(plain) == event
    assert type(plain) is PLAIN_TYPES[family.value_kind]
    for varies in np.ndindex(*(2,) * len(parameters)):
        mixed = [np.stack([np.asarray(p)] * 7, -1) if v else p for p, v in zip(parameters, varies)]
        assert family.sample(rng, 7, *mixed).shape == (*event, 7)
