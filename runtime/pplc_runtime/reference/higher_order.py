"""Primitives that call procedures, traced like everything else.

Call number i of such a primitive is at alpha[i]. Their tests are predicates, as those of an if are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pplc_runtime.lanes.addresses import At
from pplc_runtime.primitives.arguments import elements, whole
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.primitives.comparison import is_true
from pplc_runtime.primitives.ordering import permutation
from pplc_runtime.program.names import primitive
from pplc_runtime.program.procedural_dp import ProceduralDp
from pplc_runtime.reference.environment import Environment
from pplc_runtime.reference.evaluate import apply, apply_primitive, call_primitive, closed
from pplc_runtime.reference.nested import conditional
from pplc_runtime.reference.syntax import Application, Constant, Expression, Lambda, Local, Place
from pplc_runtime.reference.syntax import Primitive as Name
from pplc_runtime.reference.trace import (
    Call,
    Closure,
    Element,
    PrimitiveCall,
    Trace,
    combine,
    inlined,
    transparent,
)
from pplc_runtime.values import List, Memo, key_of

HigherOrder = Callable[[list[Trace], At, Environment, Place], Trace]


def items(tau: Trace, name: str) -> list[Trace]:
    """The traces of the elements of a sequence."""
    return [inlined(v, Element(tau, position), tau) for position, v in enumerate(elements(tau.v, name))]


def _beside(tau: Trace, others: list[Trace]) -> Trace:
    """A result, with what else was evaluated on the way to it."""
    return combine(tau.v, tau.epsilon, *others, tau)


def _mapped(taus: list[Trace], alpha: At, R: Environment, place: Place, name: str) -> list[Trace]:
    f, *sequences = taus
    rows = list(zip(*[items(sequence, name) for sequence in sequences]))
    return [apply(f, row, alpha[i], R, place) for i, row in enumerate(rows)]


def map_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    return apply_primitive("list", _mapped(taus, alpha, R, place, "map"), alpha, R, place)


def mapv(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    return apply_primitive("vector", _mapped(taus, alpha, R, place, "mapv"), alpha, R, place)


def mapcat(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    return apply_primitive("concat", _mapped(taus, alpha, R, place, "mapcat"), alpha, R, place)


def map_indexed(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, sequence = taus
    numbered = enumerate(items(sequence, "map-indexed"))
    results = [apply(f, [transparent(i), item], alpha[i], R, place) for i, item in numbered]
    return apply_primitive("list", results, alpha, R, place)


def _tested(taus: list[Trace], alpha: At, R: Environment, place: Place, name: str) -> Iterator[tuple[Trace, Trace]]:
    """The elements of a sequence, each with the trace of its test."""
    f, sequence = taus
    for i, item in enumerate(items(sequence, name)):
        test = apply(f, [item], alpha[i], R, place)
        R.handler.decided(is_true(test.v))
        phi = {**test.phi, alpha[i]: test}
        yield item, Trace(test.v, test.epsilon, test.l, test.rho, test.omega, test.sigma, phi)


def filter_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    tested = list(_tested(taus, alpha, R, place, "filter"))
    kept = [item for item, test in tested if is_true(test.v)]
    return _beside(apply_primitive("list", kept, alpha, R, place), [test for _, test in tested])


def remove(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    tested = list(_tested(taus, alpha, R, place, "remove"))
    kept = [item for item, test in tested if not is_true(test.v)]
    return _beside(apply_primitive("list", kept, alpha, R, place), [test for _, test in tested])


def some(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    tests = []
    for _, test in _tested(taus, alpha, R, place, "some"):
        tests.append(test)
        if is_true(test.v):
            return _beside(inlined(test.v, test.epsilon, test), tests)
    return _beside(transparent(None), tests)


def every(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    tests = []
    for _, test in _tested(taus, alpha, R, place, "every?"):
        tests.append(test)
        if not is_true(test.v):
            return _beside(transparent(False), tests)
    return _beside(transparent(True), tests)


def _before(taus: list[Trace], alpha: At, R: Environment, place: Place, name: str) -> tuple[int, list[Trace]]:
    """How many elements stand before the first whose test is not true, and the traces of the tests."""
    tests = []
    for _, test in _tested(taus, alpha, R, place, name):
        tests.append(test)
        if not is_true(test.v):
            return len(tests) - 1, tests
    return len(tests), tests


def take_while(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    number, tests = _before(taus, alpha, R, place, "take-while")
    taken = items(taus[1], "take-while")[:number]
    return _beside(apply_primitive("list", taken, alpha, R, place), tests)


def drop_while(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    number, tests = _before(taus, alpha, R, place, "drop-while")
    left = items(taus[1], "drop-while")[number:]
    return _beside(apply_primitive("list", left, alpha, R, place), tests)


def reduce_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    totals, results = _totals(taus, alpha, R, place, "reduce")
    return _beside(totals[-1], results)


def reductions(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    totals, results = _totals(taus, alpha, R, place, "reductions")
    return _beside(apply_primitive("list", totals, alpha, R, place), results)


def _totals(taus: list[Trace], alpha: At, R: Environment, place: Place, name: str) -> tuple[list[Trace], list[Trace]]:
    """What a fold has after each element, and the traces of its calls."""
    f, *start, sequence = taus
    rest = items(sequence, name)
    results = []
    if start:
        totals = [start[0]]
    elif rest:
        totals = [rest.pop(0)]
    else:
        results.append(apply(f, [], alpha[0], R, place))
        totals = [inlined(results[-1].v, results[-1].epsilon, results[-1])]
    for i, item in enumerate(rest):
        results.append(apply(f, [totals[-1], item], alpha[i], R, place))
        totals.append(inlined(results[-1].v, results[-1].epsilon, results[-1]))
    return totals, results


def group_by(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(group-by f xs) is the map of each key and the vector of its elements."""
    f, sequence = taus
    elements_ = items(sequence, "group-by")
    keys = [apply(f, [item], alpha[i], R, place) for i, item in enumerate(elements_)]
    groups: dict[object, tuple[Trace, list[Trace]]] = {}
    for item, key in zip(elements_, keys):
        groups.setdefault(key_of(key.v), (inlined(key.v, key.epsilon, key), []))[1].append(item)
    entries = [
        part for key, group in groups.values() for part in (key, apply_primitive("vector", group, alpha, R, place))
    ]
    return _beside(apply_primitive("hash-map", entries, alpha, R, place), keys)


