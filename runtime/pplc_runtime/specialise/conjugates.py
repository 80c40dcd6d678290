"""Values of conjugate families that have not been drawn: beta, gamma and Dirichlet, each by its parameters.

A coin or a count given a beta, a count or a waiting time given a gamma, a place given a Dirichlet: the law of what is
observed has the value integrated out, and afterwards the value has a law of the same family with other parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Scaled:
    """Such a value, times a number."""

    of: Conjugate
    factor: Any = 1.0


def scored(w: Writer, scaled: Scaled, family: str, parts: tuple[Any, ...], seen: Any) -> Any:
    """The log density of what is observed of a family given such a value, which then knows it; None where there is no
    closed form."""
    own, a, factor = scaled.of, scaled.of.parameters, scaled.factor
    is_bare = type(factor) is float and factor == 1.0
    match own.family, family:
        case "beta", "flip" | "bernoulli" if is_bare:
            return _coin(w, own, one_or_zero(w, seen))
        case "beta", "binomial" if is_bare:
            n = parts[0]
            misses = w.op("-", n, seen)
            hits, others = w.op("+", a[0], seen), w.op("+", a[1], misses)
            total = w.op("-", _log_beta(w, hits, others), _log_beta(w, *a))
            own.parameters = [hits, others]
            return w.op("+", total, _log_choose(w, n, seen, misses))
        case "gamma", "poisson":
            shape, rate = w.op("+", a[0], seen), w.op("+", a[1], factor)
            counted = w.op("-", _lgamma(w, shape), w.op("+", _lgamma(w, a[0]), _lgamma(w, w.op("+", seen, 1.0))))
            stay = w.op("*", a[0], w.op("-", w.log(a[1]), w.log(rate)))
            go = w.op("*", seen, w.op("-", w.log(factor), w.log(rate)))
            own.parameters = [shape, rate]
            return w.sum(counted, stay, go)
        case "gamma", "exponential" if _is_number(seen) and seen >= 0:
            shape, rate = w.op("+", a[0], 1.0), w.op("+", a[1], w.op("*", factor, seen))
            now = w.op("-", w.op("*", a[0], w.log(a[1])), w.op("*", shape, w.log(rate)))
            total = w.sum(w.log(a[0]), w.log(factor), now)
            own.parameters = [shape, rate]
            return total
        case "dirichlet", "discrete" if type(seen) is int and 0 <= seen < len(a) and is_bare:
            total = w.op("-", w.log(a[seen]), w.log(w.sum(*a)))
            own.parameters = [w.op("+", each, float(k == seen)) for k, each in enumerate(a)]
            return total
    return None


def _coin(w: Writer, own: Conjugate, one: Any) -> Any:
    a, b = own.parameters
    total = w.log(w.op("+", a, b))
    own.parameters = [w.op("+", a, one), w.op("+", b, w.op("-", 1.0, one))]
    if _is_number(one):
        return w.op("-", w.log(a if one else b), total)
    weight = w.op("+", w.op("*", one, a), w.op("*", w.op("-", 1.0, one), b))
    return w.op("-", w.log(weight), total)


def drawn_given(w: Writer, scaled: Scaled, family: str, at: At) -> Any:
    """A coin or a place that is drawn given such a value, which then knows it; None for other families."""
    own, a = scaled.of, scaled.of.parameters
    if not (type(scaled.factor) is float and scaled.factor == 1.0):
        return None
    if own.family == "beta" and family in COINS:
        found = w.draw(at, family, w.op("/", a[0], w.op("+", *a)))
        _learn_coin(w, own, one_or_zero(w, found) if family == "flip" else found)
        return found
    if own.family == "dirichlet" and family == "discrete":
        found = w.draw(at, family, w.vector(a))
        own.parameters = [
            w.op("+", each, w.select(w.call("=", found, k), 1.0, 0.0)) for k, each in enumerate(a)
        ]  # fmt: skip
        return found
    return None


def _learn_coin(w: Writer, own: Conjugate, one: Any) -> None:
    a, b = own.parameters
    own.parameters = [w.op("+", a, one), w.op("+", b, w.op("-", 1.0, one))]


def one_or_zero(w: Writer, truth: Any) -> Any:
    """What a coin shows as a number."""
    if isinstance(truth, bool) or _is_number(truth):
        return float(truth)
    return w.select(truth, 1.0, 0.0)


def realised(w: Writer, own: Conjugate) -> Any:
    """The value itself, drawn by its law."""
    parts = [w.vector(own.parameters)] if own.family == "dirichlet" else own.parameters
    return w.draw(own.at, own.family, *parts)


def _lgamma(w: Writer, a: Any) -> Any:
    from math import lgamma

    return lgamma(a) if _is_number(a) and a > 0 else w.call("lgamma", a)


def _log_beta(w: Writer, a: Any, b: Any) -> Any:
    return w.op("-", w.op("+", _lgamma(w, a), _lgamma(w, b)), _lgamma(w, w.op("+", a, b)))


def _log_choose(w: Writer, n: Any, hits: Any, misses: Any) -> Any:
    parts = [_lgamma(w, w.op("+", each, 1.0)) for each in (n, hits, misses)]
    return w.op("-", parts[0], w.op("+", parts[1], parts[2]))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)
