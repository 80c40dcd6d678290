"""Traces: what a program does in every execution, where all executions do the same.

A program is run once, on a few particles, by twins of its functions. The twins call the same primitives as the
functions do, and note each: so the trace has every value over lanes that comes up, and how it was computed from
others. What is the same in all lanes needs no note: it is the same in all executions.

That holds as long as nothing but values depends on values over lanes. A draw in a branch on one, a memo entry for
one, a draw from a process, lanes that part: at the first of them the trace is given up, for the program has no fixed
course. A branch both of whose sides only compute is a choice between two values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import pplc_runtime.program.control as control
from pplc_runtime.distributions import WEIGHTING
from pplc_runtime.distributions.base import Family
from pplc_runtime.engine.forward import Forward
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import reportable
from pplc_runtime.lanes.varying import Lane, Mix, beyond_floats, layout
from pplc_runtime.primitives import higher, indexing, maps, ordering, printing, sequences
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.primitives.comparison import eq, is_true
from pplc_runtime.primitives.facts import FACTS
from pplc_runtime.program.constructors import CONSTRUCTORS, WEIGHTING_CONSTRUCTORS
from pplc_runtime.program.densities import logpdf
from pplc_runtime.program.stochastic import Categorical, Derived, Dirac, Dist, observable, pick
from pplc_runtime.specialise.ir import (
    Check,
    Compute,
    Draw,
    Fit,
    NoFixedCourse,
    Operand,
    Operation,
    Report,
    Score,
    Struct,
    Trace,
    Var,
    vars_in,
)
from pplc_runtime.specialise.operations import NAMES, UPDATES, Certain, in_order, is_whole, select, take, value_of
from pplc_runtime.values import List, Map, Memo, Procedure
from pplc_runtime.values.walk import children

DEEPEST: Final = 6
"""Branches inside of branches that are run both ways."""
_GIVEN: Final = WEIGHTING["factor"]
"""Scores what has been computed."""
MOST_INSIDE: Final = 2000
"""Operations of a branch that is run both ways: a side that no lane takes may not come to an end."""


_ATOMS: Final = frozenset({int, float, bool, str, np.ndarray, type(None)})
_SEQUENCES: Final = frozenset({
    sequences.rest, sequences.next_of, sequences.butlast, sequences.reverse, sequences.as_sequence, sequences.take,
    sequences.drop, sequences.concat, sequences.partition,
})  # fmt: skip
"""Primitives that make a list of the elements of a vector."""
_MAKES_DISTRIBUTIONS: Final = frozenset({*CONSTRUCTORS.values(), *WEIGHTING_CONSTRUCTORS.values()})


class Tracer(Forward):
    """Runs the twins, and writes the trace."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.trace = Trace()
        self.vars: dict[Lane, Var] = {}
        """The values over lanes whose origin is known."""
        self.operands: dict[int, tuple[Any, Operand]] = {}
        """The structures that have come up, by their identity, and what they are to the trace."""
        self.inside = 0
        """The branches on values over lanes that are being run, and below what they have done so far."""
        self.spent = 0
        self.call = self.call_any

    def begin(self) -> None:
        """A segment begins."""
        self.trace.segments.append([])

    def note(self, operation: Operation) -> None:
        if here.frame.to_top is not None:
            raise NoFixedCourse("lanes have parted")
        if self.inside and isinstance(operation, Draw | Score):
            raise NoFixedCourse("a draw or an observe in a branch")
        self.trace.segments[-1].append(operation)

    # Values

    def var(self, lane: Lane) -> Var:
        """A new value of the trace."""
        segment = len(self.trace.segments) - 1
        made = self.vars[lane] = Var(len(self.vars), lane.data.dtype, lane.data.shape[:-1], segment)
        return made

    def has_lanes(self, value: Any) -> bool:
        """Whether there are values over lanes inside of a value."""
        kind = type(value)
        return kind not in _ATOMS and (kind is Lane or type(self.operand(value)) is not kind)

    def operand(self, value: Any) -> Operand:
        """A value as the trace has it."""
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is Lane:
            if value not in self.vars:
                raise NoFixedCourse("a value of unknown origin")
            return self.vars[value]
        if kind is Mix:
            raise NoFixedCourse("lanes have values of different kinds")
        known = self.operands.get(id(value))
        if known is None:
            known = self.operands[id(value)] = value, self.structure(value)
        return known[1]

    def structure(self, value: Any) -> Operand:
        if type(value) is Map and any(self.has_lanes(key) for key, _ in value.items()):
            raise NoFixedCourse("a map with keys that vary")
        inside = tuple([self.operand(child) for child in children(value)])
        uses = vars_in(inside)
        return Struct(value, inside, uses) if uses else value

    def all_operands(self, values: tuple[Any, ...]) -> tuple[Operand, ...]:
        return tuple(map(self.operand, values))

    def spend(self) -> None:
        """Count an operation inside of a branch."""
        if self.inside:
            self.spent += 1
            if self.spent > MOST_INSIDE:
                raise NoFixedCourse("a branch that takes long")

    # Primitives

    def apply(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call a primitive, and note how its result came about; give up where it might have been of another kind."""
        if function is printing.print_values:
            raise NoFixedCourse("print, which scripts do not")
        self.spend()
        if not any(map(self.has_lanes, arguments)):
            return function(*arguments)
        if function is ordering.sort:
            return self.sort(arguments[0])
        if function is sequences.as_vector and type(arguments[0]) in (List, tuple):
            return self.apply(vector, tuple(arguments[0]))
        if function in _SEQUENCES:
            arguments = tuple(map(self.rows, arguments))
        result = function(*arguments)
        kind = type(result)
        if self.only_passes_on(function, arguments) and (kind is not Lane or result in self.vars):
            self.operand(result)
        elif kind is Lane:
            if result in self.vars:  # one of the arguments: another time it may be another
                result = Lane(result.data, result.frame)
            self.computed(result, function, arguments)
        elif function in _MAKES_DISTRIBUTIONS:
            self.operand(result)
            if kind is not Dirac:
                self.check(result.law if isinstance(result, Derived) else result)
        else:
            raise NoFixedCourse(f"{NAMES.get(function, 'a primitive')} of values over lanes")
        return result

    def computed(self, result: Lane, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        given = self.all_operands(arguments)
        self.note(Compute(self.var(result), NAMES[function], given))

    def sort(self, sequence: Any) -> Any:
        """Numbers in increasing order, each of which is a value of its own."""
        if type(sequence) not in (List, tuple, Lane):
            raise NoFixedCourse("sort of what is no sequence")
        packed = sequence if type(sequence) is Lane else self.apply(vector, tuple(sequence))
        if type(packed) is not Lane or packed.data.ndim != 2:
            raise NoFixedCourse("sort of what is not all numbers")
        return List(self.rows(self.apply(in_order, (packed,))))

    def rows(self, value: Any) -> Any:
        """A vector over lanes as its elements, each of which is a value of its own; anything else as it is."""
        if type(value) is not Lane or value.data.ndim == 1:
            return value
        return tuple([self.apply(indexing.nth, (value, position)) for position in range(len(value.data))])

    def only_passes_on(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
        """Whether a primitive does the same whatever the values over lanes are that it is given."""
        if function is sequences.conj:
            return type(arguments[0]) is not Map
        facts = FACTS.get(NAMES.get(function, ""))
        return facts is not None and not any(map(self.has_lanes, arguments[facts.looks]))

    def check(self, dist: Dist) -> None:
        """Note that parameters are in their domains."""
        family = dist.family
        for parameter, part in zip(family.parameters, dist.parts):
            if type(part) is Lane:
                self.note(Check(parameter.domain, self.vars[part]))
        if type(family).problem is not Family.problem and not family.fits_by_shape and self.has_lanes(dist.parts):
            self.note(Fit(family, self.all_operands(dist.parts)))

    def apply_calling(self, function: Callable[..., Any], at: At, arguments: tuple[Any, ...]) -> Any:
        """Call a primitive that calls procedures."""
        self.spend()
        if function is higher.map_to_vector:
            return self.apply(vector, self.apply_calling(higher.map_over, at, arguments))
        if function is higher.map_concat:
            return self.apply(sequences.concat, self.apply_calling(higher.map_over, at, arguments))
        if function in UPDATES:
            get, put = UPDATES[function]
            value, key, procedure, *further = arguments
            new = self.call_any(at[0], procedure, self.apply(get, (value, key)), *further)
            return self.apply(put, (value, key, new))
        facts = FACTS.get(NAMES.get(function, ""))
        if facts is None or facts.calls is None:
            raise NoFixedCourse("a primitive that may look at what its procedure gives")
        if facts.goes_by:
            self.call = self.call_for_all
        sequences_at = 1 if function is higher.map_over else len(arguments) - 1
        parts = (*arguments[:sequences_at], *map(self.rows, arguments[sequences_at:]))
        if type(parts[-1]) is Lane:
            raise NoFixedCourse("a number of calls that depends on values over lanes")
        result = function(at, *parts)
        self.call = self.call_any
        self.operand(result)
        return result

    def call_for_all(self, at: At, operator: Any, *arguments: Any) -> Any:
        """Call a procedure whose value is looked at: all lanes must have the same."""
        self.call = self.call_any
        result = self.call_any(at, operator, *arguments)
        if self.has_lanes(result):
            raise NoFixedCourse("a primitive that looks at what varies by lane")
        self.call = self.call_for_all
        return result

    # Control

    def decided(self, truth: Any) -> Any:
        if self.call != self.call_for_all:
            raise NoFixedCourse("a branch")
        return truth

    def branch(self, test: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
        """One of two ways; both, where lanes disagree and neither does more than compute a value."""
        test = self.agreed(test)
        if type(test) is bool:
            return then() if test else other()
        if not self.inside:
            self.spent = 0
        self.inside += 1
        if self.inside > DEEPEST:
            raise NoFixedCourse("branches inside of branches")
        one, two = then(), other()
        self.inside -= 1
        return self.select(test, one, two)

    def choose(self, test: Any, then: Any, other: Any) -> Any:
        test = self.agreed(test)
        if type(test) is bool:
            return then if test else other
        return self.select(test, then, other)

    def agreed(self, test: Any) -> Any:
        """A bool, or booleans over lanes."""
        self.spend()
        if type(test) is Mix:
            raise NoFixedCourse("lanes have values of different kinds")
        if type(test) is Lane and test.data.dtype.kind == "b" and test.data.ndim == 1:
            return test
        return True if type(test) is Lane else is_true(test)

    def select(self, test: Lane, then: Any, other: Any) -> Any:
        """One of two values that lanes choose from."""
        if then is other:
            return then
        if type(then) is Dist and type(other) is Dist and then.family is other.family:
            return Dist(then.family, tuple(self.select(test, a, b) for a, b in zip(then.parts, other.parts)))
        if layout(then) is None or layout(then) != layout(other) or is_whole(then) != is_whole(other):
            raise NoFixedCourse("a branch on values of different kinds")
        result = select(test, then, other)
        self.computed(result, select, (test, then, other))
        return result

    def call_any(self, at: At, operator: Any, *arguments: Any) -> Any:
        """As `control.call`, by way of the tracer."""
        self.spend()
        kind, number = type(operator), len(arguments)
        if kind is Memo:
            if any(map(self.has_lanes, arguments)):
                raise NoFixedCourse("a memo entry for a value over lanes")
            return Forward.entry(self, operator, control.entry_address(operator, arguments), arguments)
        if kind is Primitive:
            control.check_arity(operator, number)
            if operator.addressed:
                return self.apply_calling(operator.function, at, arguments)
            return self.apply(operator.function, arguments)
        if kind is Map and number in (1, 2):
            return self.apply(maps.get, (operator, *arguments))
        if number == 1 and (kind in (tuple, np.ndarray) or (kind is Lane and operator.data.ndim > 1)):
            return self.apply(indexing.nth, (operator, *arguments))
        if kind is not Procedure and any(map(self.has_lanes, (operator, *arguments))):
            raise NoFixedCourse("a call of something else than a procedure")
        return control.call(at, operator, *arguments)

    def compute(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        if self.inside:
            raise NoFixedCourse("a memo entry that only some lanes compute")
        return super().compute(memo, at, arguments)

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        raise NoFixedCourse("a memo entry for a value over lanes")

    def entries(self, memo: Memo, argument: Lane) -> Any:
        raise NoFixedCourse("a memo entry for a value over lanes")

    # Samples and observes

    def sample(self, at: At, source: Any) -> Any:
        kind = type(source)
        if isinstance(source, Derived) and kind is not Categorical:
            return self.apply(value_of, (source, self.draw(at, source.chosen)))
        if kind is Categorical:
            numbers = vector(*source.values)
            position = self.draw(at, source.chosen)
            exact = not any(map(beyond_floats, source.values))
            if exact and type(numbers) is np.ndarray and numbers.ndim == 1:
                return self.apply(take, (numbers, position))
            return self.apply(pick, (source.values, position))
        if kind is not Dist and kind is not Dirac:
            raise NoFixedCourse("a draw from a process")
        return super().sample(at, source)

    def draw(self, at: At, source: Dist) -> Any:
        result = super().draw(at, source)
        self.note(Draw(self.var(result), at, source.family, self.all_operands(source.parts)))
        return result

    def weigh(self, score: Any) -> None:
        self.log_weights += score  # a lane of weight zero goes on: nobody looks at it

    def score(self, at: At, source: Any, value: Any) -> Any:
        if type(source) is Dirac and type(value) is not Mix:
            return self.score_certain(self.apply(eq, (source.parts[0], value)))
        if isinstance(source, Derived) and type(value) is not Mix:
            return self.score(at, Dist(_GIVEN, (self.apply(logpdf, (source, value)),)), True)
        if type(source) is not Dist or type(value) is Mix:
            raise NoFixedCourse("an observe of a process, or of values of different kinds")
        value = observable(source, value)
        density = source.log_density(value)
        self.note(Score(source.family, self.all_operands(source.parts), self.operand(value)))
        if type(density) is not np.ndarray and not density > -np.inf:
            raise NoFixedCourse("an impossible observe")
        return density

    def score_certain(self, holds: Any) -> Any:
        """An observe of a dirac, by whether the value is what it has to be."""
        if type(holds) is not Lane:
            if holds is not True:
                raise NoFixedCourse("an impossible observe")
            return 0.0
        self.note(Score(Certain, (self.operand(holds),), True))
        return Certain.log_density(True, holds.at(here.frame))

    def report(self, turn: int, label: Any, value: Any) -> None:
        """A predict."""
        if self.has_lanes(label):
            raise NoFixedCourse("a label that depends on values over lanes")
        label, value = reportable(label, value)
        self.note(Report(turn, label, self.operand(value)))
