"""Distributions made of others: densities against scipy and by sums, draws against densities, lanes against plain ones.

Statistical tests have fixed seeds and fail at a p-value of 1e-4, the rate at which right samplers would fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any, Final

import numpy as np
import pytest
from scipy import integrate, stats

from pplc_runtime.distributions import DISTRIBUTIONS as D
from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.independent import Independent
from pplc_runtime.distributions.lkj import Lkj, LkjCholesky
from pplc_runtime.distributions.mixture import Mixture, ZeroInflated
from pplc_runtime.distributions.tails import TAILS
from pplc_runtime.distributions.truncated import Censored, Truncated

LEAST_P: Final = 1e-4
DRAWS: Final = 20_000
INF: Final = math.inf

SCIPY: Final[dict[str, tuple[tuple[float, ...], Any]]] = {
    "normal": ((0.5, 2.0), stats.norm(0.5, 2.0)),
    "laplace": ((0.5, 2.0), stats.laplace(0.5, 2.0)),
    "logistic": ((0.5, 2.0), stats.logistic(0.5, 2.0)),
    "cauchy": ((0.5, 2.0), stats.cauchy(0.5, 2.0)),
    "student-t": ((3.0, 0.5, 2.0), stats.t(3.0, 0.5, 2.0)),
    "uniform-continuous": ((-1.0, 5.0), stats.uniform(-1.0, 6.0)),
    "exponential": ((0.5,), stats.expon(scale=2.0)),
    "weibull": ((1.7, 2.0), stats.weibull_min(1.7, scale=2.0)),
    "pareto": ((0.4, 1.5), stats.pareto(1.5, scale=0.4)),
    "gamma": ((1.5, 0.5), stats.gamma(1.5, scale=2.0)),
    "chi-squared": ((3.0,), stats.chi2(3.0)),
    "inverse-gamma": ((2.5, 3.0), stats.invgamma(2.5, scale=3.0)),
    "beta": ((1.5, 0.8), stats.beta(1.5, 0.8)),
    "half-normal": ((2.0,), stats.halfnorm(scale=2.0)),
    "half-cauchy": ((2.0,), stats.halfcauchy(scale=2.0)),
    "lognormal": ((0.2, 0.8), stats.lognorm(0.8, scale=math.exp(0.2))),
    "poisson": ((2.5,), stats.poisson(2.5)),
    "binomial": ((9, 0.3), stats.binom(9, 0.3)),
    "negative-binomial": ((2.5, 0.4), stats.nbinom(2.5, 0.4)),
    "geometric": ((0.3,), stats.geom(0.3, loc=-1)),
    "uniform-discrete": ((-2, 7), stats.randint(-2, 7)),
}
BOUNDS: Final = [(0.3, 0.9), (-INF, 0.7), (0.6, INF), (-INF, INF), (-0.5, 4.0)]
GRID: Final = [-INF, -3.0, -0.5, 0.0, 0.1, 0.3, 0.5, 0.6, 0.69, 0.7, 0.9, 1.0, 2.0, 3.0, 4.0, 7.0, INF]


def test_scipy_has_every_family_with_tails() -> None:
    assert set(SCIPY) == set(TAILS)


@pytest.mark.parametrize("name", SCIPY)
def test_tails_are_those_of_scipy(name: str) -> None:
    parameters, reference = SCIPY[name]
    tails = TAILS[name]
    with np.errstate(all="ignore"):
        for x in GRID:
            assert float(np.exp(tails.log_below(x, *parameters))) == pytest.approx(
                reference.cdf(x), rel=1e-9, abs=1e-14
            )
            assert float(np.exp(tails.log_above(x, *parameters))) == pytest.approx(reference.sf(x), rel=1e-9, abs=1e-14)
        for p in (1e-12, 1e-3, 0.2, 0.5, 0.77):
            log_p = np.log(p)
            assert float(tails.from_below(log_p, *parameters)) == pytest.approx(reference.ppf(p), rel=1e-6, abs=1e-9)
            assert float(tails.from_above(log_p, *parameters)) == pytest.approx(reference.isf(p), rel=1e-6, abs=1e-9)


def within(name: str, lower: float, upper: float) -> Callable[[float], float]:
    """The density of scipy between bounds, divided by its mass there."""
    _, reference = SCIPY[name]
    if D[name].discrete:
        mass = reference.cdf(math.floor(upper) if upper < INF else INF) - reference.cdf(
            math.ceil(lower) - 1 if lower > -INF else -INF
        )
        density = reference.logpmf
    else:
        mass, density = reference.cdf(upper) - reference.cdf(lower), reference.logpdf
    return lambda x: float(density(x) - np.log(mass)) if lower <= x <= upper and abs(x) < INF else -INF


@pytest.mark.parametrize("name", SCIPY)
def test_truncated_densities(name: str) -> None:
    parameters, _ = SCIPY[name]
    family = Truncated(D[name])
    for lower, upper in BOUNDS:
        problem = family.problem(*parameters, lower, upper)
        if D[name].discrete and (lower, upper) == (0.3, 0.9):
            assert problem == f"{name} has no mass between the bounds"
            continue
        assert problem is None
        expected = within(name, lower, upper)
        for x in GRID:
            ours = family.log_density(x, *parameters, lower, upper)
            assert type(ours) is float
            assert ours == pytest.approx(expected(x), rel=1e-9, abs=1e-9), (x, lower, upper)


def ways(family: Family, parameters: tuple[Any, ...], seed: int) -> list[Any]:
    """Lanes with shared parameters, lanes with one each, and plain draws one by one."""
    rng = np.random.default_rng(seed)
    varying = [np.stack([np.asarray(p)] * DRAWS, -1) for p in parameters]
    plain = [family.sample(rng, None, *parameters) for _ in range(DRAWS // 20)]
    return [family.sample(rng, DRAWS, *parameters), family.sample(rng, DRAWS, *varying), np.stack(plain, -1)]


def check_counts(draws: Any, values: list[Any], log_mass: Callable[[Any], float]) -> None:
    """Chi-square against the masses, cells of less than five expected draws in one."""
    expected = len(draws) * np.exp([log_mass(v) for v in values])
    counts = np.array([(draws == v).sum() for v in values])
    rare = expected < 5
    observed = np.append(counts[~rare], len(draws) - counts[~rare].sum())
    masses = np.append(expected[~rare], max(len(draws) - expected[~rare].sum(), 1e-9))
    assert counts[expected == 0].sum() == 0
    statistic = ((observed - masses) ** 2 / np.maximum(masses, 1.0)).sum()
    assert stats.chi2.sf(statistic, max(len(masses) - 1, 1)) > LEAST_P


@pytest.mark.parametrize("name", SCIPY)
def test_truncated_draws(name: str) -> None:
    """Kolmogorov-Smirnov, or chi-square; error rate 1e-4 for each of the three ways."""
    parameters, reference = SCIPY[name]
    family = Truncated(D[name])
    for number, (lower, upper) in enumerate([(0.3, 0.95), (0.6, INF), (-INF, 2.0)]):
        if D[name].discrete and not number:
            continue
        for draws in ways(family, (*parameters, lower, upper), number):
            assert ((draws >= lower) & (draws <= upper)).all()
            assert np.isfinite(family.log_density(draws, *parameters, lower, upper)).all()
            if D[name].discrete:
                assert draws.dtype == np.int64
                check_counts(draws, list(range(-3, 60)), lambda k: family.log_density(k, *parameters, lower, upper))  # noqa: B023 # called here
            else:
                below, mass = reference.cdf(lower), reference.cdf(upper) - reference.cdf(lower)
                assert stats.kstest((reference.cdf(draws) - below) / mass, "uniform").pvalue > LEAST_P


def test_far_out_in_a_tail() -> None:
    """Nothing is lost where one minus a probability is zero: a normal beyond 40 deviations, on either side."""
    family = Truncated(D["normal"])
    for sign in (1.0, -1.0):
        bounds = (40.0, INF) if sign > 0 else (-INF, -40.0)
        assert family.problem(0.0, 1.0, *bounds) is None
        expected = stats.norm.logpdf(40.1) - stats.norm.logsf(40.0)
        assert family.log_density(sign * 40.1, 0.0, 1.0, *bounds) == pytest.approx(expected, rel=1e-9)
        draws = sign * family.sample(np.random.default_rng(1), DRAWS, 0.0, 1.0, *bounds)
        # The excess is nearly exponential of rate 40: exactly, its tail is that of the normal.
        tail = np.exp(stats.norm.logsf(draws) - stats.norm.logsf(40.0))
        assert stats.kstest(tail, "uniform").pvalue > LEAST_P


@pytest.mark.parametrize("name", SCIPY)
def test_censored_masses_sum_to_one(name: str) -> None:
    parameters, reference = SCIPY[name]
    family = Censored(D[name])
    lower, upper = (1, 4) if D[name].discrete else (0.45, 0.8)
    at_lower, at_upper = (math.exp(family.log_density(x, *parameters, lower, upper)) for x in (lower, upper))
    assert at_lower == pytest.approx(reference.cdf(lower), rel=1e-9)
    assert at_upper == pytest.approx(reference.sf(upper - D[name].discrete), rel=1e-9)
    between = [math.exp(family.log_density(k, *parameters, lower, upper)) for k in (2, 3)]
    if D[name].discrete:
        assert at_lower + at_upper + sum(between) == pytest.approx(1.0)
    else:
        area = integrate.quad(lambda x: math.exp(family.log_density(x, *parameters, lower, upper)), 0.45, 0.8)[0]
        assert at_lower + at_upper + area == pytest.approx(1.0)
    for x in (-1.0, 5.0, math.nan):
        assert family.log_density(x, *parameters, lower, upper) == -INF
    assert family.log_density(lower, *parameters, -INF, INF) == D[name].log_density(lower, *parameters)


MIXTURES: Final = [
    (("normal", "student-t", "normal"), (np.array([0.2, 0.5, 1.3]), 0.0, 1.0, 3.0, 1.0, 2.0, -4.0, 0.3)),
    (("gamma", "exponential"), (np.array([1.0, 0.0]), 2.0, 1.5, 4.0)),
    (("poisson", "binomial"), (np.array([0.5, 1.5]), 1.5, 6, 0.7)),
    (("flip", "flip"), (np.array([1.0, 3.0]), 0.1, 0.6)),
]


@pytest.mark.parametrize(("names", "parameters"), MIXTURES)
def test_mixtures(names: tuple[str, ...], parameters: tuple[Any, ...]) -> None:
    """The density is the weighted sum; draws by chi-square over bins or values, error rate 1e-4 a way."""
    family = Mixture(tuple(D[name] for name in names))
    weights = parameters[0] / parameters[0].sum()

    def density(x: Any) -> float:
        return math.fsum(
            w * math.exp(D[name].log_density(x, *own)) for w, name, own in zip(weights, names, family.split(parameters))
        )

    values: list[Any] = [-5.0, -3.9, 0.0, 0.4, 1.0, 2.0, 5.0, 7.5, INF] if names[0] != "flip" else [True, False]
    for x in values:
        assert math.exp(family.log_density(x, *parameters)) == pytest.approx(density(x), rel=1e-12)
    for draws in ways(family, parameters, 3):
        if names[0] == "poisson":
            check_counts(draws, list(range(-1, 30)), lambda k: math.log(density(k)) if density(k) else -INF)
        elif names[0] == "flip":
            check_counts(draws, [True, False], lambda x: math.log(density(x)))
        else:
            cdf = np.zeros(len(draws))
            for w, name, own in zip(weights, names, family.split(parameters)):
                cdf += w * np.exp(TAILS[name].log_below(draws, *own))
            assert stats.kstest(cdf, "uniform").pvalue > LEAST_P


def test_zero_inflated() -> None:
    family = ZeroInflated(D["poisson"])
    masses = [math.exp(family.log_density(k, 0.3, 2.0)) for k in range(60)]
    assert masses[0] == pytest.approx(0.3 + 0.7 * math.exp(-2.0))
    assert masses[3] == pytest.approx(0.7 * stats.poisson.pmf(3, 2.0))
    assert math.fsum(masses) == pytest.approx(1.0)
    assert family.log_density(0, 0.0, 2.0) == pytest.approx(-2.0)
    assert [family.log_density(k, 1.0, 2.0) for k in (0, 1)] == [0.0, -INF]
    for draws in ways(family, (0.3, 2.0), 4):
        check_counts(draws, list(range(-1, 30)), lambda k: family.log_density(k, 0.3, 2.0))


def test_independent_components() -> None:
    """Each component has its own law, and they are uncorrelated; error rate 1e-4 each."""
    mean, sd = np.array([0.0, 2.0, -1.0]), 0.5
    family = Independent(D["normal"], 3, (True, False))
    x = np.array([0.1, 2.2, -1.5])
    assert family.log_density(x, mean, sd) == pytest.approx(float(np.sum(stats.norm.logpdf(x, mean, sd))), rel=1e-12)
    assert family.log_density(np.array([0.1, INF, 0.0]), mean, sd) == -INF
    assert family.log_density(np.zeros(2), mean, sd) == -INF
    assert isinstance(family.problem(np.zeros(2), sd), str)
    for draws in ways(family, (mean, sd), 5):
        for component, center in zip(draws, mean):
            assert stats.kstest(component, stats.norm(center, sd).cdf).pvalue > LEAST_P
        for i, j in ((0, 1), (0, 2), (1, 2)):
            assert stats.pearsonr(draws[i], draws[j]).pvalue > LEAST_P


COMPOSITES: Final[list[tuple[Family, tuple[Any, ...], Any]]] = [
    (Truncated(D["normal"]), (0.5, 1.0, 0.0, INF), 0.7),
    (Truncated(D["binomial"]), (9, 0.4, 1, 5.5), 3),
    (Censored(D["gamma"]), (2.0, 1.0, 0.5, 2.0), 0.5),
    (Mixture((D["normal"], D["cauchy"])), (np.array([1.0, 2.0]), 0.0, 1.0, 2.0, 0.5), 0.3),
    (ZeroInflated(D["poisson"]), (0.2, 2.0), 0),
    (Independent(D["normal"], 2, (True, False)), (np.array([0.0, 1.0]), 0.5), np.array([0.2, 0.4])),
    (Independent(D["beta"], 2, (True, True)), (np.array([2.0, 1.0]), np.array([1.5, 1.0])), np.array([0.2, 0.4])),
    (Independent(D["poisson"], 2, (False,)), (2.0,), np.array([1, 3])),
    (Independent(D["discrete"], 2, (False,)), (np.array([1.0, 2.0, 1.0]),), np.array([0, 2])),
    (Independent(D["mvn"], 2, (False, False)), (np.zeros(2), np.eye(2) + 0.3), np.array([[0.2, 1.0], [0.4, 0.0]])),
    (Independent(Mixture((D["normal"], D["normal"])), 2, (False,) * 5), (np.ones(2), 0.0, 1.0, 2.0, 0.5),
     np.array([0.2, 0.4])),
    (LkjCholesky(2), (1.5,), np.array([[1.0, 0.0], [0.6, 0.8]])),
    (Lkj(2), (1.5,), np.array([[1.0, 0.6], [0.6, 1.0]])),
]  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("family", "parameters", "value"), COMPOSITES, ids=lambda x: getattr(x, "name", ""))
def test_lanes_are_plain_ones_side_by_side(family: Family, parameters: tuple[Any, ...], value: Any) -> None:
    """Whichever of value and parameters are shared; the parameters of lanes differ."""
    assert family.problem(*parameters) is None
    rng = np.random.default_rng(6)
    plain = family.sample(rng, None, *parameters)
    assert np.shape(plain) == np.shape(value)
    shapes = [np.shape(x) for x in parameters]
    assert family.event_shape(*shapes) == np.shape(value)
    values = np.moveaxis(np.stack([value, plain, value]), 0, -1)
    shift = np.array([1.0, 1.1, 1.0])
    for varies in product((False, True), repeat=len(parameters)):
        lanes = [np.stack([np.asarray(p)] * 3, -1) if v else p for p, v in zip(parameters, varies)]
        if varies[0] and np.asarray(parameters[0]).dtype.kind == "f" and np.ndim(parameters[0]) < 2:
            lanes[0] = np.asarray(lanes[0]) * shift
        ones = [[x[..., lane] if v else x for x, v in zip(lanes, varies)] for lane in range(3)]
        ones = [[x.item() if np.ndim(x) == 0 and v else x for x, v in zip(one, varies)] for one in ones]
        single = [values[..., lane].copy() if values.ndim > 1 else values[lane].item() for lane in range(3)]
        expected = [family.log_density(x, *one) for x, one in zip(single, ones)]
        np.testing.assert_allclose(family.log_density(values, *lanes), expected, rtol=1e-9)
        if any(varies):
            shared = [family.log_density(value, *one) for one in ones]
            np.testing.assert_allclose(family.log_density(value, *lanes), shared, rtol=1e-9)
        assert family.sample(rng, 3, *lanes).shape == (*np.shape(value), 3)


@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.parametrize("eta", [0.5, 1.0, 3.0])
def test_lkj_draws(d: int, eta: float) -> None:
    """Every correlation r has (r + 1) / 2 beta of b and b, where b = eta + (d - 2) / 2; error rate 1e-4 each."""
    b = eta + 0.5 * (d - 2)
    for family in (Lkj(d), LkjCholesky(d)):
        for draws in ways(family, (eta,), d):
            matrices = draws if type(family) is Lkj else np.einsum("ikl,jkl->ijl", draws, draws)
            for i in range(d):
                for j in range(i):
                    assert stats.kstest(0.5 * (matrices[i, j] + 1.0), stats.beta(b, b).cdf).pvalue > LEAST_P
            assert np.isfinite(family.log_density(draws, eta)).all()


def test_lkj_densities() -> None:
    """Of size 2 the correlation is beta. Of size 3 the density integrates to one, over the factor as well."""
    for eta in (0.7, 1.0, 4.0):
        for r in (-0.9, 0.0, 0.5):
            matrix = np.array([[1.0, r], [r, 1.0]])
            expected = stats.beta.logpdf(0.5 * (r + 1.0), eta, eta) - math.log(2.0)
            assert Lkj(2).log_density(matrix, eta) == pytest.approx(expected)
            root = np.linalg.cholesky(matrix)
            assert LkjCholesky(2).log_density(root, eta) == pytest.approx(expected)
    axis = np.linspace(-1.0, 1.0, 81)
    axis = 0.5 * (axis[1:] + axis[:-1])
    a, b, c = (x.ravel() for x in np.meshgrid(axis, axis, axis))
    possible = 1.0 + 2.0 * a * b * c - a * a - b * b - c * c > 1e-9
    a, b, c = a[possible], b[possible], c[possible]
    ones = np.ones(len(a))
    matrices = np.array([[ones, a, b], [a, ones, c], [b, c, ones]])
    for eta in (1.0, 2.5):
        total = np.exp(Lkj(3).log_density(matrices, eta)).sum() * (axis[1] - axis[0]) ** 3
        assert total == pytest.approx(1.0, rel=0.01)
    # L has the density of R times the Jacobian: for size 3 that is L_11.
    root = np.linalg.cholesky(np.array([[1.0, 0.3, -0.2], [0.3, 1.0, 0.5], [-0.2, 0.5, 1.0]]))
    gained = LkjCholesky(3).log_density(root, 1.7) - Lkj(3).log_density(root @ root.T, 1.7)
    assert gained == pytest.approx(math.log(root[1, 1]))
    for wrong in (np.eye(2), 2 * np.eye(3), np.full((3, 3), math.nan), -np.eye(3), np.ones((3, 3))):
        assert Lkj(3).log_density(wrong, 1.0) == -INF
        assert LkjCholesky(3).log_density(wrong, 1.0) == -INF
