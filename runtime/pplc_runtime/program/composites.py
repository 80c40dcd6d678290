"""Distributions made of others: part of one, several by weights, several draws at once; and those of a given size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from pplc_runtime.distributions.base import Family, Parameter
from pplc_runtime.distributions.domains import BOUND, POSITIVE, PROBABILITY, WEIGHTS
from pplc_runtime.distributions.lkj import Lkj, LkjCholesky
from pplc_runtime.distributions.mixture import Mixture, ZeroInflated
from pplc_runtime.distributions.tails import TAILS
from pplc_runtime.distributions.truncated import Bounded, Censored, Truncated
from pplc_runtime.lanes.messages import given, refused
from pplc_runtime.lanes.varying import Lane, Mix, by_value, raw, settle
from pplc_runtime.primitives.arguments import elements
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.program.parameters import by_mix, checked, independent
from pplc_runtime.program.stochastic import CensoredDist, Dist, shape_in_lane
from pplc_runtime.values import List, ModelError


@dataclass(frozen=True, slots=True)
class Composite:
    """A constructor, what its arguments are called, and how many there must be."""

    build: Callable[..., Any]
    parameters: tuple[str, ...]
    least: int


COMPOSITES: Final[dict[str, Composite]] = {}
"""The constructors by their names."""


def _constructor(name: str, *parameters: str, least: int | None = None) -> Callable[[Any], Any]:
    """Enter a constructor. Its arguments are settled: where lanes disagree on what is no number, they part."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        def build(*arguments: Any) -> Any:
            arguments = tuple(map(settle, arguments))
            if Mix in map(type, arguments):
                return by_mix(arguments, build)
            return function(*arguments)

        build.__name__ = build.__qualname__ = name
        COMPOSITES[name] = Composite(build, parameters, len(parameters) if least is None else least)
        return build

    return enter


def fitting(name: str, dist: Any) -> Any:
    """A distribution whose parameters fit together; else an error."""
    problem = dist.family.problem(*map(raw, dist.parts))
    if problem is not None:
        raise ModelError(f"{name}: {problem}")
    return dist


def base_of(name: str, dist: Any, among: Callable[[Family], bool], wanted: str) -> Dist:
    """A distribution of a family that will do."""
    if type(dist) is not Dist or not among(dist.family):
        raise ModelError(f"{name}: the distribution must be {wanted}, not {given(dist)}")
    return dist


# Bounds


@cache
def _truncated(base: Family) -> Truncated:
    return Truncated(base)


@cache
def _censored(base: Family) -> Censored:
    return Censored(base)


def _bounded(name: str, family: Callable[[Family], Bounded], dist: Any, lower: Any, upper: Any) -> Any:
    own = base_of(name, dist, lambda f: f.name in TAILS, f"one of {', '.join(sorted(TAILS))}")
    low = -np.inf if lower is None else checked(name, Parameter("the lower bound", BOUND), lower)
    high = np.inf if upper is None else checked(name, Parameter("the upper bound", BOUND), upper)
    return fitting(name, Dist(family(own.family), (*own.parts, low, high)))


@_constructor("truncated", "distribution", "lower", "upper")
def truncated(dist: Any, lower: Any, upper: Any) -> Any:
    """(truncated d lower upper): d given that it lies between the bounds; nil is no bound."""
    return _bounded("truncated", _truncated, dist, lower, upper)


@_constructor("censored", "distribution", "lower", "upper")
def censored(dist: Any, lower: Any, upper: Any) -> Any:
    """(censored d lower upper): draws beyond a bound are moved to it; nil is no bound."""
    found = _bounded("censored", _censored, dist, lower, upper)
    return CensoredDist(found.family, found.parts)


# Several


@cache
def _mixture(components: tuple[Family, ...]) -> Mixture:
    return Mixture(components)