def repeatedly(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    n, f = taus
    results = [apply(f, [], alpha[i], R, place) for i in range(whole(n.v, "repeatedly"))]
    return apply_primitive("list", results, alpha, R, place)


def sort_by(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, sequence = taus
    elements_ = items(sequence, "sort-by")
    keys = [apply(f, [item], alpha[i], R, place) for i, item in enumerate(elements_)]
    order = permutation(tuple([key.v for key in keys]), "sort-by")
    return _beside(apply_primitive("list", [elements_[i] for i in order], alpha, R, place), keys)


def apply_(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    f, *some, last = taus
    return apply(f, [*some, *items(last, "apply")], alpha[0], R, place)


def update(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    whole_, key, f, *further = taus
    before = apply_primitive("get", [whole_, key], alpha, R, place)
    after = apply(f, [before, *further], alpha[0], R, place)
    return apply_primitive("assoc", [whole_, key, after], alpha, R, place)


def update_in(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    whole_, path, f, *further = taus
    before = apply_primitive("get-in", [whole_, path], alpha, R, place)
    after = apply(f, [before, *further], alpha[0], R, place)
    return apply_primitive("assoc-in", [whole_, path, after], alpha, R, place)


def _made_of(name: str, taus: list[Trace], alpha: At, place: Place, body: Expression) -> Trace:
    """A procedure of any number of arguments, `rest`, that closes over values x0, x1, ..."""
    captured = {f"x{i}": tau for i, tau in enumerate(taus)}
    return closed(alpha, Lambda(name, (), "rest", body, tuple(captured), place), captured, ())


def partial(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(partial f a b) is (lambda (& rest) (apply f a b rest))"""
    parts = [Local(f"x{i}", place) for i in range(len(taus))]
    body = Application(Name("apply", place), (*parts, Local("rest", place)), place)
    return _made_of("partial", taus, alpha, place, body)


def comp(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(comp f g h) is (lambda (& rest) (f (g (apply h rest))))"""
    parts: list[Expression] = [Local(f"x{i}", place) for i in range(len(taus))]
    *outer, last = parts or [Name("identity", place)]
    body = Application(Name("apply", place), (last, Local("rest", place)), place)
    for i, f in enumerate(reversed(outer), 1):
        body = Application(f, (body,), place, i)
    return _made_of("comp", taus, alpha, place, body)


def complement(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(complement f) is (lambda (& rest) (not (apply f rest)))"""
    test = Application(Name("apply", place), (Local("x0", place), Local("rest", place)), place)
    return _made_of("complement", taus, alpha, place, Application(Name("not", place), (test,), place))


def constantly(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(constantly x) is (lambda (& rest) x)"""
    return _made_of("constantly", taus, alpha, place, Local("x0", place))


def dp(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(dp a base) with a procedure as base: the tables, and the memoised procedure of a table that calls the base."""
    concentration, base = taus
    if not isinstance(base.v, Closure | Memo | Primitive):
        v = call_primitive("dp", [concentration.v, base.v], alpha)
        return combine(v, PrimitiveCall(alpha, "dp", tuple(taus), place), *taus)
    own = alpha["procedure"]
    tables = apply_primitive("crp", [concentration], own, R, place)
    call = Application(Name("apply", place), (Local("x0", place), Constant(List(), place)), place)
    called = _made_of("base", [base], own, place, call)
    atoms = Memo(own["base"], called.v)
    epsilon = Call(alpha, (transparent(primitive("dp")), *taus), place)
    return inlined(ProceduralDp((tables.v, atoms), own), epsilon, *taus)


def is_procedure(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    (tau,) = taus
    v = isinstance(tau.v, Closure | Memo | Primitive)
    return inlined(v, PrimitiveCall(alpha, "procedure?", (tau,), place), tau)


HIGHER_ORDER: dict[str, HigherOrder] = {
    "map": map_,
    "mapv": mapv,
    "mapcat": mapcat,
    "map-indexed": map_indexed,
    "filter": filter_,
    "remove": remove,
    "some": some,
    "every?": every,
    "take-while": take_while,
    "drop-while": drop_while,
    "reduce": reduce_,
    "reductions": reductions,
    "group-by": group_by,
    "repeatedly": repeatedly,
    "sort-by": sort_by,
    "apply": apply_,
    "update": update,
    "update-in": update_in,
    "dp": dp,
    "conditional": conditional,
    "partial": partial,
    "comp": comp,
    "complement": complement,
    "constantly": constantly,
    "procedure?": is_procedure,
}
"""Those that call procedures, and those that have to know what a procedure is here."""
