"""The language said as plainly as it can be: an evaluator of the core language without traces, addresses or lanes.

It runs the resolved program by the definition of each construct. `sample` asks for one of the outcomes and `observe`
multiplies the weight, so that `enumerate_joint` finds the exact law of the predicts. Procedures that take procedures
are written out here, and so are distributions and processes; what takes plain values alone is the language's own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, assert_never

from tests.posteriors import enumeration
from tests.posteriors.enumeration import Choose, Observe, Value

from pplc.languages import core
from pplc_runtime.primitives import PRIMITIVES
from pplc_runtime.primitives.arguments import elements
from pplc_runtime.reference.methods import one_lane
from pplc_runtime.results.json_values import to_json
from pplc_runtime.values import List, Map, Symbol, key_of

Environment = Mapping[str, Any]


class TooMany(Exception):
    """There are more executions than were asked for, or than can be enumerated."""


def law(program: core.Program, most: int | None = None) -> dict[str, float]:
    """The predicts of every execution, written as JSON, and their probability times the weight."""
    runs = count(1)

    def twin(choose: Choose, observe: Observe) -> dict[str, Value]:
        if next(runs) == most:
            raise TooMany
        run = Run(choose, observe)
        for statement in program.statements:
            run.statement(statement, {})
        return {"": written(run.predicts)}

    with one_lane():
        evidence, joint = enumeration.enumerate_joint(twin)
    return {str(outcome[0][1]): evidence * probability for outcome, probability in joint.items()}


def written(predicts: Mapping[str, Any]) -> str:
    """Predicts as text; 2 and 2.0 are one number."""
    return json.dumps({label: json.loads(to_json(value), parse_int=float) for label, value in predicts.items()})


@dataclass(frozen=True, eq=False)
class Closure:
    procedure: core.Lambda
    environment: Environment


@dataclass(frozen=True, eq=False)
class Memo:
    procedure: Any
    entries: dict[Any, Any]


@dataclass(frozen=True, eq=False)
class Made:
    """A procedure that a procedure of the language has made."""

    call: Callable[..., Any]


@dataclass
class Run:
    """One execution."""

    choose: Choose
    weigh: Observe
    bound: dict[str, Any] = field(default_factory=dict)
    predicts: dict[str, Any] = field(default_factory=dict)
    outer: Run | None = None
    own: set[Any] = field(default_factory=set)
    """The memos that this execution has made."""

    def statement(self, statement: core.Statement, row: Environment) -> None:
        match statement:
            case core.AssumeStatement(name, value):
                self.bound[name] = self.value(value, row)
            case core.ObserveStatement(source, value):
                self.observe(self.value(source, row), self.value(value, row))
            case core.PredictStatement(label, value):
                text = str(self.value(label, row))
                self.predicts[text] = self.value(value, row)
            case core.SharedStatement(_, literals, shared, own):
                self.statement(shared, {**row, **dict(zip(literals, own))})
            case core.ForStatement(name, sequence, body):
                for element in elements(self.value(sequence, row), "for"):
                    for inner in body:
                        self.statement(inner, {**row, name: element})
            case core.InputStatement(name, default):
                assert default is not None, "programs without inputs, or with defaults"
                self.bound[name] = self.value(default, row)
            case _:
                assert_never(statement)

    def value(self, e: core.Expr, local: Environment) -> Any:
        match e:
            case core.Const(value):
                return value
            case core.Local(name):
                return local[name]
            case core.Global(name):
                return self.bound[name]
            case core.Primitive():
                return e
            case core.App(operator, arguments):
                f = self.value(operator, local)
                return self.call(f, *[self.value(argument, local) for argument in arguments])
            case core.Lambda():
                return Closure(e, local)
            case core.If(test, then, other):
                return self.value(then if true(self.value(test, local)) else other, local)
            case core.Let(name, value, body):
                return self.value(body, {**local, name: self.value(value, local)})
            case core.Letrec(bindings, body):
                inner = dict(local)
                inner.update({name: Closure(procedure, inner) for name, procedure in bindings})
                return self.value(body, inner)
            case core.Sample(source):
                return self.sample(self.value(source, local))
            case core.Observe(source, value):
                return self.observe(self.value(source, local), self.value(value, local))
            case core.Mem(procedure):
                memo = Memo(self.value(procedure, local), {})
                self.own.add(memo)
                return memo
            case core.Name():
                raise AssertionError("the program is resolved")
            case _:
                assert_never(e)

    def call(self, f: Any, *arguments: Any) -> Any:
        match f:
            case Closure(procedure, environment):
                given = dict(zip(procedure.parameters, arguments))
                if procedure.rest is not None:
                    given[procedure.rest] = List(arguments[len(procedure.parameters) :])
                return self.value(procedure.body, {**environment, **given})
            case Memo() if self.outer is not None and f not in self.own:
                return self.outer.call(f, *arguments)
            case Memo(procedure, entries):
                key = key_of(arguments)
                if key not in entries:
                    entries[key] = self.call(procedure, *arguments)
                return entries[key]
            case Made(call):
                return call(*arguments)
            case core.Primitive(name):
                return self.primitive(name, arguments)
            case Map():
                return self.primitive("get", (f, *arguments))
            case Symbol():
                return self.primitive("get", (arguments[0], f))
        return self.primitive("nth", (f, *arguments))

    def primitive(self, name: str, arguments: Sequence[Any]) -> Any:
        if name == "conditional":
            return self.conditional(arguments[0])
        if name == "logpdf":
            source, value = arguments
            mass = math.fsum(p for outcome, p in source if key_of(outcome) == key_of(value))
            return math.log(mass) if mass else -math.inf
        if name in HIGHER:
            return HIGHER[name](self.call, *arguments)
        if name.removesuffix("-dist") in SOURCES:
            return SOURCES[name.removesuffix("-dist")](*arguments)
        return PRIMITIVES[name].function(*arguments)

    def conditional(self, query: Any) -> list[tuple[Any, float]]:
        """The outcomes of a query with their probabilities; memos made outside belong to the execution outside."""
        found: dict[Any, tuple[Any, float]] = {}

        def twin(choose: Choose, observe: Observe) -> dict[str, Value]:
            inner = Run(choose, observe, self.bound, outer=self)
            value = inner.call(query)
            found[key_of(value)] = value, 0.0
            return {"": written({"": value})}

        _, joint = enumeration.enumerate_joint(twin)
        masses = {str(outcome[0][1]): probability for outcome, probability in joint.items()}
        return [(value, masses[written({"": value})]) for value, _ in found.values() if written({"": value}) in masses]

    def sample(self, source: Any) -> Any:
        self.must_be_enumerable(source)
        return self.choose(source) if isinstance(source, list) else source.sample(self.choose)

    def must_be_enumerable(self, source: Any) -> None:
        """A query draws from no process."""
        if self.outer is not None and not isinstance(source, list):
            raise TooMany

    def observe(self, source: Any, value: Any) -> Any:
        self.must_be_enumerable(source)
        if isinstance(source, list):
            self.weigh(sum(p for outcome, p in source if key_of(outcome) == key_of(value)))
        else:
            source.observe(self.weigh, value)
        return value


def true(value: Any) -> bool:
    return value is not False and value is not None


Call = Callable[..., Any]


def _rows(name: str, sequences: Sequence[Any]) -> list[tuple[Any, ...]]:
    return list(zip(*[elements(sequence, name) for sequence in sequences]))


def _map(call: Call, f: Any, *sequences: Any) -> List:
    return List([call(f, *row) for row in _rows("map", sequences)])


def _mapv(call: Call, f: Any, *sequences: Any) -> Any:
    return PRIMITIVES["vector"].function(*_map(call, f, *sequences))


def _mapcat(call: Call, f: Any, *sequences: Any) -> Any:
    return PRIMITIVES["concat"].function(*_map(call, f, *sequences))


def _map_indexed(call: Call, f: Any, sequence: Any) -> List:
    return List([call(f, i, x) for i, x in enumerate(elements(sequence, "map-indexed"))])


def _filter(call: Call, f: Any, sequence: Any) -> List:
    return List([x for x in elements(sequence, "filter") if true(call(f, x))])


def _remove(call: Call, f: Any, sequence: Any) -> List:
    return List([x for x in elements(sequence, "remove") if not true(call(f, x))])


def _some(call: Call, f: Any, sequence: Any) -> Any:
    for x in elements(sequence, "some"):
        if true(found := call(f, x)):
            return found
    return None


def _every(call: Call, f: Any, sequence: Any) -> bool:
    return all(true(call(f, x)) for x in elements(sequence, "every?"))


def _reduce(call: Call, f: Any, *start_and_sequence: Any) -> Any:
    *start, sequence = start_and_sequence
    rest = [*start, *elements(sequence, "reduce")]
    if not rest:
        return call(f)
    total = rest[0]
    for x in rest[1:]:
        total = call(f, total, x)
    return total


def _reductions(call: Call, f: Any, *start_and_sequence: Any) -> List:
    *start, sequence = start_and_sequence
    rest = [*start, *elements(sequence, "reductions")]
    totals = [rest[0] if rest else call(f)]
    for x in rest[1:]:
        totals.append(call(f, totals[-1], x))
    return List(totals)


def _take_while(call: Call, f: Any, sequence: Any) -> List:
    taken = []
    for x in elements(sequence, "take-while"):
        if not true(call(f, x)):
            break
        taken.append(x)
    return List(taken)


def _drop_while(call: Call, f: Any, sequence: Any) -> List:
    return List(elements(sequence, "drop-while")[len(_take_while(call, f, sequence)) :])


def _group_by(call: Call, f: Any, sequence: Any) -> Any:
    groups: Any = Map({})
    for x in elements(sequence, "group-by"):
        key = call(f, x)
        groups = groups.assoc(key, PRIMITIVES["vector"].function(*elements(groups.get(key), "group-by"), x))
    return groups


def _sort_by(call: Call, f: Any, sequence: Any) -> List:
    keyed = [(call(f, x), x) for x in elements(sequence, "sort-by")]
    return List([x for _, x in sorted(keyed, key=lambda pair: pair[0])])


def _apply(call: Call, f: Any, *some_and_rest: Any) -> Any:
    *some, rest = some_and_rest
    return call(f, *some, *elements(rest, "apply"))


def _update(call: Call, whole: Any, key: Any, f: Any, *further: Any) -> Any:
    before = PRIMITIVES["get"].function(whole, key)
    return PRIMITIVES["assoc"].function(whole, key, call(f, before, *further))


def _update_in(call: Call, whole: Any, path: Any, f: Any, *further: Any) -> Any:
    before = PRIMITIVES["get-in"].function(whole, path)
    return PRIMITIVES["assoc-in"].function(whole, path, call(f, before, *further))


def _comp(call: Call, *procedures: Any) -> Made:
    def composed(*arguments: Any) -> Any:
        if not procedures:
            return arguments[0]
        result = call(procedures[-1], *arguments)
        for f in reversed(procedures[:-1]):
            result = call(f, result)
        return result

    return Made(composed)


HIGHER: dict[str, Callable[..., Any]] = {
    "map": _map,
    "mapv": _mapv,
    "mapcat": _mapcat,
    "map-indexed": _map_indexed,
    "filter": _filter,
    "remove": _remove,
    "some": _some,
    "every?": _every,
    "reduce": _reduce,
    "reductions": _reductions,
    "take-while": _take_while,
    "drop-while": _drop_while,
    "group-by": _group_by,
    "repeatedly": lambda call, n, f: List([call(f) for _ in range(int(n))]),
    "sort-by": _sort_by,
    "apply": _apply,
    "update": _update,
    "update-in": _update_in,
    "comp": _comp,
    "partial": lambda call, f, *bound: Made(lambda *arguments: call(f, *bound, *arguments)),
    "complement": lambda call, f: Made(lambda *arguments: not true(call(f, *arguments))),
    "constantly": lambda call, value: Made(lambda *arguments: value),
    "procedure?": lambda call, f: isinstance(f, Closure | Memo | Made | core.Primitive),
}
"""Procedures that call, make or know procedures, given the way to call one."""

SOURCES: dict[str, Callable[..., Any]] = {
    "flip": enumeration.flip,
    "bernoulli": lambda p: [(1, p), (0, 1.0 - p)],
    "binomial": lambda n, p: enumeration.binomial(int(n), p),
    "discrete": enumeration.discrete,
    "uniform-discrete": lambda low, high: enumeration.uniform_discrete(int(low), int(high)),
    "dirac": lambda value: [(value, 1.0)],
    "factor": lambda log_weight: [(True, math.exp(log_weight))],
    "condition": lambda test: [(True, float(test))],
    "crp": enumeration.Crp,
    "polya-urn": enumeration.PolyaUrn,
    "dirichlet-discrete": enumeration.PolyaUrn,
    "beta-flip": enumeration.BetaFlip,
}
"""What samples and observes take: outcomes with their probabilities, or a process."""
