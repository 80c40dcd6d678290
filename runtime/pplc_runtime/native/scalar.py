"""Operations of a specialised program as scalar code of the middle language, for one particle.

A small value is a few variables, one for each of its elements; a large one stands in the scratch array `S`. Numbers of
every kind are reals: whole ones up to 2^53, truths as 0 and 1. What differs between segments of one form is a
constant, written as a mark; `forms` finds which constants all segments of a form share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.distributions.domains import (
    BOUND,
    COUNT,
    INTEGER,
    LOG_WEIGHT,
    LOGIT,
    POSITIVE,
    POSITIVE_DEFINITE,
    POSITIVE_PROBABILITY,
    POSITIVE_VECTOR,
    PROBABILITY,
    RATE_OF_COUNTS,
    REAL,
    TRUTH,
    VECTOR,
    WEIGHTS,
)
from pplc_runtime.distributions.independent import domain_of_elements
from pplc_runtime.native.bounded import fit
from pplc_runtime.native.composites import composite
from pplc_runtime.native.computed import FORMULAS, SPECIAL
from pplc_runtime.native.library import FUNCTIONS
from pplc_runtime.native.noise import SMALL_ROOT
from pplc_runtime.native.roots import small_density
from pplc_runtime.native.values import Elements, Unsupported, size_of
from pplc_runtime.specialise.ir import Check, Compute, Draw, Fit, Operand, Operation, Report, Score, Scored, Struct, Var
from pplc_runtime.specialise.operations import Certain
from pplc_runtime.values import List

SMALL: Final = 16
"""Values of so many elements are variables."""
MANTISSA: Final = float(2**53)


@dataclass(frozen=True, slots=True)
class Constant:
    """What may differ between segments of one form: a real, a whole number, an array of reals, or the segment."""

    kind: str
    value: Any
    data: bool = False
    """Whether it is what is observed: programs that differ in their data alone share their code."""
    source: Any = None
    """What it was found by (see `alike`): a value by where it stands, or a number by its place."""


class Row:
    """The code of a segment that is alike another one, with constants of its own."""

    __slots__ = ("code", "values")

    def __init__(self, code: Scalar, values: list[Any]) -> None:
        self.code = code
        self.values = values

    @property
    def lines(self) -> list[str]:
        return self.code.lines

    @property
    def constants(self) -> list[Constant]:
        return [replace(constant, value=value) for constant, value in zip(self.code.constants, self.values)]


class Scalar(ABC):
    """The code of one segment, line by line."""

    ends: str
    """How the code ends where something is wrong; and below where the density is zero."""
    impossible: str
    first_message = 0
    """The number of the first message."""

    def __init__(self, segment: int) -> None:
        self.segment = segment
        self.messages: list[str] = []
        """What may be wrong."""
        self.roots: dict[Var, tuple[str, str]] = {}
        """The roots of covariances that have been taken; and of small ones."""
        self.small_roots: dict[Var, tuple[list[list[str]], str]] = {}
        self.lines: list[str] = []
        self.before: list[str] = []
        """What is done before a loop whose body this is."""
        self.normals = 0
        """How many normal numbers each turn takes that are drawn there."""
        self.constants: list[Constant] = []
        self.values: dict[Var, Elements] = {}
        self.looked_up: dict[Var, tuple[NDArray[np.float64], str]] = {}
        """What is looked up in a table of constants: the table, and in which of its rows."""
        self.observed: Any = None
        """What the running density is of."""
        self.count = 0
        self.scratch = 0
        """How much of `S` is taken."""
        self.slots: dict[int, int] = {}
        """The places of numbers, by identity (see `alike`)."""

    # Lines, names and constants

    def line(self, text: str) -> None:
        self.lines.append(text)

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def constant(self, kind: str, value: Any, data: bool = False, source: Any = None) -> str:
        self.constants.append(Constant(kind, value, data, source))
        return f"@{len(self.constants) - 1}@"

    def fail(self, message: str) -> str:
        """What is done where something is wrong: `E` tells the segment, and what it is."""
        self.messages.append(message)
        number = self.first_message + len(self.messages) - 1
        return f"E[0] = {self.constant('segment', self.segment)}; E[1] = {number}; {self.ends}"

    def set(self, text: str) -> str:
        """A variable."""
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def room(self, size: int) -> str:
        """A place in the scratch array."""
        start = self.scratch
        self.scratch += size
        return f"S[{start}:]"

    def end(self) -> None:  # noqa: B027 # only some have more to write
        """Told when all operations are written."""

    # Values

    @abstractmethod
    def load(self, var: Var) -> Elements:
        """A value that was computed or drawn in another segment."""

    @abstractmethod
    def keep(self, var: Var, value: Elements) -> None:
        """Told of every value that is computed."""

    def back(self, lines: list[str]) -> None:  # noqa: B027 # only some go back
        """Told of a loop, by the lines that stand for it on the way back (see `reverse`), if there are any."""

    def value(self, operand: Operand) -> Elements:
        if type(operand) is Var:
            if operand not in self.values:
                self.values[operand] = self.load(operand)
            return self.values[operand]
        if isinstance(operand, bool | int | float):
            if type(operand) is int and abs(operand) > MANTISSA:
                raise Unsupported("a large whole number")
            place = self.slots.get(id(operand))
            return Elements((), (self.constant("real", float(operand), operand is self.observed, place),))
        if type(operand) is np.ndarray and operand.dtype.kind in "fi":
            if operand.size <= SMALL:
                place, data = self.slots.get(id(operand)), operand is self.observed
                items = [
                    self.constant("real", float(item), data, None if place is None else place + k)
                    for k, item in enumerate(operand.ravel())
                ]
                return Elements(operand.shape, tuple(items))
            return self.table(np.ascontiguousarray(operand, float))
        if type(operand) is Struct and type(operand.like) in (tuple, List):
            rows = [self.value(child) for child in operand.children]
            if rows and all(row.items and row.shape == rows[0].shape for row in rows):
                return Elements((len(rows), *rows[0].shape), tuple(item for row in rows for item in row.items))
        raise Unsupported(f"a {type(operand).__name__}")

    def table(self, values: NDArray[np.float64]) -> Elements:
        """Constants that stand in an array."""
        return Elements(values.shape, array=f"KA[{self.constant('array', values.ravel())}:]")

    def number(self, operand: Operand) -> str:
        found = self.value(operand)
        if found.shape:
            raise Unsupported("a vector where a number is wanted")
        return found.items[0]

    def array(self, value: Elements) -> str:
        """A value as an array."""
        if value.array:
            return value.array
        room = self.room(value.size)
        start = room[2:-2]
        for position, item in enumerate(value.items):
            self.line(f"S[{int(start) + position}] = {item}")
        return room

    def element(self, value: Elements, position: int) -> str:
        return value.items[position] if value.items else f"{value.array[:-2]} + {position}]"

    def define(self, var: Var, items: list[str]) -> None:
        """A value by the expressions of its elements."""
        value = Elements(var.shape, tuple(item if _is_simple(item) else self.set(item) for item in items))
        self.values[var] = value
        self.keep(var, value)

    # Operations

    def write(self, operation: Operation) -> None:
        match operation:
            case Compute():
                self.compute(operation)
            case Check(domain, value):
                if value not in self.looked_up or not all(map(domain.holds, self.looked_up[value][0])):
                    self.check(domain, self.value(value))
            case Fit(family, parts):
                self.fit(family, parts)
            case Draw():
                self.draw(operation)
            case Score(family, parts, value):
                self.observed = value
                self.add(self.density(family, parts, value))
                self.observed = None
            case Report():
                pass

    @abstractmethod
    def draw(self, draw: Draw) -> None:
        """A sample."""

    def add(self, density: str) -> None:
        """A log density."""
        term = self.set(density)
        self.line(f"if not ({term} < inf): {self.fail('the density of this observe is not a number')}")
        self.line(f"if {term} == -inf: {self.impossible}")
        self.line(f"lp = lp + {term}")

    def check(self, domain: Domain, value: Elements) -> None:
        wrong = self.fail(f"a parameter must be {domain.text}")
        domain = domain_of_elements(domain) or domain
        if domain is VECTOR and value.array:
            index, bad = self.name(), self.set("0")
            item = f"{value.array[:-2]} + {index}]"
            self.line(f"for {index} in range({value.size}):")
            self.line(f"    if not ({item} - {item} == 0.0): {bad} = 1")
            self.line(f"if {bad} == 1: {wrong}")
            return
        if not value.items or (domain is not POSITIVE_DEFINITE and domain not in TESTS):
            raise Unsupported(f"a check of {domain.text}")
        if domain is POSITIVE_DEFINITE and len(value.shape) == 1:  # by its root
            tests = [f"{value.items[-1]} == {value.items[-1]}"]
        elif domain is POSITIVE_DEFINITE:  # the rest is seen where its root is taken
            size = value.shape[0]
            tests = [
                f"{value.items[i * size + j]} == {value.items[j * size + i]}" for i in range(size) for j in range(i)
            ]
        else:
            tests = [TESTS[domain].format(item) for item in value.items]
        if domain is WEIGHTS:
            tests.append(f"{' + '.join(value.items)} > 0.0")
        for test in tests:
            self.line(f"if not ({test}): {wrong}")

    def fit(self, family: Family, parts: tuple[Operand, ...]) -> None:
        fit(self, family, parts)

    def density(self, family: Scored, parts: tuple[Operand, ...], value: Operand) -> str:
        if family is Certain:
            return f"lp_certain({self.number(parts[0])})"
        assert isinstance(family, Family)
        if family.name == "mvn":
            return self.mvn_density(parts, self.value(value))
        made = composite(self, family, parts, value)
        if made is not None:
            return made
        name = f"lp_{family.name.replace('-', '_')}"
        if name not in FUNCTIONS:
            raise Unsupported(f"the density of {family.name}")
        if family.name == "discrete":
            weights = self.value(parts[0])
            return f"{name}({self.number(value)}, {weights.size}, {self.array(weights)})"
        if family.name == "dirichlet":
            x = self.value(value)
            return f"{name}({x.size}, {self.array(x)}, {self.array(self.value(parts[0]))})"
        return f"{name}({', '.join(map(self.number, (value, *parts)))})"

    def mvn_density(self, parts: tuple[Operand, ...], x: Elements) -> str:
        mean, size = self.value(parts[0]), x.size
        covariance = parts[1]
        if type(covariance) is np.ndarray and not (covariance - np.diag(np.diag(covariance))).any():
            variances = np.diag(covariance).astype(float)
            peak = self.constant("real", float(-0.5 * np.log(2.0 * np.pi * variances).sum()))
            halves = self.constant("array", 0.5 / variances)
            return f"lp_mvn_diagonal({size}, {self.array(x)}, {self.array(mean)}, KA[{halves}:], {peak})"
        if type(covariance) is Var and (len(covariance.shape) == 1 or (size <= SMALL_ROOT and x.items and mean.items)):
            return small_density(self, x, mean, covariance)
        root, log_root = self.root(covariance)
        return f"lp_mvn({size}, {self.array(x)}, {self.array(mean)}, {root}, {log_root}, {self.room(size)})"

    def root(self, covariance: Operand) -> tuple[str, str]:
        """The root of a covariance, and the log of its determinant."""
        if type(covariance) is np.ndarray:
            root = np.linalg.cholesky(covariance.astype(float))
            log_root = self.constant("real", float(np.log(np.diag(root)).sum()))
            return f"KA[{self.constant('array', root.ravel())}:]", log_root
        value = self.value(covariance)
        size = value.shape[0]
        if covariance not in self.roots:
            room = self.room(size * size)
            log_root = self.set(f"cholesky({size}, {self.array(value)}, {room})")
            wrong = self.fail(f"a parameter must be {POSITIVE_DEFINITE.text}")
            self.line(f"if not ({log_root} == {log_root}): {wrong}")
            self.roots[covariance] = room, log_root
        return self.roots[covariance]

    # What is computed

    def compute(self, computed: Compute) -> None:
        result, name, arguments = computed.result, computed.name, computed.arguments
        special = SPECIAL.get(name)
        if special is not None:
            special(self, result, arguments)
            return
        if name in ("=", "not=") and len({_is_truth(argument) for argument in arguments}) > 1:
            raise Unsupported("whether a truth is a number")
        formula = FORMULAS.get((name, len(arguments)))
        if formula is None:
            raise Unsupported(f"'{name}'")
        values = [self.value(argument) for argument in arguments]
        if any(value.array for value in values) or result.shape not in [value.shape for value in values]:
            raise Unsupported(f"'{name}' of large values")
        if any(value.shape not in ((), result.shape) for value in values):
            raise Unsupported(f"'{name}' of shapes that differ")
        columns = [value.items if value.shape else value.items * max(1, size_of(result)) for value in values]
        self.define(result, [self.formula(name, formula, row) for row in zip(*columns)])
        if result.dtype.kind == "i" and name in ("+", "-", "*", "square"):
            for item in self.values[result].items:
                self.line(f"if not (fabs({item}) <= {MANTISSA}): {self.fail('a whole number is too large')}")

    def formula(self, name: str, formula: str, row: tuple[str, ...]) -> str:
        if name == "/" and len(row) == 2 and not self.is_nonzero(row[1]):
            self.line(f"if {row[1]} == 0.0: {self.fail('division by zero')}")
        return formula.format(*row)

    def is_nonzero(self, item: str) -> bool:
        return item.startswith("@") and bool(self.constants[int(item[1:-1])].value)


def _is_truth(operand: Operand) -> bool:
    return operand.dtype.kind == "b" if type(operand) is Var else type(operand) is bool


def _is_simple(item: str) -> bool:
    return item.isidentifier() or (item.startswith("@") and item.count("@") == 2 and item.endswith("@"))


_FINITE: Final = "{0} - {0} == 0.0"
_WHOLE: Final = "floor({0}) == {0} and fabs({0}) <= 9007199254740992.0"
TESTS: Final[dict[Domain, str]] = {
    REAL: _FINITE, VECTOR: _FINITE, LOGIT: "{0} == {0}", BOUND: "{0} == {0}", POSITIVE: "{0} > 0.0 and {0} < inf",
    POSITIVE_VECTOR: "{0} > 0.0 and {0} < inf", RATE_OF_COUNTS: "{0} >= 0.0 and {0} <= 9.2e18",
    PROBABILITY: "{0} >= 0.0 and {0} <= 1.0", POSITIVE_PROBABILITY: "{0} > 0.0 and {0} <= 1.0", INTEGER: _WHOLE,
    LOG_WEIGHT: "{0} < inf", TRUTH: "{0} == {0}", COUNT: "{0} >= 0.0 and " + _WHOLE,
    WEIGHTS: "{0} >= 0.0 and {0} < inf",
}  # fmt: skip
