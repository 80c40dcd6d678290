"""The density of lanes is the density one by one, whichever of value and parameters are shared."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from pplc_runtime.distributions import DISTRIBUTIONS
from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.factors import covariance_factor
from pplc_runtime.distributions.identity_cache import IdentityCache

from .cases import ALL_CASES, Case, label

pytestmark = pytest.mark.filterwarnings("error")


def stack(values: list[Any]) -> Any:
    return np.stack(values, -1)


def check(family: Family, values: list[Any], rows: list[tuple[Any, ...]]) -> None:
    """Compare every mix of shared and varying arguments, lane by lane. Shared ones are those of lane 0."""
    arguments = [values, *zip(*rows)]
    lanes = len(values)
    for varies in product((False, True), repeat=len(arguments)):
        if not any(varies):
            continue
        columns = [list(a) if v else [a[0]] * lanes for a, v in zip(arguments, varies)]
        if any(family.problem(*(c[lane] for c in columns[1:])) for lane in range(lanes)):
            continue
        together = family.log_density(*(stack(c) if v else c[0] for c, v in zip(columns, varies)))
        alone = [family.log_density(*(c[lane] for c in columns)) for lane in range(lanes)]
        assert isinstance(together, np.ndarray)
        assert together.shape == (lanes,)
        assert together.dtype == np.float64
        np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-9, err_msg=f"{varies} {columns}")


@pytest.mark.parametrize("case", ALL_CASES, ids=label)
def test_lanes_are_independent(case: Case) -> None:
    """Any values together, edges and all; then each value first, so that each is shared once."""
    family = DISTRIBUTIONS[case.family]
    groups: dict[Any, list[Any]] = {}
    for parameters in case.parameters:
        groups.setdefault(np.shape(parameters[-1]), []).append(parameters)
    rng = np.random.default_rng(0)
    for rows in groups.values():
        for first in range(len(case.values)):
            values = case.values[first:] + case.values[:first]
            lanes = max(len(values), 6)
            picked = [rows[i] for i in rng.integers(len(rows), size=lanes)]
            check(family, [values[i % len(values)] for i in range(lanes)], picked)


@pytest.mark.parametrize("case", ALL_CASES, ids=label)
def test_lanes_well_inside(case: Case) -> None:
    """Where all lanes take the short way: values of finite density, of one type."""
    family = DISTRIBUTIONS[case.family]
    for parameters in case.parameters:
        inside = [v for v in case.values if np.isfinite(family.log_density(v, *parameters))]
        for kind in {np.asarray(v).dtype for v in inside}:
            alike = [v for v in inside if np.asarray(v).dtype == kind]
            check(family, alike, [parameters] * len(alike))


def test_one_lane_is_still_a_lane() -> None:
    normal = DISTRIBUTIONS["normal"]
    assert normal.log_density(np.array([1.0]), 0.0, 1.0).shape == (1,)


def test_vectors_of_another_length_are_impossible_in_all_lanes() -> None:
    for family, parameters in [
        ("mvn", (np.zeros((3, 4)), np.eye(3))),
        ("dirichlet", (np.ones((3, 4)),)),
        ("multinomial", (2, np.ones((3, 4)))),
    ]:
        densities = DISTRIBUTIONS[family].log_density(np.zeros(1), *parameters)
        assert densities.tolist() == [-np.inf] * 4


def test_a_covariance_that_changes_in_place_is_noticed() -> None:
    mvn = DISTRIBUTIONS["mvn"]
    covariance = np.eye(3)
    before = mvn.log_density(np.ones(3), np.zeros(3), covariance)
    covariance *= 4.0
    after = mvn.log_density(np.ones(3), np.zeros(3), covariance)
    assert before == pytest.approx(-1.5 * np.log(2 * np.pi) - 1.5)
    assert after == pytest.approx(-1.5 * np.log(8 * np.pi) - 0.375)


def test_the_factor_of_a_shared_covariance_is_kept() -> None:
    covariance = np.eye(3)
    covariance.flags.writeable = False
    assert covariance_factor(covariance) is covariance_factor(covariance)


def test_the_cache_is_bounded() -> None:
    cache = IdentityCache(lambda array: float(array.sum()), entries=3, megabytes=1)
    arrays = [np.full(4, i) for i in range(10)]
    assert [cache(a) for a in arrays] == [4.0 * i for i in range(10)]
    assert len(cache) == 3
    assert cache(arrays[-1]) == 36.0
    cache(np.zeros(2**17 - 8))
    assert len(cache) == 3
    cache(np.zeros(2**17))
    assert len(cache) == 1
