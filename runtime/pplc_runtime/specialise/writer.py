"""Writes the segments of a program anew: operations one by one, and at the end a plan that performs them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

import pplc_runtime.specialise.performed as performed
from pplc_runtime.engine.observed import OBSERVED
from pplc_runtime.engine.plan import Bound, Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.program.names import primitive
from pplc_runtime.program.steps import Assume, Observe, Predict
from pplc_runtime.results.ancestry import Outline
from pplc_runtime.specialise.ir import NoFixedCourse
from pplc_runtime.specialise.performed import Call, Choose, Rebuild, Sample, Slot, Work
from pplc_runtime.values import Place

_FOLDED: Final = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
_REPORTS: Final = "delayed values"


@dataclass(slots=True)
class Written:
    """A segment."""

    instructions: list[Any] = field(default_factory=list)
    terms: list[tuple[Slot | None, Any]] = field(default_factory=list)
    """Of its weight: a distribution and what was seen, or none and a log density."""
    source: Slot | None = None
    seen: Any = True
    """What it observes in the end."""


class Writer:
    """Segments, of which the last is written."""

    def __init__(self) -> None:
        self.segments: list[Written] = []
        self.home: dict[int, int] = {}
        """The segment in which a value comes up."""
        self.known: dict[Any, Any] = {}
        """Elements that were taken out of vectors."""

    def begin(self) -> None:
        self.segments.append(Written())

    def slot(self) -> Slot:
        made = Slot(len(self.home))
        self.home[made.number] = len(self.segments) - 1
        return made

    def put(self, instruction: Any) -> Slot:
        self.segments[-1].instructions.append(instruction)
        result: Slot = instruction.result
        return result

    # Operations

    def call(self, name: str, *arguments: Any) -> Any:
        """A primitive by its name."""
        return self.put(Call(self.slot(), primitive(name), arguments))

    def op(self, name: str, a: Any, b: Any) -> Any:
        """Arithmetic on single numbers; that of constants is done at once."""
        if _is_number(a) and _is_number(b) and (name != "/" or b != 0):
            return float(_FOLDED[name](float(a), float(b)))
        if name == "*":
            for one, other in ((a, b), (b, a)):
                if _is_number(one) and one == 0:
                    return 0.0
                if _is_number(one) and one == 1:
                    return other
        if name in ("+", "-") and _is_number(b) and b == 0:
            return a
        if name == "+" and _is_number(a) and a == 0:
            return b
        if name == "/" and _is_number(b) and b == 1:
            return a
        return self.call(name, a, b)

    def sum(self, *terms: Any) -> Any:
        total: Any = 0.0
        for term in terms:
            total = self.op("+", total, term)
        return total

    def times(self, *factors: Any) -> Any:
        found: Any = 1.0
        for factor in factors:
            found = self.op("*", found, factor)
        return found

    def log(self, a: Any) -> Any:
        return math.log(a) if _is_number(a) and a > 0 else self.call("log", a)

    def root(self, a: Any) -> Any:
        """A square root of what is not negative, but for rounding."""
        return math.sqrt(max(a, 1e-300)) if _is_number(a) else self.call("sqrt", self.call("max", a, 1e-300))

    def select(self, test: Any, then: Any, other: Any) -> Any:
        if type(test) is bool:
            return then if test else other
        if _is_number(then) and _is_number(other) and then == other:
            return then
        return self.put(Choose(self.slot(), (test, then, other)))

    def element(self, value: Any, *places: int) -> Any:
        """An element of a vector or matrix."""
        for place in places:
            if type(value) is np.ndarray:
                value = value.item(place) if value.ndim == 1 else value[place]
                continue
            key = value.number, place
            if key not in self.known:
                self.known[key] = self.call("nth", value, place)
            value = self.known[key]
        return value

    def vector(self, items: list[Any]) -> Any:
        return np.array(items, float) if all(map(_is_number, items)) else self.call("vector", *items)

    def rebuild(self, like: Any, children: tuple[Any, ...]) -> Slot:
        return self.put(Rebuild(self.slot(), like, children))

    def draw(self, at: At, family: str, *parts: Any) -> Slot:
        return self.put(Sample(self.slot(), at, self.call(family, *parts)))

    # Weights

    def weigh(self, log_density: Any) -> None:
        self.segments[-1].terms.append((None, log_density))

    def score(self, family: str, parts: tuple[Any, ...], value: Any) -> None:
        self.segments[-1].terms.append((self.call(family, *parts), value))

    def end(self, observes: bool) -> None:
        """A segment ends: all that it weighs by is one observe."""
        segment = self.segments[-1]
        if not segment.terms and not observes:
            return
        if len(segment.terms) == 1 and segment.terms[0][0] is not None:
            segment.source, segment.seen = segment.terms[0]
            return
        logs = [self.call("logpdf", source, value) if source is not None else value for source, value in segment.terms]
        segment.source, segment.seen = self.call("factor", self.sum(*logs)), True

    # The plan

    def plan(self, before: Plan, ends: list[tuple[Place, int]], reports: list[tuple[int, Any, Any]]) -> Plan:
        """The plan of all segments, of which the last is what is reported: turns, labels and values."""
        writes = self.writes(reports)
        segments = []
        for number, segment in enumerate(self.segments[:-1]):
            place, _ = ends[number]
            at = before.root["delayed"][number]
            steps = [_step(Assume(_name(number), performed.perform, (), 0, place), at, (self.work(number, writes),), 0)]
            if segment.source is not None:
                seen = segment.seen
                if type(seen) is Slot:
                    seen = Slot(writes[number].index(seen.number))
                arguments = (_name(number), writes[number].index(segment.source.number), seen)
                steps.append(_step(Observe(performed.observed, (), 0, place), at["observe"], arguments, 0))
            segments.append(steps)
        last = len(self.segments) - 1
        nowhere = ends[-1][0]
        at = before.root["delayed"][last]
        told = [_step(Assume(_REPORTS, performed.perform, (), 0, nowhere), at, (self.work(last, writes),), 0)]
        for turn, label, value in reports:
            if type(value) is Slot:
                value = Slot(writes[last].index(value.number))
            told.append(_step(Predict(performed.predicted, (), 0, nowhere), at[turn], (label, _REPORTS, value), turn))
        outline = Outline(tuple(line for _, line in ends), before.outline.first)
        module = vars(performed)
        inputs = {name: value for name, value in before.inputs.items() if name != OBSERVED}  # which is in the trace
        return replace(
            before,
            inputs=inputs,
            segments=segments,
            reports=told,
            outline=outline,
            scripts=None,
            module=module,
            observes_inside=False,
        )

    def writes(self, reports: list[tuple[int, Any, Any]]) -> list[tuple[int, ...]]:
        """What each segment writes: what others read, and what it observes or reports."""
        found: list[dict[int, None]] = [{} for _ in self.segments]
        for number, segment in enumerate(self.segments):
            for used in _used(segment.instructions):
                if self.home[used] != number:
                    found[self.home[used]][used] = None
            for value in (segment.source, segment.seen):
                if type(value) is Slot:
                    found[number][value.number] = None
                    if self.home[value.number] != number:
                        raise NoFixedCourse("an observe of what is known before")
        for _, _, value in reports:
            if type(value) is Slot:
                found[self.home[value.number]][value.number] = found[-1][value.number] = None
        return [tuple(own) for own in found]

    def work(self, number: int, writes: list[tuple[int, ...]]) -> Work:
        used = [slot for slot in dict.fromkeys(_used(self.segments[number].instructions)) if self.home[slot] != number]
        wanted = dict.fromkeys([*used, *(slot for slot in writes[number] if self.home[slot] != number)])
        reads: dict[int, list[tuple[int, int]]] = {}
        for slot in wanted:
            home = self.home[slot]
            reads.setdefault(home, []).append((slot, writes[home].index(slot)))
        named = tuple((_name(home), tuple(places)) for home, places in reads.items())
        return Work(named, tuple(self.segments[number].instructions), writes[number])


def _name(number: int) -> str:
    return f"delayed {number}"


def _step(step: Any, at: At, arguments: tuple[Any, ...], turn: int) -> Bound:
    return Bound(step, at, arguments, turn)


def _used(instructions: list[Any]) -> list[int]:
    found = []
    for each in instructions:
        values = (each.source,) if type(each) is Sample else each.children if type(each) is Rebuild else each.arguments
        found += [value.number for value in values if type(value) is Slot]
    return found


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) or isinstance(value, np.floating | np.integer)
