"""Nested inference for one particle: the table of a query by all of its executions.

The query is run in an environment of its own, which has the variables of the program around it. Entries of memos
that were made outside are evaluated there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.messages import given
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.program.conditional import IMPOSSIBLE, MOST_EXECUTIONS, NO_PROCESS, TOO_MANY, endless, settings_of
from pplc_runtime.program.constructors import categorical
from pplc_runtime.program.gaussian_process import Point
from pplc_runtime.program.names import primitive
from pplc_runtime.program.procedural_dp import ProceduralDp
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.reference.draws import States
from pplc_runtime.reference.environment import Ended, Environment, Handler, Impossible
from pplc_runtime.reference.evaluate import apply
from pplc_runtime.reference.syntax import Place
from pplc_runtime.reference.trace import Call, Closure, Trace, merge, transparent
from pplc_runtime.values import Memo, ModelError, key_of


class Enumerating(Handler):
    """Follows some choices, and takes the first outcome of every choice after them."""

    def __init__(self, prefix: list[int]) -> None:
        super().__init__()
        self.prefix = prefix
        self.path: list[int] = []
        self.others: list[list[int]] = []

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        if not isinstance(source, Dist):
            raise ModelError(NO_PROCESS)
        outcomes = source.family.outcomes(*source.parts)
        if outcomes is None:
            raise endless(source.family.name)
        if len(outcomes) > MOST_EXECUTIONS:
            raise ModelError(TOO_MANY)
        densities = [(value, source.log_density(value)) for value in outcomes]
        possible = [(value, float(density)) for value, density in densities if density > -np.inf]
        chosen = self.prefix[len(self.path)] if len(self.path) < len(self.prefix) else 0
        if len(self.path) >= len(self.prefix):
            self.others += [[*self.path, other] for other in range(1, len(possible))]
        self.path.append(chosen)
        value, density = possible[chosen]
        self.log_prior += density
        return value

    def observe(self, alpha: At, source: Any, value: Any, states: States) -> float:
        if isinstance(source, ProcessInstance | Point | ProceduralDp):
            raise ModelError(NO_PROCESS)
        return super().observe(alpha, source, value, states)


class Inside(Environment):
    """The environment of a query; memos made outside are asked there, and what they give is noted."""

    __slots__ = ("outer", "root")

    def __init__(self, handler: Handler, outer: Environment, root: At) -> None:
        super().__init__(handler, outer.deepest)
        self.outer = outer
        self.root = root

    def global_trace(self, name: str) -> Trace:
        return self.outer.global_trace(name)

    def asks(self, at: At) -> Environment | None:
        """The environment around the query, if a memo belongs there."""
        node = at
        while node.parent is not None:
            if node is self.root:
                return None
            node = node.parent
        return self.outer


def conditional(taus: list[Trace], alpha: At, R: Environment, place: Place) -> Trace:
    """(conditional query)"""
    query, *options = taus
    if settings_of(tuple(tau.v for tau in options)).particles is not None:
        raise ModelError("the reference engine has conditional by enumeration only")
    if not isinstance(query.v, Closure | Memo | Primitive):
        raise ModelError(f"conditional: the query must be a procedure without arguments, not {given(query.v)}")
    weights: dict[Any, list[Any]] = {}
    rho: dict[Any, Trace] = {}
    asked: dict[int, Trace] = {}
    pending: list[list[int]] = [[]]
    executions = 0
    while pending:
        executions += 1
        if executions + len(pending) > MOST_EXECUTIONS:
            raise ModelError(TOO_MANY)
        run = Enumerating(pending.pop())
        inside = Inside(run, R, alpha["query", executions])
        inside.depth = R.depth
        try:
            tau = apply(query, [], inside.root, inside, place)
        except Impossible:
            pass
        except Ended as ended:
            if ended.R is R:
                raise ended.reason from None
            raise
        else:
            rho.update(tau.rho)
            weights.setdefault(key_of(tau.v), [tau.v]).append(tau.l - query.l + run.log_prior)
        asked.update((id(each), each) for each in inside.asked)
        pending += reversed(run.others)
    if not weights:
        raise ModelError(IMPOSSIBLE)
    logs = np.array([np.logaddexp.reduce(logs) for _, *logs in weights.values()])
    shares = np.exp(logs - logs.max())
    rows = zip(weights.values(), (shares / shares.sum()).tolist())
    v = categorical(tuple((value, share) for (value, *_), share in rows))
    known = {s: bound for s, bound in rho.items() if s in R.bindings}
    log_weight = sum(each.l for each in asked.values())
    epsilon = Call(alpha, (transparent(primitive("conditional")), *taus), place)
    return Trace(v, epsilon, log_weight, merge([known]), {}, {}, {})
