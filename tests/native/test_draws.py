"""Random numbers by key: the generator is the published one, and samplers have the laws of their families.

Each test of a law has an error rate of 1e-4, by fixed seeds.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from pplc_runtime.machine import generator
from pplc_runtime.machine.language import signatures
from pplc_runtime.machine.machine import Interpreted, Machine, array, is_available
from pplc_runtime.native import resample
from pplc_runtime.native.library import TEXT

RATE = 1e-4
NUMBER = 40_000
CONTINUOUS: dict[str, list[tuple[tuple[float, ...], Any]]] = {
    "draw_normal": [((1.0, 2.0), stats.norm(1.0, 2.0))],
    "draw_half_normal": [((2.0,), stats.halfnorm(scale=2.0))],
    "draw_half_cauchy": [((0.5,), stats.halfcauchy(scale=0.5))],
    "draw_pareto": [((2.0, 1.5), stats.pareto(1.5, scale=2.0))],
    "draw_lognormal": [((0.5, 0.7), stats.lognorm(0.7, scale=np.exp(0.5)))],
    "draw_gamma": [((a, 3.0), stats.gamma(a, scale=1 / 3)) for a in (0.05, 0.4, 1.0, 2.5, 80.0)],
    "draw_inverse_gamma": [((2.5, 3.0), stats.invgamma(2.5, scale=3.0))],
    "draw_chi_squared": [((3.0,), stats.chi2(3.0))],
    "draw_beta": [((a, b), stats.beta(a, b)) for a, b in ((0.3, 0.6), (0.5, 4.0), (2.0, 3.0), (1.0, 1.0))],
    "draw_exponential": [((2.0,), stats.expon(scale=0.5))],
    "draw_weibull": [((1.5, 2.0), stats.weibull_min(1.5, scale=2.0))],
    "draw_laplace": [((1.0, 0.5), stats.laplace(1.0, 0.5))],
    "draw_student_t": [((3.0, 1.0, 2.0), stats.t(3.0, 1.0, 2.0))],
    "draw_cauchy": [((1.0, 2.0), stats.cauchy(1.0, 2.0))],
    "draw_logistic": [((-1.0, 2.0), stats.logistic(-1.0, 2.0))],
    "draw_uniform_continuous": [((-1.0, 4.0), stats.uniform(-1.0, 5.0))],
}
DISCRETE: dict[str, list[tuple[tuple[float, ...], Any]]] = {
    "draw_flip": [((0.3,), stats.bernoulli(0.3))],
    "draw_bernoulli": [((0.3,), stats.bernoulli(0.3))],
    "draw_flip_logit": [((0.7,), stats.bernoulli(special.expit(0.7)))],
    "draw_bernoulli_logit": [((-1.0,), stats.bernoulli(special.expit(-1.0)))],
    "draw_uniform_discrete": [((-2.0, 5.0), stats.randint(-2, 5))],
    "draw_poisson": [((rate,), stats.poisson(rate)) for rate in (0.2, 4.0, 9.9, 10.1, 300.0)],
    "draw_binomial": [((n, p), stats.binom(n, p)) for n, p in ((5.0, 0.2), (30.0, 0.9), (100.0, 0.4), (1000.0, 0.7))],
    "draw_binomial_logit": [((20.0, 0.5), stats.binom(20, special.expit(0.5)))],
    "draw_beta_binomial": [((12.0, a, b), stats.betabinom(12, a, b)) for a, b in ((0.5, 0.7), (2.0, 3.0))],
    "draw_negative_binomial": [((r, p), stats.nbinom(r, p)) for r, p in ((0.3, 0.4), (5.0, 0.2))],
    "draw_geometric": [((0.3,), stats.geom(0.3, loc=-1))],
}
CASES = [(name, *case) for table in (CONTINUOUS, DISCRETE) for name, rows in table.items() for case in rows]


def filled(name: str, parameters: tuple[float, ...], key: tuple[int, int] = (11, 12)) -> Any:
    """A draw for each of many particles."""
    given = ", ".join(map(repr, parameters))
    text = f"{TEXT}\ndef fill(n: int, k0: int, k1: int, x: floats) -> None:\n    for i in range(n):\n"
    text += f"        x[i] = {name}(k0, k1, 77, i << 16{', ' if given else ''}{given})\n"
    x = np.zeros(NUMBER)
    Machine(text, frozenset({"fill"}))["fill"](NUMBER, *key, array(x))
    return x


def test_every_sampler_is_here() -> None:
    found = signatures(TEXT)
    samplers = {name for name in found if name.startswith("draw_") and found[name].parameters[0] == "int"}
    assert samplers == CONTINUOUS.keys() | DISCRETE.keys()


def test_the_generator_is_the_published_one() -> None:
    """Threefry-2x64 with 13 rounds, all zeros: the first word of the known answer."""
    assert Interpreted(TEXT, frozenset({"bits"}))["bits"](0, 0, 0, 0) == 0xF167B032C3B480BD


@pytest.mark.skipif(not is_available(), reason="no llvmlite")
@pytest.mark.parametrize(("name", "parameters", "law"), CASES, ids=lambda case: str(case)[:30])
def test_laws(name: str, parameters: tuple[float, ...], law: Any) -> None:
    x = filled(name, parameters)
    if name in CONTINUOUS:
        assert stats.kstest(x, law.cdf).pvalue > RATE
        return
    low, high = int(law.ppf(1e-3)), int(law.ppf(1 - 1e-3))
    edges = np.arange(low, high + 1)
    expected = np.array([law.cdf(low), *law.pmf(edges[1:]), law.sf(high)]) * NUMBER
    counts = np.array([(x <= low).sum(), *((x == edge).sum() for edge in edges[1:]), (x > high).sum()])
    merged = expected > 5
    table = [*counts[merged], counts[~merged].sum()], [*expected[merged], max(expected[~merged].sum(), 1e-300)]
    rows = slice(None) if expected[~merged].sum() > 5 else slice(-1)
    scale = np.sum(table[0][rows]) / np.sum(table[1][rows])
    if len(table[0][rows]) > 1:
        assert stats.chisquare(table[0][rows], np.array(table[1][rows]) * scale).pvalue > RATE


@pytest.mark.skipif(not is_available(), reason="no llvmlite")
def test_the_machine_draws_what_cpython_draws() -> None:
    names = frozenset({name for name in signatures(TEXT) if name.startswith("draw_")})
    machine, slow = Machine(TEXT, names), Interpreted(TEXT, names)
    with np.errstate(all="ignore"):
        for name, parameters, _ in CASES:
            for slot in range(20):
                one, other = (engine[name](3, 4, 5, slot << 16, *parameters) for engine in (machine, slow))
                assert one == pytest.approx(other, rel=1e-12)


@pytest.mark.skipif(not is_available(), reason="no llvmlite")
def test_neighbours_are_independent() -> None:
    """Normals of neighbouring particles, addresses, keys and counters: correlations and a portmanteau of runs."""
    text = f"""{TEXT}