@_constructor("mixture", "weights", "distributions", least=1)
def mixture(first: Any, dists: Any = None) -> Any:
    """(mixture weights distributions), or (mixture [[distribution weight] ...])"""
    if dists is None:
        pairs = [_pair(pair) for pair in elements(first, "mixture")]
        weights: Any = vector(*(weight for _, weight in pairs))
        components = tuple(dist for dist, _ in pairs)
    else:
        weights, components = first, tuple(map(settle, elements(dists, "mixture")))
    if Mix in map(type, components):
        return by_mix(components, lambda *settled: mixture(weights, settled))
    if not components:
        raise ModelError("mixture: there must be a distribution")
    for dist in components:
        if type(dist) is not Dist:
            raise ModelError(f"mixture: the components must be distributions of one measure, not {given(dist)}")
    one = components[0]
    for dist in components[1:]:
        if _kind(dist) != _kind(one):
            raise ModelError(f"mixture: values of {dist.family.name} and of {one.family.name} are not of one kind")
    parts = (checked("mixture", Parameter("weights", WEIGHTS), weights), *(p for d in components for p in d.parts))
    return fitting("mixture", Dist(_mixture(tuple(dist.family for dist in components)), parts))


def _pair(pair: Any) -> tuple[Any, Any]:
    """A distribution and its weight, in either order."""
    pair = settle(pair)
    if type(pair) in (tuple, List) and len(pair) == 2:
        one, other = map(settle, pair)
        return (other, one) if type(other) is Dist else (one, other)
    raise refused("mixture: expected weights and distributions, or pairs [distribution weight]", pair)


def _kind(dist: Dist) -> tuple[Any, ...]:
    """What components must have in common."""
    family = dist.family
    return family.measure, family.value_kind == "boolean", family.event_shape(*map(shape_in_lane, dist.parts))


@cache
def _zero_inflated(base: Family) -> ZeroInflated:
    return ZeroInflated(base)


@_constructor("zero-inflated", "p", "distribution")
def zero_inflated(p: Any, dist: Any) -> Any:
    """(zero-inflated p d): zero with probability p, else a draw from d"""
    own = base_of("zero-inflated", dist, lambda f: f.discrete and f.value_kind == "integer", "one of whole numbers")
    share = checked("zero-inflated", Parameter("p", PROBABILITY), p)
    return Dist(_zero_inflated(own.family), (share, *own.parts))


@_constructor("iid", "distribution", "n")
def iid(dist: Any, n: Any) -> Any:
    """(iid d n): n independent draws as a vector"""
    if type(n) is Lane:
        return by_value(n, lambda number: iid(dist, number))
    own = base_of(
        "iid", dist, lambda f: f.value_kind in ("number", "integer", "vector"),
        "one of numbers or vectors (for others there is (repeatedly n (fn [] (sample d))))",
    )  # fmt: skip
    if type(n) not in (int, float) or n < 1 or n != int(n):
        raise refused("iid: n must be a whole number from 1", n)
    return Dist(independent(own.family, int(n), (False,) * len(own.parts)), own.parts)


# Of a size


@cache
def _lkj(family: type[LkjCholesky], size: int) -> LkjCholesky:
    return family(size)


def _correlations(name: str, family: type[LkjCholesky], size: Any, eta: Any) -> Any:
    if type(size) is Lane:
        return by_value(size, lambda number: _correlations(name, family, number, eta))
    if type(size) not in (int, float) or size < 2 or size != int(size):
        raise refused(f"{name}: size must be a whole number from 2", size)
    return Dist(_lkj(family, int(size)), (checked(name, Parameter("eta", POSITIVE), eta),))


@_constructor("lkj", "size", "eta")
def lkj(size: Any, eta: Any) -> Any:
    """(lkj size eta): correlation matrices"""
    return _correlations("lkj", Lkj, size, eta)


@_constructor("lkj-cholesky", "size", "eta")
def lkj_cholesky(size: Any, eta: Any) -> Any:
    """(lkj-cholesky size eta): Cholesky factors of correlation matrices"""
    return _correlations("lkj-cholesky", LkjCholesky, size, eta)
