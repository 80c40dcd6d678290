"""Log densities of plain values against scipy.stats, and by hand at the edges. Warnings are errors."""

from __future__ import annotations

import math
import warnings
from math import inf, log
from typing import Any

import numpy as np
import pytest

from pplc_runtime.distributions import ALIASES, DEFAULTS, DISTRIBUTIONS

from .cases import ALL_CASES, Case, label

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("case", ALL_CASES, ids=label)
def test_plain_densities_are_those_of_scipy(case: Case) -> None:
    family = DISTRIBUTIONS[case.family]
    for parameters in case.parameters:
        assert family.problem(*parameters) is None
        for value in case.values:
            ours = family.log_density(value, *parameters)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                reference = float(case.reference(value, *parameters))
            if math.isnan(reference) and value in (inf, -inf):
                reference = -inf  # where scipy's formula is inf - inf
            assert type(ours) is float, (value, parameters)
            assert ours == pytest.approx(reference, rel=1e-9, abs=1e-9), (value, parameters)


@pytest.mark.parametrize(
    ("family", "value", "parameters", "expected"),
    [
        ("beta", 0.0, (1.0, 3.0), log(3)),
        ("beta", 1.0, (3.0, 1.0), log(3)),
        ("beta", 0, (1.0, 1.0), 0.0),
        ("beta", 0.0, (0.5, 2.0), inf),
        ("beta", 1.0, (2.0, 0.5), inf),
        ("gamma", 0.0, (1.0, 2.5), log(2.5)),
        ("gamma", 0.0, (0.5, 2.5), inf),
        ("gamma", 0.0, (1.5, 2.5), -inf),
        ("chi-squared", 0.0, (2.0,), log(0.5)),
        ("weibull", 0.0, (1.0, 4.0), -log(4)),
        ("exponential", 0.0, (4.0,), log(4)),
        ("geometric", 3, (0.0,), -inf),
        ("poisson", 10**400, (3.0,), -inf),
        ("binomial", 10**400, (3, 0.5), -inf),
        ("negative-binomial", 2, (1e12, 1 - 1e-12), 2 * log(1) - log(2) - 1),
        ("student-t", 0.7, (1e12, 0.0, 1.0), -0.5 * log(2 * math.pi) - 0.245),
        ("normal", 3.0, (3.0, 5e-324), 743.5),
    ],
)
def test_densities_by_hand(family: str, value: Any, parameters: tuple[Any, ...], expected: float) -> None:
    assert DISTRIBUTIONS[family].log_density(value, *parameters) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_nan_has_no_density(name: str) -> None:
    family = DISTRIBUTIONS[name]
    if family.value_kind == "boolean":
        return
    case = next(c for c in ALL_CASES if c.family == name)
    nan = np.full_like(case.values[0], math.nan, float) if family.event_rank else math.nan
    assert family.log_density(nan, *case.parameters[0]) == -inf
    lanes = np.stack([nan, case.values[-1]], -1)
    densities = family.log_density(lanes, *case.parameters[0])
    assert densities[0] == -inf
    assert densities[1] == pytest.approx(family.log_density(case.values[-1], *case.parameters[0]))


def test_vectors_outside_of_the_support() -> None:
    dirichlet, multinomial = DISTRIBUTIONS["dirichlet"], DISTRIBUTIONS["multinomial"]
    mvn, wishart = DISTRIBUTIONS["mvn"], DISTRIBUTIONS["wishart"]
    thirds = np.full(3, 1 / 3)
    ones = np.ones(3)
    for point in ([0.5, 0.6, -0.1], [0.5, 0.5, 0.5], [inf, 0.0, 0.0], [0.5, 0.5]):
        assert dirichlet.log_density(np.array(point), ones) == -inf
    corner = np.array([1.0, 0.0, 0.0])
    assert dirichlet.log_density(corner, ones) == pytest.approx(log(2))
    assert dirichlet.log_density(corner, ones * 2) == -inf
    assert dirichlet.log_density(corner, ones * 0.5) == inf
    assert dirichlet.log_density(corner, np.array([1.0, 0.5, 2.0])) == -inf
    for counts in ([1, 1, 1], [3, -1, 0], [0.5, 0.5, 1.0], [2, 0], [inf, 0.0, 0.0]):
        assert multinomial.log_density(np.array(counts), 2, thirds) == -inf
    assert mvn.log_density(np.zeros(2), np.zeros(3), np.eye(3)) == -inf
    assert mvn.log_density(np.array([inf, -inf, 0.0]), np.zeros(3), np.eye(3) + 1) == -inf
    for d in (1, 2, 3):
        full = np.ones((d, d))
        for bad in (-np.eye(d), 0 * full, math.nan * full, inf * full, np.eye(d + 1)):
            assert wishart.log_density(bad, d + 1.0, np.eye(d)) == -inf
    assert wishart.log_density(np.array([[2.0, 1.0], [0.0, 2.0]]), 3.0, np.eye(2)) == -inf


def test_tables_agree() -> None:
    for name, family in DISTRIBUTIONS.items():
        assert family.name == name
        assert family.value_kind in ("number", "integer", "boolean", "vector", "matrix")
    assert len(DISTRIBUTIONS) == 35
    assert all(target in DISTRIBUTIONS and alias not in DISTRIBUTIONS for alias, target in ALIASES.items())
    assert all(len(DEFAULTS[name]) < len(DISTRIBUTIONS[name].parameters) for name in DEFAULTS)
