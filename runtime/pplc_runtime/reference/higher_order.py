"""Primitives that call procedures, traced like everything else.

Call number i of such a primitive is at alpha::(e, i). Their tests are predicates, as those of an if are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pplc_runtime.addresses import At
from pplc_runtime.primitives.arguments import elements
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.reference.environment import Environment
from pplc_runtime.reference.evaluate import apply, apply_primitive, closed, is_true
from pplc_runtime.reference.syntax import Application, Lambda, Local, Place
from pplc_runtime.reference.syntax import Primitive as Name
from pplc_runtime.reference.trace import (
    Closure,
    Element,
    Memo,
    PrimitiveCall,
    Trace,
    combine,
    inlined,
    transparent,
)
from pplc_runtime.values import List, ModelError, shown

HigherOrder = Callable[[list[Trace], At, Environment, Place], Trace]


def items(tau: Trace, name: str) -> list[Trace]:
    """The traces of the elements of a sequence."""
    return [
        inlined(v, Element(tau, position), tau) for position, v in enumerate(elements(tau.v, name))
    ]


def _list(taus: list[Trace], alpha: At, place: Place) -> Trace:
    return combine(List([tau.v for tau in taus]), PrimitiveCall(alpha, "list", tuple(taus), place), *taus)


def _decided(tau: Trace, alpha: At, R: Environment) -> Trace:
    """The trace of a test, as a predicate."""
    R.handler.decided(alpha, is_true(tau.v))
    return Trace(tau.v, tau.epsilon, tau.l, tau.rho, tau.omega, tau.sigma, {**tau.phi, alpha: tau})


def _beside(tau: Trace, others: list[Trace]) -> Trace:
    """A result, with what else was evaluated on the way to it."""
    return combine(tau.v, tau.epsilon, *others, tau)


def map_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, *sequences = taus
    rows = list(zip(*[items(sequence, "map") for sequence in sequences]))
    return _list([apply(f, row, alpha["e", i], R, place) for i, row in enumerate(rows)], alpha, place)


def filter_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, sequence = taus
    tests, kept = [], []
    for i, item in enumerate(items(sequence, "filter")):
        test = apply(f, [item], alpha["e", i], R, place)
        tests.append(_decided(test, alpha["e", i], R))
        if is_true(test.v):
            kept.append(item)
    return _beside(_list(kept, alpha, place), tests)


def reduce_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, *start, sequence = taus
    rest = items(sequence, "reduce")
    if start:
        total = start[0]
    elif rest:
        total = rest.pop(0)
    else:
        return apply(f, [], alpha["e", 0], R, place)
    evaluated = []
    for i, item in enumerate(rest):
        result = apply(f, [total, item], alpha["e", i], R, place)
        evaluated.append(result)
        total = inlined(result.v, result.epsilon, result)
    return _beside(total, evaluated)


def repeatedly(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    n, f = taus
    if isinstance(n.v, bool) or not isinstance(n.v, int | float) or n.v != int(n.v):
        raise ModelError(f"'repeatedly' takes a whole number here, not {shown(n.v)}")
    return _list([apply(f, [], alpha["e", i], R, place) for i in range(int(n.v))], alpha, place)


def apply_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, *some, last = taus
    return apply(f, [*some, *items(last, "apply")], alpha["e", 0], R, place)


def some_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, sequence = taus
    tests = []
    for i, item in enumerate(items(sequence, "some")):
        test = apply(f, [item], alpha["e", i], R, place)
        tests.append(_decided(test, alpha["e", i], R))
        if is_true(test.v):
            return _beside(inlined(test.v, test.epsilon, test), tests)
    return _beside(transparent(None), tests)


def every(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, sequence = taus
    tests = []
    for i, item in enumerate(items(sequence, "every?")):
        test = apply(f, [item], alpha["e", i], R, place)
        tests.append(_decided(test, alpha["e", i], R))
        if not is_true(test.v):
            return _beside(transparent(False), tests)
    return _beside(transparent(True), tests)


def partial(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(partial f a b) is (lambda (& rest) (apply f a b rest))"""
    captured = {f"x{i}": tau for i, tau in enumerate(taus)}
    body = Application(Name("apply"), (*map(Local, captured), Local("rest")), place)
    return closed(alpha, Lambda("partial", (), "rest", body, tuple(captured), "partial", place), captured, ())


def comp(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(comp f g h) is (lambda (& rest) (f (g (apply h rest))))"""
    captured = {f"x{i}": tau for i, tau in enumerate(taus)}
    if not captured:
        body = Application(Name("first"), (Local("rest"),), place)
    else:
        *outer, last = map(Local, captured)
        body = Application(Name("apply"), (last, Local("rest")), place)
        for f in reversed(outer):
            body = Application(f, (body,), place)
    return closed(alpha, Lambda("comp", (), "rest", body, tuple(captured), "comp", place), captured, ())


def is_procedure(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    (tau,) = taus
    v = isinstance(tau.v, Closure | Memo | Primitive)
    return inlined(v, PrimitiveCall(alpha, "procedure?", (tau,), place), tau)


HIGHER_ORDER: dict[str, HigherOrder] = {
    "map": map_,
    "filter": filter_,
    "reduce": reduce_,
    "repeatedly": repeatedly,
    "apply": apply_,
    "some": some_,
    "every?": every,
    "partial": partial,
    "comp": comp,
    "procedure?": is_procedure,
}
