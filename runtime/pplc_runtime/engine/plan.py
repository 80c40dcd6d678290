"""The plan of one run: the segments between its observes, and what is reported at the end.

A loop runs over a sequence that may depend on inputs, not on random values, so that all particles meet the same
observes in the same order; `plan` evaluates those sequences once and cuts the steps into segments, each ending with an
observe. What follows the last observe belongs to the last segment: particles are not resampled after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import Stream
from pplc_runtime.engine.observed import OBSERVED, Observed
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.messages import given
from pplc_runtime.primitives.arguments import elements
from pplc_runtime.program.inner_observes import observes_inside
from pplc_runtime.program.steps import Assume, Input, Loop, Observe, Predict, Step
from pplc_runtime.results.ancestry import NO_OUTLINE, Outline
from pplc_runtime.values import List, Map, Memo, ModelError, Place

FOR: Final = "what a for runs over"
TEST: Final = "the test of a statement"
RANDOM: Final = {
    FOR: f"{FOR} must not be random: every particle meets the same observes; go over what is known, as in "
    "[for [i (range 3)] ...] with (nth xs i), or observe inside of an expression",
    TEST: f"{TEST} must not be random: every particle meets the same observes; choose inside of an expression, as in "
    "[observe (if test d1 d2) v]",
}


@dataclass(frozen=True, slots=True)
class Keep:
    """Keeps globals for a predict that is run later; it stands in no program, but where that predict stands."""

    function: Callable[..., Any]
    place: Place


def keep(turn: int, names: tuple[str, ...], _: At) -> None:
    """Keep globals for the predict of a turn, those that have been assumed by then."""
    assert isinstance(here.handler, Forward)
    here.handler.keep(turn, names)


class Bound:
    """A step of a run: what to call, with which literals and loop variables, at which address."""

    __slots__ = ("arguments", "at", "function", "kept", "name", "place", "step", "turn")

    def __init__(self, step: Any, at: At, arguments: tuple[Any, ...], turn: int) -> None:
        self.step = type(step)
        self.kept: tuple[str, ...] = getattr(step, "kept", ())
        self.turn = turn
        """How many come before it in the program: the order of what is reported."""
        self.name: str = getattr(step, "name", "")
        self.function = step.function
        self.at = at
        self.arguments = arguments
        self.place: Place = step.place

    def calling(self, function: Callable[..., Any]) -> Bound:
        """The same with another function."""
        other = Bound.__new__(Bound)
        other.step, other.kept, other.turn, other.name = self.step, self.kept, self.turn, self.name
        other.at, other.arguments, other.place = self.at, self.arguments, self.place
        other.function = function
        return other

    def put_back(self, store: dict[Any, Any]) -> None:
        """The globals that were kept for it, as they were where it stands."""
        for name in self.kept:
            if (self.turn, name) in store:
                store[name] = store[self.turn, name]
            else:
                store.pop(name, None)


Segment: TypeAlias = list[Bound]


@dataclass(frozen=True, slots=True)
class Plan:
    """One run: the inputs, the segments between its observes, and what is reported of the finished particles; also as
    scripts, where it has a fixed course."""

    inputs: dict[str, Any]
    segments: list[Segment]
    reports: Segment
    root: At
    """The address below which all others are."""
    outline: Outline = NO_OUTLINE
    """The lines that notes about the run speak of."""
    scripts: Any = None
    module: dict[str, Any] = field(default_factory=dict)
    """The generated module, whose functions the segments call."""
    assumed: Mapping[At, tuple[str, bool]] = field(default_factory=dict)
    """The assumes by their addresses, below which they draw: their names, and whether many statements share them."""
    observes_inside: bool = False
    """Whether there are observes inside of expressions."""

    @property
    def shared_memos(self) -> tuple[At, ...]:
        """The addresses of the memos that many statements share."""
        shared = {name for name, is_shared in self.assumed.values() if is_shared}
        return tuple(memo.at for name, memo in self.inputs.items() if name in shared and type(memo) is Memo)

    def without_scripts(self) -> Plan:
        """The same, to be run by the program itself."""
        return self if self.scripts is None else replace(self, scripts=None)


class _Wanted(Exception):
    """A loop depends on what another one assumes."""

    def __init__(self, name: str) -> None:
        self.name = name


class _Planner(Forward):
    """Evaluates what loops run over, and constants: inputs and assumes that no random choice reaches.

    Constants are known to the whole run, wherever they are assumed: a procedure may be called before the constant
    that it reads, whose evaluation is then brought forward."""

    def __init__(self, steps: list[Step], root: At, data: Mapping[str, Any], wanted: set[str]) -> None:
        super().__init__(Stream(), {})
        self.definitions = {s.name: (label, s) for label, s in enumerate(steps) if isinstance(s, Assume | Input)}
        self.root = root
        self.data = data
        self.wanted = wanted
        """What loops assume and other loops depend on: that is evaluated in each turn."""
        self.evaluating: set[str] = set()
        self.unknown: dict[str, Exception] = {}
        """What a loop assumes and cannot be known before the run, with the reason."""
        self.what = FOR

    def read(self, name: str) -> Any:
        if name not in self.store and name in self.definitions:
            label, step = self.definitions[name]
            if step.loops and name not in self.wanted:
                raise _Wanted(name)
            if step.loops:
                raise self.unknown.get(name) or ModelError(f"'{name.split('%')[0]}' is used before it is assumed")
            if name in self.evaluating:
                raise ModelError(f"'{name.split('%')[0]}' is used before it is assumed: its own value depends on it")
            self.evaluating.add(name)
            self.store[name] = self.value_of(step, self.root[label])
        return super().read(name)

    def value_of(self, step: Assume | Input, at: At) -> Any:
        if isinstance(step, Assume):
            assert step.function is not None
            return step.function(at)
        if step.name in self.data:
            return self.data[step.name]
        if step.default is None:
            raise missing_input(step.name, step.place)
        return step.default(at)

    def sample(self, at: At, source: Any) -> Any:
        raise ModelError(RANDOM[self.what])

    def observe(self, at: At, source: Any, value: Any) -> Any:
        raise ModelError(f"{self.what} must not observe")

    def assume(self, step: Assume, at: At, arguments: tuple[Any, ...]) -> None:
        """What a loop assumes in this turn, for the loops that depend on it."""
        assert step.function is not None
        self.store.pop(step.name, None)
        self.unknown.pop(step.name, None)
        try:
            self.store[step.name] = step.function(at, *arguments)
        except (ModelError, ArithmeticError, RecursionError) as error:
            self.unknown[step.name] = error  # of no account unless a loop depends on it


def plan(steps: list[Step], root: At, data: Mapping[str, Any], module: dict[str, Any]) -> Plan:
    """The segments of a run with the given inputs."""
    wanted: set[str] = set()
    while True:  # until nothing is asked for that a loop assumes and that was not known to be asked for
        try:
            return _plan(steps, root, data, module, wanted)
        except _Wanted as more:
            wanted.add(more.name)


def _plan(steps: list[Step], root: At, data: Mapping[str, Any], module: dict[str, Any], wanted: set[str]) -> Plan:
    run_in(Frame.first(1))
    planner = _Planner(steps, root, data, wanted)
    run_in(here.frame, planner)
    inputs: dict[str, Any] = {}
    bound: list[Bound] = []
    reports: list[Bound] = []
    variables: dict[str, Any] = {}
    positions: dict[str, int] = {}
    sequences: dict[int, list[Any]] = {}
    label = 0
    while label < len(steps):
        step = steps[label]
        at = root[label]
        for name in step.loops:
            at = at[positions[name]]
        arguments = tuple(variables[name] for name in step.loops)
        match step:
            case Input(name):
                inputs[name] = planner.read(name)
                label = step.next
            case Loop(function, _, name, body, after):
                planner.what = TEST if step.test else FOR
                if label not in sequences:
                    check_lengths({name: inputs[name] for name in step.together if name in inputs}, (*step.place, 1))
                    sequences[label] = turns_of(function(at, *arguments), (*step.place, 1))
                    positions[name] = -1
                positions[name] += 1
                if positions[name] < len(sequences[label]):
                    variables[name] = sequences[label][positions[name]]
                    label = body
                else:
                    del sequences[label]
                    label = after
            case Assume(function=None):
                label = step.next
            case Assume(name, constant=True):
                inputs[name] = planner.read(name)
                label = step.next
            case _:
                if isinstance(step, Assume) and step.loops and step.name in wanted:
                    planner.assume(step, at, arguments)
                turn = len(bound) + len(reports)
                row = Bound(step, at, arguments + step.row, turn)
                if isinstance(step, Predict) and not step.acts:
                    reports.append(row)
                    if step.kept:
                        bound.append(Bound(Keep(partial(keep, turn, step.kept), step.place), at, (), turn))
                else:
                    bound.append(row)
                label = step.next
    if OBSERVED in data:
        inputs[OBSERVED] = Observed(data[OBSERVED], root)
    segments = _cut(bound)
    assumed = {
        root[label]: (step.name.split("%")[0], step.shared)
        for label, step in enumerate(steps)
        if isinstance(step, Assume)
    }
    inside = observes_inside(module)
    return Plan(
        inputs, segments, reports, root, _outline(segments), module=module, assumed=assumed, observes_inside=inside
    )


def _outline(segments: list[Segment]) -> Outline:
    """The lines of the observes, and of the first assume that may draw before them; constants are none."""
    observes = [[step.place[0] for step in segment if step.step is Observe] for segment in segments]
    first = (step.place[0] for step in segments[0] if step.step is Assume)
    return Outline(tuple(lines[-1] if lines else 0 for lines in observes), next(first, None))


def missing_input(name: str, place: Place) -> ModelError:
    error = ModelError(f"the input '{name}' has no value; give it with --set, --data or data=")
    error.place = (*place, 1)
    return error


def turns_of(sequence: Any, place: tuple[int, int, int]) -> list[Any]:
    """The elements of what a for runs over."""
    if sequence is None or type(sequence) in (np.ndarray, tuple, List, Map):
        return list(elements(sequence, "for"))
    error = ModelError(f"a for runs over a list, a vector or a map, not {given(sequence)}")
    error.place = place
    raise error


def check_lengths(inputs: Mapping[str, Any], place: tuple[int, int, int]) -> None:
    """Data that a for goes over side by side are of one length: `map` would leave out the rest of the longer ones."""
    sizes = {name: len(value) for name, value in inputs.items() if type(value) in (np.ndarray, tuple, List, Map)}
    if len(set(sizes.values())) > 1:
        few, many = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        error = ModelError(
            f"the input '{many}' has {sizes[many]} elements and '{few}' has {sizes[few]}, and a for goes over them "
            f"side by side; if the rest of '{many}' is to be left out, write (take (count {few}) {many})"
        )
        error.place = place
        raise error


def _cut(bound: list[Bound]) -> list[Segment]:
    segments: list[Segment] = [[]]
    for step in bound:
        segments[-1].append(step)
        if step.step is Observe:
            segments.append([])
    if len(segments) > 1:
        rest = segments.pop()
        segments[-1].extend(rest)
    return segments
