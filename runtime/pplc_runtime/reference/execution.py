"""Executions: the statements of one run, in generations, and a particle that goes through them.

The statements of for loops are unrolled. Generations are cut after each top-level observe; what follows the
last one belongs to the last generation. A predict that waits is no part of one: it is evaluated when the particle is
finished, in the globals that there were where it stands, and nobody retains what it draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pplc_runtime.engine.observed import OBSERVED, Observed
from pplc_runtime.engine.plan import FOR, RANDOM, TEST, check_lengths, turns_of
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.messages import given, reportable
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.reference.draws import Choice, States
from pplc_runtime.reference.environment import DEEPEST, Environment, Given, Handler, Impossible, Seating
from pplc_runtime.reference.evaluate import at_place, evaluate, placed
from pplc_runtime.reference.syntax import (
    Assume,
    For,
    Input,
    Lambda,
    Mem,
    Observe,
    Predict,
    Program,
    Statement,
)
from pplc_runtime.reference.trace import Entry, Trace, transparent
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
    observed: Observed | None = None
    """Other data for the observes."""
    root: At = field(default_factory=At)
    """The address below which all others are."""
    assumed: Mapping[At, tuple[str, bool]] = field(default_factory=dict)
    """The assumes by their addresses, below which they draw: their names, and whether many statements share them."""
    shared_memos: tuple[At, ...] = ()
    """The addresses of the memos that many statements share."""

    @property
    def waiting(self) -> list[Step]:
        """The predicts that wait, in order."""
        return [step for segment in self.segments for step in segment if _waits(step)]


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
    in_loops = {s.name for loop in program.statements if isinstance(loop, For) for s in _assumes(loop.body)}
    wanted: set[str] = set()
    while True:
        try:
            return _plan(program, data, deepest, in_loops, wanted)
        except _Wanted as more:
            wanted.add(more.args[0])


def _plan(program: Program, data: Mapping[str, Any], deepest: int, in_loops: set[str], wanted: set[str]) -> Plan:
    root = At()
    assumes = {s.name: (s, root[s.label]) for s in program.statements if isinstance(s, Assume)}
    R = _Planned(assumes, deepest, in_loops, wanted)
    inputs: dict[str, Trace] = {}
    steps: list[Step] = []

    def unroll(statements: tuple[Statement, ...], turns: tuple[int, ...], local: Mapping[str, Trace]) -> None:
        for statement in statements:
            alpha = root[statement.label]
            for turn in turns:
                alpha = alpha[turn]
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
                case For(name, sequence, body, place, _, test, together):
                    R.certain.what = TEST if test else FOR
                    check_lengths({name: inputs[name].v for name in together if name in inputs}, place)
                    value = evaluate(sequence, alpha, R, local).v
                    for turn, element in enumerate(turns_of(value, place)):
                        unroll(body, (*turns, turn), {**local, name: transparent(element)})
                case _:
                    if isinstance(statement, Assume) and statement.name in wanted:
                        R.assume(statement, alpha, local)
                    steps.append(Step(statement, alpha, local))

    unroll(program.statements, (), {})
    segments = _cut(steps)
    observed = Observed(data[OBSERVED], root) if OBSERVED in data else None
    rows = list(_assumes(program.statements))
    assumed = {root[s.label]: (s.name.split("%")[0], s.shared) for s in rows}
    memos = tuple(root[s.label][s.value.site] for s in rows if s.shared and isinstance(s.value, Mem))
    return Plan(inputs, segments, _outline(segments), deepest, observed, root, assumed, memos)


def _assumes(statements: Iterable[Statement]) -> Iterator[Assume]:
    """All assumes, those of loops too."""
    for statement in statements:
        if isinstance(statement, Assume):
            yield statement
        elif isinstance(statement, For):
            yield from _assumes(statement.body)


def _waits(step: Step) -> bool:
    return isinstance(step.statement, Predict) and step.statement.waits


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

    A predict has two traces, of its label and its value, or none if it waits; other statements have one."""

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
    reported: dict[At, tuple[Trace, ...]] = field(default_factory=dict)
    """The traces of the predicts that have waited."""

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
        """Label to value; a label that comes again is numbered. One that has ended does not report what waits."""
        found: dict[str, Any] = {}
        seen: dict[str, int] = {}
        for segment, generation in zip(segments, self.generations):
            for step, traces in zip(segment, generation.traces):
                traces = traces or self.reported.get(step.alpha, ())
                if isinstance(step.statement, Predict) and traces:
                    label, value = traces[0].v, traces[1].v
                    text = label if isinstance(label, str) else given(label)
                    seen[text] = seen.get(text, 0) + 1
                    found[text if seen[text] == 1 else f"{text}#{seen[text]}"] = value
        return found


def start(run: Plan) -> Particle:
    """A particle before the first statement."""
    R = Environment(Handler(), run.deepest, run.observed)
    R.bindings.update(run.inputs)
    return Particle(R)


def report(particle: Particle, run: Plan, handler: Handler) -> None:
    """Evaluate the predicts of a finished particle that have waited; entries that they make are theirs alone."""
    if particle.reported:
        return
    R = particle.R.fork(handler)
    for step in run.waiting:
        R.bindings = {s: tau for s, tau in R.bindings.items() if isinstance(s, Entry)}
        R.bindings.update(R.standing[step.alpha].items())
        particle.reported[step.alpha] = predicted(step, R)


def execute(step: Step, R: Environment) -> tuple[Trace, ...]:
    """The traces of a statement; an assume binds its symbol in R."""
    statement, alpha, local = step
    match statement:
        case Assume(name, value):
            tau = evaluate(value, alpha, R, local)
            R.bindings[name] = tau
            return (tau,)
        case Predict(waits=True):
            R.standing[alpha] = {s: tau for s, tau in R.bindings.items() if isinstance(s, str)}
            return ()
        case Predict():
            return predicted(step, R)
        case Observe():
            return (evaluate(statement, alpha, R, local),)


def predicted(step: Step, R: Environment) -> tuple[Trace, ...]:
    """The traces of the label and the value of a predict."""
    statement, alpha, local = step
    assert isinstance(statement, Predict)
    name, value = evaluate(statement.name, alpha, R, local), evaluate(statement.value, alpha, R, local)
    at_place(lambda: reportable(name.v, value.v), statement.place)
    return name, value


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
        log_weight += handler.log_held
    except Impossible:
        log_weight = -np.inf
    particle.generations.append(Generation(traces, handler.drawn, handler.seated, handler.predicates, log_weight))