def fill(n: int, x: floats) -> None:
    for i in range(n):
        x[i] = normal(1, 2, 3, i << 16)
        x[n + i] = normal(1, 2, 4 + i, 0)
        x[2 * n + i] = normal(1, 3 + i, 3, 0)
        x[3 * n + i] = normal(5 + i, 2, 3, 0)
        x[4 * n + i] = normal(9, 9, 9, i)
"""
    x = np.zeros(5 * NUMBER)
    Machine(text, frozenset({"fill"}))["fill"](NUMBER, array(x))
    rows = x.reshape(5, NUMBER)
    for row in rows:
        assert stats.kstest(row, "norm").pvalue > RATE
        for lag in (1, 2, 3, 7, 64):
            r = np.corrcoef(row[lag:], row[:-lag])[0, 1] * np.sqrt(NUMBER)
            s = np.corrcoef(row[lag:] ** 2, row[:-lag] ** 2)[0, 1] * np.sqrt(NUMBER)
            assert max(abs(r), abs(s)) < stats.norm.isf(RATE / 100)
    for i in range(5):
        for j in range(i):
            assert abs(np.corrcoef(rows[i], rows[j])[0, 1]) * np.sqrt(NUMBER) < stats.norm.isf(RATE / 100)


def test_quantiles() -> None:
    p = np.array([1e-300, 1e-100, 1e-20, 1e-5, 0.01, 0.0749, 0.0751, 0.2, 0.5, 0.7, 0.99, 1 - 1e-12])
    engine = Interpreted(TEXT, frozenset({"normal_quantile"}))
    np.testing.assert_allclose([engine["normal_quantile"](float(each)) for each in p], special.ndtri(p), rtol=1e-14)


def test_normals_are_quantiles() -> None:
    """Of the numbers that the generator can give, those at the ends of all pieces of the table and some between."""
    ends = {(64 + piece) << (length - 7) for length in range(46, 52) for piece in range(64)}
    near = {end + step for end in ends for step in (-1, 0, 1)} | {0, 1, 1 << 30, (1 << 51) - 1}
    near |= {int(r) for r in np.random.default_rng(1).integers(0, 1 << 51, 500)}
    lower = sorted(r for r in near if r < 1 << 51)
    space = dict(vars(generator))
    exec("from __future__ import annotations\n" + inspect.getsource(generator.normal_by), space)
    for r in [*lower, *((1 << 52) - 1 - r for r in lower)]:
        found = space["normal_by"](r << 12)
        p = (min(r, (1 << 52) - 1 - r) + 0.5) * 2.0**-52
        assert found == pytest.approx(special.ndtri(p) if r < 1 << 51 else -special.ndtri(p), rel=2e-15, abs=6e-15)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 257])
def test_ancestors_are_those_of_a_search(count: int) -> None:
    """Whatever the weights: equal ones, zeros at either end, and all but one tiny. Indices are checked."""
    rng = np.random.default_rng(count)
    text = "\n".join(inspect.getsource(module) for module in (generator, resample))
    draw = Interpreted(text, frozenset({"draw_ancestors"}))["draw_ancestors"]
    tiny = np.full(count, 1e-40)
    tiny[rng.integers(count)] = 1.0
    for weights in (
        np.ones(count),
        rng.random(count) ** 9,
        np.r_[np.zeros(count - 1), 1.0],
        np.r_[1.0, np.zeros(count - 1)],
        tiny,
    ):
        ends, guide, found = np.zeros(count), np.zeros(4 * count + 1, np.int64), np.zeros(count, np.int64)
        draw(count, weights, ends, guide, found, 3, 4, 5)
        sums = np.cumsum(weights)
        points = [generator.uniform(3, 4, 1, (5 << 40) + (i << 16)) * sums[-1] for i in range(count)]
        wanted = np.minimum(np.searchsorted(sums, points, side="right"), count - 1)
        assert found.tolist() == wanted.tolist()
