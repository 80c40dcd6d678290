"""Densities between bounds as scalar code: truncated and censored distributions.

With F the cumulative distribution, log (F(b) - F(a)) has to be found where both are nearly 0 or 1. Of normal
distributions functions of the middle language do that; of those with a cumulative hazard H, where F = 1 - exp(-H), it
is log(1 - exp(H(a) - H(b))) - H(a). Where all parameters are plain numbers it is a number, for any family.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.tails import TAILS
from pplc_runtime.distributions.truncated import Bounded, Truncated
from pplc_runtime.native.values import Unsupported
from pplc_runtime.specialise.ir import Operand

if TYPE_CHECKING:
    from pplc_runtime.native.scalar import Scalar


def bounded(scalar: Scalar, family: Bounded, parts: tuple[Operand, ...], x: str, density: str) -> str:
    """The log density of a value by that of the family without bounds. Branches stand in the expression, so that the
    gradient of one that is not taken is none."""
    lower, upper = scalar.number(parts[-2]), scalar.number(parts[-1])
    if isinstance(family, Truncated):
        mass = between(scalar, family, parts)
        return f"({density} - {mass} if {x} >= {lower} and {x} <= {upper} else -inf)"
    found = f"({density} if {x} > {lower} and {x} < {upper} else -inf)"
    if not _is_infinite(parts[-2]):
        found = f"({_beyond(scalar, family, parts, -2)} if {x} == {lower} else {found})"
    if not _is_infinite(parts[-1]):
        found = f"({_beyond(scalar, family, parts, -1)} if {x} == {upper} else {found})"
    return found


def fit(scalar: Scalar, family: Family, parts: tuple[Operand, ...]) -> None:
    """Whether parameters that are each in their domain fit each other."""
    if isinstance(family, Bounded):
        low, high = map(scalar.number, parts[-2:])
        order = "<=" if family.discrete else "<"
        scalar.line(f"if not ({low} {order} {high}): {scalar.fail('the lower bound must be less than the upper one')}")
        if isinstance(family, Truncated):
            mass = between(scalar, family, parts)
            wrong = scalar.fail(f"{family.base.name} has no mass between the bounds")
            scalar.line(f"if not ({mass} > -inf): {wrong}")
        if family.base.name.startswith("uniform"):
            fit(scalar, family.base, parts[:-2])
    elif family.name in ("uniform-continuous", "uniform-discrete"):
        low, high = map(scalar.number, parts)
        scalar.line(f"if not ({low} < {high}): {scalar.fail('the lower bound must be below the upper')}")
    else:
        raise Unsupported(f"whether {family.name} fits")


def between(scalar: Scalar, family: Truncated, parts: tuple[Operand, ...]) -> str:
    """The log mass between the bounds."""
    if _are_numbers(parts):
        return scalar.number(float(family.log_mass(*parts)))
    name, own, bounds = family.base.name, [scalar.number(part) for part in parts[:-2]], parts[-2:]
    ends = [None if _is_infinite(bound) else scalar.number(bound) for bound in bounds]
    if name == "normal":
        low, high = [None if end is None else f"({end} - {own[0]}) / {own[1]}" for end in ends]
        if low is not None and high is not None:
            return scalar.set(f"log_normal_between({low}, {high})")
        return scalar.set(f"log_normal_below({high or f'-({low})'})") if low or high else "0.0"
    if name == "uniform-continuous":
        least = own[0] if ends[0] is None else f"({ends[0]} if {ends[0]} > {own[0]} else {own[0]})"
        most = own[1] if ends[1] is None else f"({ends[1]} if {ends[1]} < {own[1]} else {own[1]})"
        return scalar.set(f"log_of(({most} - {least}) / ({own[1]} - {own[0]}))")
    low, high = [None if end is None else scalar.set(_hazard(name, own, end)) for end in ends]
    if high is None:
        return "0.0" if low is None else f"(-{low})"
    return scalar.set(f"log(-expm1(-{high}))" if low is None else f"log(-expm1({low} - {high})) - {low}")


def _beyond(scalar: Scalar, family: Bounded, parts: tuple[Operand, ...], place: int) -> str:
    """The log mass below the lower bound, or above the upper one."""
    if _are_numbers(parts):
        tails, bound = TAILS[family.base.name], parts[place]
        of = tails.log_below(bound, *parts[:-2]) if place == -2 else tails.log_above(family.before(bound), *parts[:-2])
        return scalar.number(float(of))
    name, own, end = family.base.name, [scalar.number(part) for part in parts[:-2]], scalar.number(parts[place])
    if name == "normal":
        return f"log_normal_below({'' if place == -2 else '-'}(({end} - {own[0]}) / {own[1]}))"
    hazard = _hazard(name, own, end)
    return f"log_of(-expm1(-{hazard}))" if place == -2 else f"(-{hazard})"


def _hazard(name: str, own: Sequence[str], x: str) -> str:
    """The cumulative hazard of a positive number."""
    if name == "exponential":
        return f"({own[0]} * {x} if {x} > 0.0 else 0.0)"
    if name == "weibull":
        return f"(exp({own[0]} * (log({x}) - log({own[1]}))) if {x} > 0.0 else 0.0)"
    raise Unsupported(f"the mass of {name} between bounds")


def _is_infinite(bound: Operand) -> bool:
    return type(bound) is float and abs(bound) == inf


def _are_numbers(parts: Sequence[Operand]) -> bool:
    return all(type(part) in (int, float) for part in parts)
