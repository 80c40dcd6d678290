"""Traced evaluation, (e, alpha, R, Lambda) => tau (paper, section 4.2).

One case for each rule, in the paper's order. Where the paper has alpha::(t, p) for part p of an expression, an
expression here has its own number in the program, its site: alpha[site] is what it evaluates at, and its parts are
evaluated at alpha. So addresses are as short as the calls are deep, and those of the other engines. Where the paper is
silent:

- A closure has no global environment of its own: it sees that of the execution that calls it.
- The body of a procedure is at the address of its call. Two procedures which one call may reach draw at different
  addresses, since sites are unique in a program.
- (mem e) is identified by its own address. The entry for a key is a global symbol, evaluated at an address
  below that of the memo: whoever asks first, it is the same variable. A call of a memo looks that symbol up.
- A process is identified by the address at which it was made, and its state is part of R.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, assert_never

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.messages import given
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.primitives.comparison import is_true
from pplc_runtime.program.control import uncallable
from pplc_runtime.program.gaussian_process import GaussianProcess, Point
from pplc_runtime.program.names import primitive
from pplc_runtime.program.procedural_dp import UNOBSERVABLE, ProceduralDp
from pplc_runtime.reference import syntax
from pplc_runtime.reference.draws import chosen_from, value_of
from pplc_runtime.reference.environment import Ended, Environment, Impossible
from pplc_runtime.reference.syntax import Expression, Lambda, Place
from pplc_runtime.reference.trace import (
    Call,
    Certain,
    Closed,
    Closure,
    Entry,
    Lookup,
    Memoised,
    Observed,
    PrimitiveCall,
    ProcedureOf,
    Sampled,
    Siblings,
    Trace,
    Value,
    combine,
    inlined,
    transparent,
)
from pplc_runtime.values import List, Map, Memo, ModelError, Symbol, key_of

Locals = Mapping[str, Trace]
T = TypeVar("T")


def evaluate(e: Expression, alpha: At, R: Environment, local: Locals) -> Trace:
    """The trace of an expression at an address, in a global and a local environment."""
    match e:
        case syntax.Constant(value):
            return transparent(value)
        case syntax.Primitive(name):
            return transparent(primitive(name))
        case syntax.Global(name, place):
            tau = at_place(lambda: R.global_trace(name), place)
            return Trace(tau.v, Lookup(name), 0.0, {name: tau}, {}, {}, {})
        case syntax.Local(name):
            tau = local[name]
            return inlined(tau.v, tau.epsilon, tau)
        case syntax.Sample(source, place, site):
            tau = evaluate(source, alpha, R, local)
            return sample(tau, alpha[site], R, place)
        case syntax.Observe(source, value, place, site):
            tau = evaluate(source, alpha, R, local)
            tau_2 = evaluate(value, alpha, R, local)
            return observe(tau, tau_2, below(alpha, site), R, place)
        case syntax.Application(syntax.Primitive(name), arguments, place, site):
            taus = [evaluate(a, alpha, R, local) for a in arguments]
            return apply_primitive(name, taus, below(alpha, site), R, place)
        case syntax.Application(operator, arguments, place, site):
            tau_1 = evaluate(operator, alpha, R, local)
            taus = [evaluate(a, alpha, R, local) for a in arguments]
            return apply(tau_1, taus, below(alpha, site), R, place)
        case syntax.Lambda(site=site):
            return closed(alpha[site], e, {name: local[name] for name in e.free}, ())
        case syntax.If(test, then, other, number):
            tau = evaluate(test, alpha, R, local)
            truth = at_place(lambda: is_true(tau.v), test.place)
            R.handler.decided(truth)
            tau_1 = evaluate(then if truth else other, alpha, R, local)
            both = combine(tau_1.v, tau_1.epsilon, tau, tau_1)
            return _with_predicate(both, alpha["if", number], tau)
        case syntax.Let(name, value, body):
            tau = evaluate(value, alpha, R, local)
            tau_1 = evaluate(body, alpha, R, {**local, name: tau})
            return combine(tau_1.v, tau_1.epsilon, tau, tau_1)
        case syntax.Letrec(bindings, body):
            siblings = tuple((name, procedure, alpha[procedure.site]) for name, procedure in bindings)
            free = [name for _, procedure in bindings for name in procedure.free if name in local]
            captured = {name: local[name] for name in free}
            inner = {**local, **_letrec(siblings, captured)}
            return evaluate(body, alpha, R, inner)
        case syntax.Mem(procedure, place, site):
            tau = evaluate(procedure, alpha, R, local)
            return combine(memoised(alpha[site], tau.v, place), Memoised(alpha[site], tau, place), tau)
        case _:
            assert_never(e)


def below(alpha: At, site: int) -> At:
    """The address of a site; without one it is that of what stands around it."""
    return alpha[site] if site else alpha


class Law(NamedTuple):
    """What a sample or observe is of, the calls that it took to tell, and who learns the value."""

    stochastic: Any
    calls: Sequence[Trace] = ()
    learn: Callable[[Any], None] = lambda value: None


def law_of(v: Any, alpha: At, R: Environment, place: Place) -> Law:
    """For a Gaussian process at a point, its law given what is known; other values stand for themselves."""
    if not isinstance(v, Point):
        return Law(v)
    from pplc_runtime.reference.gaussian import conditional, learn  # which calls the kernel

    found = at_place(lambda: conditional(v, alpha, R, place), place)
    return Law(found.law, found.calls, lambda value: learn(v, found, value, R))


def sample(tau: Trace, alpha: At, R: Environment, place: Place) -> Trace:
    """Inherits from tau and adds an entry to sigma. Drawing from a dirac is no random choice."""
    if isinstance(tau.v, ProceduralDp):
        tables, atoms = (inlined(part, Value(part), tau) for part in tau.v.parts)
        table = sample(tables, alpha, R, place)
        tau_1 = entry(atoms, [table], R, place)
        return combine(tau_1.v, tau_1.epsilon, tau, table, tau_1)
    law = law_of(tau.v, alpha, R, place)
    source = at_place(lambda: chosen_from(law.stochastic), place)
    if source is None:
        return combine(law.stochastic.parts[0], Certain(alpha, tau, place), tau, *law.calls)
    choice = at_place(lambda: R.handler.sample(alpha, source, R.states), place)
    v = value_of(law.stochastic, choice)
    law.learn(v)
    both = combine(v, Value(v), tau, *law.calls)
    sigma = {**both.sigma, alpha: Sampled(tau, choice)}
    return Trace(v, both.epsilon, both.l, both.rho, both.omega, sigma, both.phi)


def observe(tau: Trace, tau_2: Trace, alpha: At, R: Environment, place: Place) -> Trace:
    """Inherits from the traces of both arguments and adds an entry to omega."""
    if isinstance(tau.v, ProceduralDp):
        raise placed(ModelError(UNOBSERVABLE), place)
    replaced = R.observed
    if replaced is not None:
        v = at_place(lambda: replaced.at(alpha), place)
        tau_2 = combine(v, Value(v), tau_2)
    law = law_of(tau.v, alpha, R, place)
    l_12 = at_place(lambda: R.handler.observe(alpha, law.stochastic, tau_2.v, R.states), place)
    law.learn(tau_2.v)
    both = combine(tau_2.v, tau_2.epsilon, tau, tau_2, *law.calls)
    omega = {**both.omega, alpha: Observed(tau, tau_2, l_12)}
    return Trace(both.v, both.epsilon, both.l + l_12, both.rho, omega, both.sigma, both.phi)


def apply_primitive(name: str, taus: Sequence[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """eval(prim v_1 v_2 ...). A primitive that calls procedures does so under addresses of its own.

    Its arguments have been evaluated by then: what it does with them, once or often, does not weigh again."""
    from pplc_runtime.reference.higher_order import HIGHER_ORDER  # which applies procedures in turn

    named, given = primitive(name), len(taus)
    if given < named.least or (named.most is not None and given > named.most):
        raise placed(ModelError(f"'{name}' cannot take {given} argument{'' if given == 1 else 's'}"), place)
    if name in HIGHER_ORDER:
        evaluated = [inlined(tau.v, tau.epsilon, tau) for tau in taus]
        result = at_place(lambda: HIGHER_ORDER[name](evaluated, alpha, R, place), place)
        return combine(result.v, Call(alpha, (transparent(named), *taus), place), *taus, result)
    v = at_place(lambda: call_primitive(name, [tau.v for tau in taus], alpha), place)
    return combine(v, PrimitiveCall(alpha, name, tuple(taus), place), *taus)


def call_primitive(name: str, values: list[Any], alpha: At) -> Any:
    """The value of a primitive procedure."""
    named = primitive(name)
    return named.function(alpha, *values) if named.addressed else named.function(*values)


def apply(tau_1: Trace, taus: Sequence[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """The application of whatever the operator evaluated to."""
    match tau_1.v:
        case Closure():
            tau_3 = _body(tau_1.v, taus, alpha, R, place)
            return combine(tau_3.v, Call(alpha, (tau_1, *taus), place), tau_1, *taus, tau_3)
        case Memo():
            tau_3 = entry(tau_1, taus, R, place)
            return combine(tau_3.v, Call(alpha, (tau_1, *taus), place), tau_1, *taus, tau_3)
        case Primitive(name):
            tau_3 = apply_primitive(name, taus, alpha, R, place)
            return combine(tau_3.v, Call(alpha, (tau_1, *taus), place), tau_1, tau_3)
        case _:
            values = [tau.v for tau in taus]
            v = at_place(lambda: _called(tau_1.v, values, alpha), place)
            return combine(v, Call(alpha, (tau_1, *taus), place), tau_1, *taus)


def _body(closure: Closure, taus: Sequence[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """The body, in the local environment of the closure with its parameters bound."""
    procedure = closure.procedure
    own = len(procedure.parameters)
    if len(taus) < own or (procedure.rest is None and len(taus) > own):
        least = "" if procedure.rest is None else "at least "
        raise placed(
            ModelError(
                f"'{procedure.name}' takes {least}{own} argument{'' if own == 1 else 's'}, but {len(taus)} "
                f"{'is' if len(taus) == 1 else 'are'} given"
            ),
            place,
        )
    local = {**closure.captured, **_letrec(closure.siblings, closure.captured)}
    local.update(zip(procedure.parameters, taus))
    if procedure.rest is not None:
        rest = taus[own:]
        values = List([tau.v for tau in rest])
        local[procedure.rest] = combine(values, PrimitiveCall(alpha, "list", tuple(rest), place), *rest)
    if R.depth >= R.deepest:
        raise placed(ModelError(f"procedures call each other more than {R.deepest} deep"), place)
    R.depth += 1
    tau_3 = evaluate(procedure.body, alpha, R, local)
    R.depth -= 1
    return tau_3


def closed(alpha: At, procedure: Lambda, captured: Locals, siblings: Siblings) -> Trace:
    """A closure; it inherits from the variables that it closes over, whose observes have counted already."""
    v = Closure(alpha, procedure, captured, siblings)
    return inlined(v, Closed(alpha, procedure, captured, siblings), *captured.values())


def _letrec(siblings: Siblings, captured: Locals) -> dict[str, Trace]:
    return {name: closed(alpha, procedure, captured, siblings) for name, procedure, alpha in siblings}


def memoised(alpha: At, procedure: Any, place: Place) -> Memo:
    if not isinstance(procedure, Closure | Memo | Primitive):
        raise placed(ModelError(f"mem takes a procedure, not {given(procedure)}"), place)
    return Memo(alpha, procedure)


def entry(tau_1: Trace, taus: Sequence[Trace], R: Environment, place: Place) -> Trace:
    """The memo entry for some arguments: a lookup of its symbol, which is evaluated first if it is not bound.

    The observes in it count where it is evaluated, so only for the first who asks."""
    memo: Memo = tau_1.v
    around = R.asks(memo.at)
    if around is not None:
        try:
            found = entry(tau_1, [transparent(tau.v) for tau in taus], around, place)
        except Impossible as reason:
            raise Ended(around, reason) from None
        R.asked.append(found)
        return inlined(found.v, found.epsilon, found)
    values = [tau.v for tau in taus]
    s = Entry(memo.at, key_of(tuple(values)))
    tau = R.bindings.get(s)
    log_weight = 0.0
    if tau is None:
        if s in R.running:
            needs = f"needs its own value for {given(values[0])}" if values else "needs its own value"
            name = getattr(memo.procedure, "name", "it")
            raise placed(ModelError(f"the memoised procedure '{name}' {needs}"), place)
        R.running.add(s)
        operator = inlined(memo.procedure, ProcedureOf(tau_1), tau_1)
        tau = apply(operator, [transparent(v) for v in values], entry_address(memo.at, values), R, place)
        R.running.discard(s)
        R.bindings[s] = tau
        log_weight = tau.l
    return Trace(tau.v, Lookup(s), log_weight, {s: tau}, {}, {}, {})


def entry_address(at: At, values: Sequence[Any]) -> At:
    """Where the entry of a memo is evaluated: below the memo, by the key of the arguments."""
    keys = [key_of(v) for v in values]
    return at[keys[0]] if len(keys) == 1 else at["arguments", *keys]


def _called(operator: Any, values: list[Any], alpha: At) -> Any:
    """Maps, keywords and vectors can be called too."""
    match operator:
        case Map() if len(values) in (1, 2):
            return call_primitive("get", [operator, *values], alpha)
        case Symbol() if operator.name.startswith(":") and len(values) in (1, 2):
            return call_primitive("get", [values[0], operator, *values[1:]], alpha)
        case tuple() | np.ndarray() if len(values) == 1 and not isinstance(operator, List):
            return call_primitive("nth", [operator, values[0]], alpha)
        case GaussianProcess():
            return operator.at_point(tuple(values))
    raise uncallable(operator, values)


def _with_predicate(tau: Trace, alpha: At, predicate: Trace) -> Trace:
    return Trace(tau.v, tau.epsilon, tau.l, tau.rho, tau.omega, tau.sigma, {**tau.phi, alpha: predicate})


def placed(error: ModelError, place: Place) -> ModelError:
    """The error with its place in the source, if that is not known yet."""
    if error.place is None:
        error.place = place
    return error


def at_place(work: Callable[[], T], place: Place) -> T:
    """Do some work; an error in it is one at this place."""
    try:
        return work()
    except ModelError as error:
        raise placed(error, place) from None
    except (Impossible, Ended, RecursionError):
        raise
    except ZeroDivisionError:
        raise placed(ModelError("division by zero"), place) from None
    except Exception as error:
        message = f"cannot compute this ({type(error).__name__}: {error})"
        raise placed(ModelError(message), place) from error
