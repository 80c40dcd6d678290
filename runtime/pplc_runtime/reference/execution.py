"""Executions: the statements of one run, in generations, and a particle that goes through them.

The statements of for loops are unrolled. Generations are cut after each top-level observe; what follows the
last one belongs to the last generation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pplc_runtime.engine.observed import OBSERVED
from pplc_runtime.engine.plan import FOR, RANDOM, TEST
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.messages import given, reportable
from pplc_runtime.primitives.arguments import elements
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.reference.draws import Choice, States
from pplc_runtime.reference.environment import DEEPEST, Environment, Given, Handler, Impossible, Seating
from pplc_runtime.reference.evaluate import at_place, evaluate, placed
from pplc_runtime.reference.syntax import (
    Assume,
    Constant,
    For,
    Input,
    Lambda,
    Mem,
    Observe,
    Predict,
    Program,
    Statement,
)
from pplc_runtime.reference.trace import Trace, transparent
from pplc_runtime.results.ancestry import Outline
from pplc_runtime.values import ModelError


class Step(NamedTuple):
    """A statement of a run: its address, and the loop variables around it."""

    statement: Assume | Observe | Predict
    alpha: At
    local: Mapping[str, Trace]


Segment: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """A run: the inputs, and the segments of its statements."""

    inputs: Mapping[str, Trace]
    segments: tuple[Segment, ...]
    outline: Outline
    """The lines that notes about the run speak of."""
    deepest: int = DEEPEST


class _Certain(Handler):
    """What a for runs over, and the test of an if, is evaluated once, before any particle is."""

    what = FOR

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        raise ModelError(RANDOM[self.what])

    def observe(self, alpha: At, source: Any, value: Any, states: States) -> float:
        raise ModelError(f"{self.what} must not observe")


class _Planned(Environment):
    """A global is evaluated when it is asked for."""

    __slots__ = ("assumes", "certain", "in_loops", "unknown", "wanted")

    def __init__(
        self, assumes: dict[str, tuple[Assume, At]], deepest: int, in_loops: set[str], wanted: set[str]
    ) -> None:
        self.certain = _Certain()
        super().__init__(self.certain, deepest)
        self.assumes = assumes
        self.in_loops = in_loops
        self.wanted = wanted
        """What loops assume and other loops depend on: that is evaluated in each turn."""
        self.unknown: dict[str, Exception] = {}

    def assume(self, statement: Assume, alpha: At, local: Mapping[str, Trace]) -> None:
        self.bindings.pop(statement.name, None)
        self.unknown.pop(statement.name, None)
        try:
            self.bindings[statement.name] = evaluate(statement.value, alpha, self, local)
        except (ModelError, ArithmeticError, RecursionError) as error:
            self.unknown[statement.name] = error

    def global_trace(self, name: str) -> Trace:
        if name in self.in_loops and name not in self.bindings:
            if name not in self.wanted:
                raise _Wanted(name)
            if name in self.unknown:
                raise self.unknown[name]
        if name not in self.bindings and name in self.assumes:
            statement, alpha = self.assumes[name]
            self.bindings[name] = evaluate(statement.value, alpha, self, {})
        return super().global_trace(name)


class _Wanted(BaseException):
    """A loop depends on what another one assumes. No error, which would be given a place."""


def plan(program: Program, data: Mapping[str, Any], deepest: int = DEEPEST) -> Plan:
    """The segments of a run with the given inputs."""
    in_loops: set[str] = set()
    bodies = [s for s in program.statements if isinstance(s, For)]
    while bodies:
        for statement in bodies.pop().body:
            if isinstance(statement, For):
                bodies.append(statement)
            elif isinstance(statement, Assume):
                in_loops.add(statement.name)
    wanted: set[str] = set()
    while True:
        try:
            return _plan(program, data, deepest, in_loops, wanted)
        except _Wanted as more:
            wanted.add(more.args[0])


def _plan(program: Program, data: Mapping[str, Any], deepest: int, in_loops: set[str], wanted: set[str]) -> Plan:
    root = At()
    assumes = {s.name: (s, root["t", i]) for i, s in enumerate(program.statements) if isinstance(s, Assume)}
    R = _Planned(assumes, deepest, in_loops, wanted)
    inputs: dict[str, Trace] = {}
    steps: list[Step] = []

    def unroll(statements: tuple[Statement, ...], at: At, local: Mapping[str, Trace]) -> None:
        for number, statement in enumerate(statements):
            alpha = at["t", number]
            match statement:
                case Input(name, default, place):
                    if name in data:
                        value = data[name]
                    elif default is not None:
                        value = evaluate(default, alpha, R, local).v
                    else:
                        message = f"the input '{name}' has no value; give it with --set, --data or data="
                        raise placed(ModelError(message), place)
                    R.bindings[name] = inputs[name] = transparent(value)
                case For(name, sequence, body, place, test):
                    R.certain.what = TEST if test else FOR
                    value = evaluate(sequence, alpha, R, local).v
                    if value is not None and not isinstance(value, tuple | np.ndarray):
                        message = f"a for runs over a list or a vector, not {given(value)}"
                        raise placed(ModelError(message), place)
                    for turn, element in enumerate(elements(value, "for")):
                        unroll(body, alpha["f", turn], {**local, name: transparent(element)})
                case _:
                    if isinstance(statement, Assume) and statement.name in wanted:
                        R.assume(statement, alpha, local)
                    steps.append(Step(statement, alpha, local))

    unroll(program.statements, root, {})
    if OBSERVED in data:
        steps = _replaced(steps, [value for _, value in data[OBSERVED]])
    segments = _cut(steps)
    return Plan(inputs, segments, _outline(segments), deepest)


def _replaced(steps: list[Step], values: list[Any]) -> list[Step]:
    """Statements with other data, in the order of the observes; those inside of expressions have none."""
    observes = [number for number, step in enumerate(steps) if isinstance(step.statement, Observe)]
    if len(observes) != len(values):
        raise ModelError("the reference engine takes other data for the observes of statements only")
    found = list(steps)
    for number, value in zip(observes, values):
        statement = found[number].statement
        assert isinstance(statement, Observe)
        found[number] = found[number]._replace(statement=replace(statement, value=Constant(value, statement.place)))
    return found


def _outline(segments: tuple[Segment, ...]) -> Outline:
    observes = [[step.statement.place[0] for step in s if isinstance(step.statement, Observe)] for s in segments]
    assumes = (step.statement for step in segments[0] if isinstance(step.statement, Assume))
    first = (assume.place[0] for assume in assumes if not isinstance(assume.value, Lambda | Mem))
    return Outline(tuple(lines[-1] if lines else 0 for lines in observes), next(first, None))


def _cut(steps: list[Step]) -> tuple[Segment, ...]:
    segments: list[list[Step]] = [[]]
    for step in steps:
        segments[-1].append(step)
        if isinstance(step.statement, Observe):
            segments.append([])
    if len(segments) > 1:
        rest = segments.pop()
        segments[-1].extend(rest)
    return tuple(map(tuple, segments))


@dataclass(slots=True)
class Generation:
    """What a particle did in one segment: the traces of each statement; what was drawn, seated and decided.

    A predict has two traces, of its label and its value; other statements have one."""

    traces: list[tuple[Trace, ...]]
    drawn: Mapping[At, Choice]
    seated: Sequence[Seating]
    predicates: Sequence[bool]
    log_weight: float


@dataclass(slots=True)
class Particle:
    """(R_n, tau_n): an execution up to the end of a generation."""

    R: Environment
    generations: list[Generation] = field(default_factory=list)

    @property
    def log_weight(self) -> float:
        """w_n, of the last generation."""
        return self.generations[-1].log_weight

    def fork(self) -> Particle:
        return Particle(self.R.fork(Handler()), list(self.generations))

    def choices(self, first: int = 0) -> dict[At, Choice]:
        """What was drawn from a generation on, in order."""
        return {alpha: choice for g in self.generations[first:] for alpha, choice in g.drawn.items()}

    def given(self, first: int = 0, strict: bool = False) -> Given:
        """What was drawn, and what was seated and decided, from a generation on."""
        later = self.generations[first:]
        return Given(self.choices(first), [g.seated for g in later], [g.predicates for g in later], strict)

    def predicts(self, segments: Sequence[Segment]) -> dict[str, Any]:
        """Label to value; a label that comes again is numbered."""
        found: dict[str, Any] = {}
        seen: dict[str, int] = {}
        for segment, generation in zip(segments, self.generations):
            for step, traces in zip(segment, generation.traces):
                if isinstance(step.statement, Predict):
                    label, value = traces[0].v, traces[1].v
                    text = label if isinstance(label, str) else given(label)
                    seen[text] = seen.get(text, 0) + 1
                    found[text if seen[text] == 1 else f"{text}#{seen[text]}"] = value
        return found


def start(run: Plan) -> Particle:
    """A particle before the first statement."""
    R = Environment(Handler(), run.deepest)
    R.bindings.update(run.inputs)
    return Particle(R)


def execute(step: Step, R: Environment) -> tuple[Trace, ...]:
    """The traces of a statement; an assume binds its symbol in R."""
    statement, alpha, local = step
    match statement:
        case Assume(name, value):
            tau = evaluate(value, alpha, R, local)
            R.bindings[name] = tau
            return (tau,)
        case Predict(label, value, place):
            traces = evaluate(label, alpha["t", 0], R, local), evaluate(value, alpha["t", 1], R, local)
            at_place(lambda: reportable(traces[0].v, traces[1].v), place)
            return traces
        case Observe():
            return (evaluate(statement, alpha, R, local),)


def extend(particle: Particle, segment: Segment, handler: Handler) -> None:
    """Run a particle through a segment. An execution of weight zero ends where it gets it."""
    R = particle.R
    R.handler = handler
    traces: list[tuple[Trace, ...]] = []
    log_weight = 0.0
    try:
        for step in segment:
            traces.append(execute(step, R))
            for tau in traces[-1]:
                log_weight += tau.l
    except Impossible:
        log_weight = -np.inf
    particle.generations.append(Generation(traces, handler.drawn, handler.seated, handler.predicates, log_weight))
