"""Values of conjugate families that have not been drawn: beta, gamma and Dirichlet, each by its parameters.

A coin or a count given a beta, a count or a waiting time given a gamma, a place given a Dirichlet: the law of what is
observed has the value integrated out, and afterwards the value has a law of the same family with other parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, lgamma
from typing import Any, Final

from pplc_runtime.lanes.addresses import At
from pplc_runtime.specialise.writer import Writer

COINS: Final = ("flip", "bernoulli")


@dataclass(slots=True)
class Conjugate:
    """One such value."""

    family: str
    at: At
    parameters: list[Any]
    value: Any = None
    """The value itself, once it has been drawn."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """Such a value, times a number."""

    of: Conjugate
    factor: Any = 1.0


def scored(w: Writer, scaled: Scaled, family: str, parts: tuple[Any, ...], seen: Any) -> Any:
    """The log density of what is observed of a family given such a value, which then knows it; None where there is no
    closed form, or what is seen is not known to be possible."""
    own, a, factor = scaled.of, scaled.of.parameters, scaled.factor
    is_bare = type(factor) is float and factor == 1.0
    match own.family, family:
        case ("beta", "flip") | ("beta", "bernoulli") if is_bare and _is_coin(family, seen):
            hits, others = w.op("+", a[0], float(seen)), w.op("+", a[1], 1.0 - float(seen))
            own.parameters = [hits, others]
            return w.op("-", w.log(a[0] if seen else a[1]), w.log(w.op("+", *a)))
        case "beta", "binomial" if is_bare and _is_count(parts[0]) and _is_count(seen) and seen <= parts[0]:
            n, misses = parts[0], parts[0] - seen
            hits, others = w.op("+", a[0], seen), w.op("+", a[1], misses)
            total = w.op("-", _log_beta(w, hits, others), _log_beta(w, *a))
            own.parameters = [hits, others]
            return w.op("+", total, lgamma(n + 1) - lgamma(seen + 1) - lgamma(misses + 1))
        case "gamma", "poisson" if _is_count(seen):
            shape, rate = w.op("+", a[0], seen), w.op("+", a[1], factor)
            counted = w.op("-", w.op("-", _lgamma(w, shape), _lgamma(w, a[0])), lgamma(seen + 1))
            stay = w.op("*", a[0], w.op("-", w.log(a[1]), w.log(rate)))
            go = w.op("*", seen, w.op("-", w.log(factor), w.log(rate)))
            own.parameters = [shape, rate]
            return w.sum(counted, stay, go)
        case "gamma", "exponential" if _is_number(seen) and 0 <= seen < inf:
            shape, rate = w.op("+", a[0], 1.0), w.op("+", a[1], w.op("*", factor, seen))
            now = w.op("-", w.op("*", a[0], w.log(a[1])), w.op("*", shape, w.log(rate)))
            own.parameters = [shape, rate]
            return w.sum(w.log(a[0]), w.log(factor), now)
        case "dirichlet", "discrete" if is_bare and _is_count(seen) and seen < len(a):
            own.parameters = [w.op("+", each, float(k == seen)) for k, each in enumerate(a)]
            return w.op("-", w.log(a[int(seen)]), w.log(w.sum(*a)))
    return None


def drawn_given(w: Writer, scaled: Scaled, family: str, at: At) -> Any:
    """A coin or a place that is drawn given such a value, which then knows it; None for other families."""
    own, a = scaled.of, scaled.of.parameters
    if not (type(scaled.factor) is float and scaled.factor == 1.0):
        return None
    if own.family == "beta" and family in COINS:
        found = w.draw(at, family, w.op("/", a[0], w.op("+", *a)))
        one = w.select(found, 1.0, 0.0) if family == "flip" else found
        own.parameters = [w.op("+", a[0], one), w.op("+", a[1], w.op("-", 1.0, one))]
        return found
    if own.family == "dirichlet" and family == "discrete":
        found = w.draw(at, family, w.vector(a))
        own.parameters = [
            w.op("+", each, w.select(w.call("=", found, k), 1.0, 0.0)) for k, each in enumerate(a)
        ]  # fmt: skip
        return found
    return None


def realised(w: Writer, own: Conjugate) -> Any:
    """The value itself, drawn by its law unless it has been."""
    if own.value is None:
        parts = [w.vector(own.parameters)] if own.family == "dirichlet" else own.parameters
        own.value = w.draw(own.at, own.family, *parts)
    return own.value


def _lgamma(w: Writer, a: Any) -> Any:
    return lgamma(a) if _is_number(a) and a > 0 else w.call("lgamma", a)


def _log_beta(w: Writer, a: Any, b: Any) -> Any:
    return w.op("-", w.op("+", _lgamma(w, a), _lgamma(w, b)), _lgamma(w, w.op("+", a, b)))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value % 1 == 0


def _is_coin(family: str, value: Any) -> bool:
    return type(value) is bool if family == "flip" else _is_number(value) and value in (0, 1)
