"""Regeneration and rescoring, R(tau, R) = tau' (paper, section 4.3): the six steps as the paper has them.

This is the paper's own operator, which `methods` uses only when told to, for it is not always exact:

- Memo entries that the prefix already has take the place of the retained ones, and those that it lacks are
  regenerated out of the retained trace.
- Lookups from the local environment are inlined. So where the suffix calls a closure of the prefix, what that
  closes over keeps its retained value and is scored again, whatever the new prefix has.

Otherwise it gives the same density as running the suffix again.

Three details that the paper leaves out. C, the map from traces to regenerated traces, also remembers the
addresses that were scored, since an observe or sample stands in the trace of every expression around it.
Evaluating (tau_1 tau_2) in step 6 runs the body of a procedure again, with its samples as retained. The state
of a process is that of the environment R, in the order in which draws are met.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.primitives.arguments import elements
from pplc_runtime.primitives.comparison import is_true
from pplc_runtime.program.stochastic import Dirac, Dist, ProcessInstance
from pplc_runtime.reference.draws import chosen_from, log_density, log_likelihood, seat
from pplc_runtime.reference.environment import Environment, Handler, Impossible, Mismatch
from pplc_runtime.reference.evaluate import (
    apply,
    call_primitive,
    closed,
    law_of,
    memoised,
)
from pplc_runtime.reference.syntax import NOWHERE
from pplc_runtime.reference.trace import (
    Call,
    Certain,
    Closed,
    Closure,
    Element,
    Epsilon,
    Lookup,
    Memoised,
    Observed,
    PrimitiveCall,
    ProcedureOf,
    Sampled,
    Symbol,
    Trace,
    Value,
)
from pplc_runtime.values import List, Map, Memo, key_of


class Regeneration(Handler):
    """One call of the operator: the environment R, which it updates in place, and the map C.

    The paper's Delta l is in two parts: of the observes, and of the samples. As a handler it answers the samples and
    observes that step 6 meets."""

    def __init__(self, R: Environment, retained: Mapping[At, Any]) -> None:
        super().__init__()
        self.R = R.fork(self)
        self.retained = retained
        self.cache: dict[int, tuple[Trace, Trace]] = {}
        self.observed: dict[At, float] = {}
        self.sampled: set[At] = set()
        self.delta_observes = 0.0
        self.delta_samples = 0.0

    def regenerate(self, tau: Trace) -> Trace:
        """R(tau, R): raises Impossible where the paper aborts, or a density is zero."""
        known = self.cache.get(id(tau))
        if known is not None:
            return known[1]
        before = self.delta_observes
        # 1. Re-evaluate predicates.
        phi: dict[At, Trace] = {}
        for alpha, predicate in tau.phi.items():
            phi[alpha] = self.regenerate(predicate)
            if is_true(phi[alpha].v) != is_true(predicate.v):
                raise Mismatch
        # 2. Re-score observes.
        omega: dict[At, Observed] = {}
        for alpha, (source, value, log_weight) in tau.omega.items():
            new, new_value = self.regenerate(source), self.regenerate(value)
            unchanged = same(new.v, source.v) and same(new_value.v, value.v)
            if unchanged and not isinstance(new.v, ProcessInstance):
                self.observed.setdefault(alpha, log_weight)
            else:
                self.rescore(alpha, new.v, new_value.v, log_weight)
            omega[alpha] = Observed(new, new_value, self.observed[alpha])
        # 3. Re-score samples.
        sigma: dict[At, Sampled] = {}
        for alpha, (source, v) in tau.sigma.items():
            new = self.regenerate(source)
            self.score(alpha, new.v, v)
            sigma[alpha] = Sampled(new, v)
        # 4. Regenerate the environment bindings.
        rho: dict[Symbol, Trace] = {}
        changed = False
        for s, bound in tau.rho.items():
            if s not in self.R.bindings:
                self.R.bindings[s] = self.regenerate(bound)
            rho[s] = self.R.bindings[s]
            changed = changed or not same(rho[s].v, bound.v)
        # 5. and 6. If any bindings were changed, reconstruct epsilon and evaluate it.
        v, epsilon = tau.v, tau.epsilon
        if changed:
            v, epsilon = self.evaluate(tau.epsilon)
        result = Trace(v, epsilon, tau.l + self.delta_observes - before, rho, omega, sigma, phi)
        self.cache[id(tau)] = tau, result
        return result

    def evaluate(self, epsilon: Epsilon) -> tuple[Any, Epsilon]:
        """Steps 5 and 6: regenerate the sub-expressions, and evaluate what comes out."""
        R = self.R
        match epsilon:
            case Value(v):
                return v, epsilon
            case Lookup(s):
                return R.bindings[s].v, epsilon
            case PrimitiveCall(alpha, name, traces, place):
                new = tuple([self.regenerate(tau) for tau in traces])
                v = call_primitive(name, [tau.v for tau in new], alpha)
                return v, PrimitiveCall(alpha, name, new, place)
            case Call(alpha, traces, place):
                new = tuple([self.regenerate(tau) for tau in traces])
                return apply(new[0], new[1:], alpha, R, place).v, Call(alpha, new, place)
            case Closed(alpha, procedure, captured, siblings):
                closure = closed(alpha, procedure, {s: self.regenerate(tau) for s, tau in captured.items()}, siblings)
                return closure.v, closure.epsilon
            case Memoised(alpha, tau, place):
                procedure_trace = self.regenerate(tau)
                return memoised(alpha, procedure_trace.v, place), Memoised(alpha, procedure_trace, place)
            case ProcedureOf(memo):
                new_memo = self.regenerate(memo)
                return new_memo.v.procedure, ProcedureOf(new_memo)
            case Certain(alpha, source, place):
                new_source = self.regenerate(source)
                certain = law_of(new_source.v, alpha, R, place).stochastic
                if not isinstance(certain, Dirac):
                    raise Mismatch
                return certain.parts[0], Certain(alpha, new_source, place)
            case Element(sequence, position):
                new_sequence = self.regenerate(sequence)
                found = elements(new_sequence.v, "nth")
                if position >= len(found):
                    raise Mismatch
                return found[position], Element(new_sequence, position)
            case _:
                assert_never(epsilon)

    def rescore(self, alpha: At, source: Any, value: Any, log_weight: float) -> None:
        """l' of an observe; l' - l is part of Delta l."""
        if alpha in self.observed:
            return
        law = law_of(source, alpha, self.R, NOWHERE)
        self.observed[alpha] = new_weight = log_likelihood(law.stochastic, value, self.R.states)
        if new_weight == -np.inf:
            raise Impossible
        seat(source, value, self.R.states)
        law.learn(value)
        self.delta_observes += new_weight - log_weight

    def score(self, alpha: At, source: Any, v: Any) -> None:
        """l' of a sample, part of Delta l."""
        if alpha in self.sampled:
            return
        law = law_of(source, alpha, self.R, NOWHERE)
        chosen = chosen_from(law.stochastic)
        if chosen is None:
            return
        self.sampled.add(alpha)
        density = log_density(chosen, v, self.R.states)
        if density == -np.inf:
            raise Impossible
        seat(chosen, v, self.R.states)
        law.learn(v)
        self.delta_samples += density

    # What step 6 meets when it runs a body again

    def sample(self, alpha: At, source: Dist | ProcessInstance, states: Any) -> Any:
        if alpha not in self.retained:
            raise Mismatch
        v = self.retained[alpha]
        self.score(alpha, source, v)
        return v

    def observe(self, alpha: At, source: Any, value: Any, states: Any) -> float:
        self.rescore(alpha, source, value, 0.0)
        return self.observed[alpha]


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same, procedures with all that they close over."""
    if a is b:
        return True
    match a:
        case Closure():
            return (
                isinstance(b, Closure)
                and a.at is b.at
                and (a.procedure.site, a.name, len(a.captured)) == (b.procedure.site, b.name, len(b.captured))
                and all(same(tau.v, b.captured[s].v) for s, tau in a.captured.items())
            )
        case Memo():
            return isinstance(b, Memo) and a.at is b.at and same(a.procedure, b.procedure)
        case tuple() | List():
            return type(a) is type(b) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
        case Map():
            if not isinstance(b, Map) or len(a) != len(b):
                return False
            return all(key in b and same(value, b.get(key)) for key, value in a.items())
    if hasattr(a, "parts"):
        return (
            type(a) is type(b)
            and getattr(a, "family", None) is getattr(b, "family", None)
            and getattr(a, "at", None) is getattr(b, "at", None)
            and len(a.parts) == len(b.parts)
            and all(same(x, y) for x, y in zip(a.parts, b.parts))
        )
    return bool(key_of(a) == key_of(b))
