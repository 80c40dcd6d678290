"""Delayed sampling: a program of static structure as one that draws nothing which it can integrate out.

    v0 ~ normal 0 1                                        observe factor (log density of 0.5 under normal 0 sqrt(2))
    observe normal v0 1.0 = 0.5                  becomes   ...
    report v0                                              v0 ~ normal 0.25 sqrt(0.5); report v0

A draw from a normal distribution whose mean is an affine function of others that have not been drawn is not drawn
either; nor are draws from beta, gamma and Dirichlet. Where such values are observed, the observe has its density with
them integrated out, and their law becomes that given what was seen. Where something else is done with one, it is drawn
first, by its law as it is then. What has not been drawn in the end, and is reported, is drawn then by its exact law,
jointly. (L. Murray, D. Lundén, J. Kudlicka, D. Broman and T. Schön 2018, "Delayed sampling and automatic
Rao-Blackwellization of probabilistic programs"; here all Gaussian values have one joint law, in place of a chain.)

What comes out is another plan, whose particles have the same posterior and the same evidence: all methods run it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.distributions.base import Family
from pplc_runtime.engine.plan import Plan
from pplc_runtime.program.constructors import CONSTRUCTORS, WEIGHTING_CONSTRUCTORS
from pplc_runtime.specialise.affine import AFFINE, Vector
from pplc_runtime.specialise.conjugates import Conjugate, Scaled, drawn_given, realised, scored
from pplc_runtime.specialise.gaussians import Affine, Group, Joint, reduced
from pplc_runtime.specialise.ir import Compute, Draw, NoFixedCourse, Operation, Report, Score, Struct, Trace, Var
from pplc_runtime.specialise.operations import Certain
from pplc_runtime.specialise.traced import sweep_once, traced
from pplc_runtime.specialise.writer import Writer
from pplc_runtime.values import ModelError

MOST_TOGETHER: Final = 16
"""More Gaussian values than these are not kept at once: the oldest is drawn."""
MOST_ELEMENTS: Final = 6
"""Vectors of more elements are drawn, and not observed one by one."""
_RENAMED: Final = {"ratio": "/", "element": "nth"}
_REFUSED: Final = ("in-order", "pick", "value-of")


def delayed(plan: Plan, draws_all: bool = False) -> Plan:
    """The same program with draws that are delayed; NoFixedCourse where its structure is not static.

    In the end what is reported is drawn, or all that has not been."""
    trace = traced(plan)
    if trace.reports is None:
        raise NoFixedCourse("what is predicted is not always computed alike")
    return _Delaying(trace, draws_all).plan(plan)


def with_delayed(plan: Plan, wanted: bool = True) -> Plan:
    """The same for a run that asks for it: an error where there is none."""
    if not wanted:
        return plan
    try:
        return delayed(plan)
    except NoFixedCourse as reason:
        raise ModelError(
            "draws are delayed in programs in which every execution draws and observes the same things; "
            f"this is none: {reason}"
        ) from None
    except ModelError:  # the program itself, from the same numbers, tells where
        sweep_once(plan)
        raise


class _Delaying:
    """Goes through a trace once, from the first operation to the last."""

    def __init__(self, trace: Trace, draws_all: bool) -> None:
        self.trace = trace
        self.draws_all = draws_all
        self.w = Writer()
        self.joint = Joint(self.w)
        self.values: dict[Var, Any] = {}
        """What each value of the trace is: a slot, a constant, or one that has not been drawn."""
        self.groups: dict[int, Group] = {}
        self.known: dict[int, Any] = {}
        """The Gaussian values that have been drawn."""
        self.put_away: list[tuple[Group, Joint]] = []
        """Those that nothing reads any more, each with its law given those that were left."""
        self.told: list[Report] = []
        self.last_use: dict[Var, int] = {}
        every = [each for segment in trace.segments for each in segment]
        for place, operation in enumerate(every):
            self.last_use.update(dict.fromkeys(operation.uses, place))

    def plan(self, plan: Plan) -> Plan:
        place = 0
        for operations, (_, line) in zip(self.trace.segments, self.trace.ends):
            self.w.begin()
            for operation in operations:
                self.do(operation)
                place += 1
            self.w.end(line > 0 or operations is not self.trace.segments[-1])
            self.put_away_dead(place - 1)
        self.w.begin()
        assert self.trace.reports is not None
        self.draw_for_reports([*self.told, *self.trace.reports])
        for operation in self.trace.reports:
            self.do(operation, final=True)
        reports = [(each.turn, each.label, self.concrete(each.value)) for each in self.told]
        return self.w.plan(plan, self.trace.ends, reports)

    def do(self, operation: Operation, final: bool = False) -> None:
        match operation:
            case Compute():
                self.values[operation.result] = self.compute(operation)
            case Draw():
                self.values[operation.result] = self.draw(operation, final)
            case Score():
                self.score(operation)
            case Report():
                self.told.append(operation)  # it can wait: values stay what they are
            case _:
                pass  # parameters are checked where distributions are made

    # Values

    def symbol(self, operand: Any) -> Any:
        """What an operand is, with what has been drawn by now."""
        if type(operand) is not Var:
            return operand
        value = self.values[operand]
        if isinstance(value, Affine):
            value = self.known_in(value)
        elif type(value) is Vector:
            items = [self.known_in(each) if isinstance(each, Affine) else each for each in value.items]
            value = Vector(items) if any(isinstance(each, Affine) for each in items) else self.w.vector(items)
        elif type(value) is Scaled and value.of.value is not None:
            value = self.w.op("*", value.factor, value.of.value)
        self.values[operand] = value
        return value

    def left_in(self, var: Var) -> set[int]:
        """The Gaussian values in a value that have not been drawn."""
        value = self.values.get(var)
        forms = value.items if type(value) is Vector else [value]
        return {i for form in forms if isinstance(form, Affine) for i in form.terms if i not in self.known}

    def known_in(self, form: Affine) -> Any:
        """An affine function with the values in it that have been drawn."""
        w = self.w
        if self.known.keys().isdisjoint(form.terms):
            return form
        constant, terms = form.constant, {}
        for i, a in form.terms.items():
            if i in self.known:
                constant = w.op("+", constant, w.op("*", a, self.known[i]))
            else:
                terms[i] = a
        return Affine(constant, terms) if terms else constant

    def concrete(self, operand: Any) -> Any:
        """A value as it is drawn, now if it has not been."""
        if type(operand) is Struct:
            return self.w.rebuild(operand.like, tuple(map(self.concrete, operand.children)))
        value = self.symbol(operand)
        if isinstance(value, Affine | Vector | Scaled):
            self.realise(value)
            value = self.symbol(operand)
        return value

    def realise(self, value: Any) -> None:
        """Draw what a value depends on."""
        if type(value) is Scaled:
            realised(self.w, value.of)
            return
        for form in value.items if type(value) is Vector else [value]:
            for i in form.terms if isinstance(form, Affine) else ():
                if i not in self.known:
                    self.realise_group(self.groups[i])

    def realise_group(self, group: Group) -> None:
        self.known.update(zip(group.values, self.joint.drawn(group)))

    # Operations

    def compute(self, operation: Compute) -> Any:
        name = operation.name
        if name in _REFUSED:
            raise NoFixedCourse(f"{name} of values over lanes")
        inside = [var for each in operation.arguments if type(each) is Struct for var in each.uses]
        if not any(isinstance(self.symbol(var), Affine | Vector | Scaled) for var in inside):
            symbols = [each if type(each) is Struct else self.symbol(each) for each in operation.arguments]
            if any(isinstance(each, Affine | Vector | Scaled) for each in symbols) and name in AFFINE and not inside:
                found = AFFINE[name](self.w, operation, symbols)
                if found is not None:
                    return found
        arguments = [self.concrete(each) for each in operation.arguments]
        if name == "select":
            return self.w.select(*arguments)
        return self.w.call(_RENAMED.get(name, name), *arguments)

    def draw(self, draw: Draw, final: bool) -> Any:
        family = draw.family.name
        if final:  # what is only reported is drawn as it is
            return self.w.draw(draw.at, self.made(draw.family), *map(self.concrete, draw.parts))
        if family == "normal":
            mean, sd = self.symbol(draw.parts[0]), self.concrete(draw.parts[1])
            form = mean if isinstance(mean, Affine) else Affine(self.concrete(draw.parts[0]), {})
            self.check_sd(sd)
            square = self.w.op("*", sd, sd)
            return Affine(0.0, {self.new(draw, [self.known_again(form)], lambda a, b: square)[0]: 1.0})
        if family == "mvn" and draw.result.shape[0] <= MOST_ELEMENTS:
            matrix = self.concrete(draw.parts[1])
            forms = self.forms(draw.parts[0], draw.result.shape[0])
            noise = {}
            for a in range(len(forms)):
                for b in range(a, len(forms)):
                    noise[a, b] = self.w.element(matrix, a, b)
            values = self.new(draw, forms, lambda a, b: noise[a, b])
            return Vector([Affine(0.0, {i: 1.0}) for i in values])
        if family in ("beta", "gamma", "dirichlet"):
            parts = [self.concrete(part) for part in draw.parts]
            self.w.call(family, *parts)  # which looks at the parameters
            if family == "dirichlet":
                parts = [self.w.element(parts[0], k) for k in range(draw.result.shape[0])]
            return Scaled(Conjugate(family, draw.at, parts))
        symbol = self.symbol(draw.parts[0]) if draw.parts else None
        if type(symbol) is Scaled:
            found = drawn_given(self.w, symbol, family, draw.at)
            if found is not None:
                return found
        return self.w.draw(draw.at, self.made(draw.family), *map(self.concrete, draw.parts))

    def check_sd(self, sd: Any) -> None:
        """A normal distribution looks at its deviation."""
        if not isinstance(sd, float | int) or sd <= 0:
            self.w.call("normal", 0.0, sd)

    def known_again(self, form: Affine) -> Affine:
        """An affine function of what is left, where others were drawn since."""
        found = self.known_in(form)
        return found if isinstance(found, Affine) else Affine(found, {})

    def forms(self, operand: Any, size: int) -> list[Affine]:
        """The elements of a vector as affine functions."""
        value = self.symbol(operand)
        if type(value) is Vector:
            return [each if isinstance(each, Affine) else Affine(each, {}) for each in value.items]
        value = self.concrete(operand)
        return [Affine(self.w.element(value, k), {}) for k in range(size)]

    def new(self, draw: Draw, forms: list[Affine], noise: Any) -> tuple[int, ...]:
        """Further Gaussian values."""
        while len(self.joint.mean) + len(forms) > MOST_TOGETHER and self.joint.mean:
            self.realise_group(self.groups[next(iter(self.joint.mean))])
            forms = [self.known_again(form) for form in forms]
        first = len(self.groups)
        values = tuple(range(first, first + len(forms)))
        group = Group(draw.at, values, bool(draw.result.shape))
        self.groups.update(dict.fromkeys(values, group))
        self.joint.add(values, forms, noise)
        return values

    def made(self, family: Any) -> str:
        name: str = "condition" if family is Certain else family.name
        if name not in CONSTRUCTORS and name not in WEIGHTING_CONSTRUCTORS:
            raise NoFixedCourse(f"a distribution that is made of others ({name})")
        return name

    # Observes

    def score(self, score: Score) -> None:
        family = score.family.name if isinstance(score.family, Family) else ""
        value = self.concrete(score.value)
        found = None
        if family == "normal":
            sd = self.concrete(score.parts[1])
            mean = self.symbol(score.parts[0])
            if isinstance(mean, Affine) and (type(value) in (int, float) or _has(score.value, ())):
                self.check_sd(sd)
                found = self.joint.observe(mean, self.w.op("*", sd, sd), value)
        elif family == "mvn":
            found = self.score_vector(score, value)
        elif score.parts:
            *others, last = score.parts
            symbol = self.symbol(last)
            if type(symbol) is Scaled:
                found = scored(self.w, symbol, family, tuple(map(self.concrete, others)), value)
        if found is not None:
            self.w.weigh(found)
        else:
            self.w.score(self.made(score.family), tuple(map(self.concrete, score.parts)), value)

    def score_vector(self, score: Score, value: Any) -> Any:
        """An observe of a vector: as few numbers with unit noise, or element by element."""
        matrix = self.concrete(score.parts[1])
        if type(self.symbol(score.parts[0])) is not Vector:
            return None
        forms = self.forms(score.parts[0], 0)
        if not (_has(score.value, (len(forms),)) and _has(score.parts[1], (len(forms), len(forms)))):
            return None
        if type(matrix) is np.ndarray and type(value) is np.ndarray:
            few = reduced(forms, matrix, value)
            if few is not None:
                return self.w.sum(few[2], *(self.joint.observe(form, 1.0, float(y)) for form, y in zip(*few[:2])))
        if len(forms) > MOST_ELEMENTS:
            return None
        first = len(self.groups)
        seen = tuple(range(first, first + len(forms)))
        elements = [[self.w.element(matrix, a, b) for b in range(len(forms))] for a in range(len(forms))]
        self.joint.add(seen, forms, lambda a, b: elements[a][b])
        self.groups.update(dict.fromkeys(seen))  # type: ignore[arg-type] # nobody draws them
        logs = []
        for place, i in enumerate(seen):
            error_of = Affine(0.0, {i: 1.0})
            logs.append(self.joint.observe(error_of, 0.0, self.w.element(value, place)))
            self.joint.drop(i)
        return self.w.sum(*logs)

    # What nobody reads any more

    def put_away_dead(self, place: int) -> None:
        """Values that no later segment reads: their law given the others is kept for what is reported."""
        living: set[int] = set()
        for var in self.values:
            if self.last_use.get(var, -1) > place:
                living |= self.left_in(var)
        for group in dict.fromkeys(self.groups[i] for i in list(self.joint.mean)):
            if living.isdisjoint(group.values):
                self.put_away.append((group, self.joint.copy(self.joint.related(group.values))))
                for i in group.values:
                    self.joint.drop(i)

    def draw_for_reports(self, reports: list[Operation]) -> None:
        """Draw what is reported and has not been drawn, jointly: those that were kept longest first."""
        wanted: set[int] = set()
        for operation in reports:
            wanted.update(i for var in operation.uses for i in self.left_in(var))
        if self.draws_all:
            wanted.update(self.groups)
            for value in list(self.values.values()):
                self.realise(value) if type(value) is Scaled else None
        for group, law in self.put_away:
            if not wanted.isdisjoint(group.values):
                wanted.update(i for i in law.mean if i not in group.values)
        left = self.joint.copy(
            [i for i in self.joint.mean if i in wanted or not wanted.isdisjoint(self.groups[i].values)]
        )
        self.joint = left
        for group in dict.fromkeys(self.groups[i] for i in list(left.mean)):
            self.realise_group(group)
        for group, law in reversed(self.put_away):
            if not wanted.isdisjoint(group.values):
                own = law.copy(law.mean)
                for i in [i for i in own.mean if i not in group.values]:
                    own.know(i, self.known[i])
                self.known.update(zip(group.values, own.drawn(group)))


def _has(operand: Any, shape: tuple[int, ...]) -> bool:
    """Whether an operand surely consists of real numbers in a shape."""
    return getattr(operand, "shape", None) == shape and operand.dtype.kind in "fi"
