"""Operations that are alike: they differ in numbers and in where values stand, so that their code is the same.

The rows of a regression are alike. Code is written for the first of them, with marks for what may differ; the others
have a row of constants each.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from pplc_runtime.distributions.truncated import Bounded
from pplc_runtime.native.scalar import MANTISSA, SMALL, Constant, Row, Scalar
from pplc_runtime.specialise.ir import Check, Compute, Operation, Score, Var

_PLACES: Final = frozenset({"nth", "get", "element"})
"""Operations whose code depends on a whole number that they are given."""


class Pattern(NamedTuple):
    """What the code of some operations depends on; and what may differ between those that are alike: the values that
    they read and compute, and numbers."""

    key: tuple[Any, ...]
    vars: list[Var]
    numbers: list[float]


def pattern(operations: Sequence[Operation], kept: Container[Var]) -> Pattern | None:
    """The pattern of some operations, which keep some of what they compute; None for those that are written out."""
    key: list[Any] = []
    found: list[Var] = []
    numbers: list[float] = []
    places: dict[Var, int] = {}
    for operation in operations:
        kind = type(operation)
        if kind is Compute:
            assert isinstance(operation, Compute)
            key.append(operation.name)
            operands = operation.arguments
        elif kind is Check:
            assert isinstance(operation, Check)
            key.append(operation.domain)
            operands = (operation.value,)
        elif kind is Score:
            assert isinstance(operation, Score)
            if isinstance(operation.family, Bounded):  # its code depends on which bounds are numbers, and finite
                return None
            key.append(operation.family)
            operands = (*operation.parts, operation.value)
        else:
            return None
        key.append(len(operands))
        for operand in operands:
            kind = type(operand)
            if kind is Var:
                place = places.get(operand)
                if place is None:
                    place = places[operand] = len(found)
                    found.append(operand)
                    key.append(operand.dtype.kind)
                    key.append(operand.shape)
                key.append(place)
            elif kind is float or (kind is int and -MANTISSA <= operand <= MANTISSA):
                if kind is int and type(operation) is Compute and operation.name in _PLACES:
                    key.append(f"{operand}")
                else:
                    key.append("number" if operand else "zero")  # whether one may divide by it
                    numbers.append(float(operand))
            elif kind is bool:
                key.append(f"{operand}")
            elif kind is np.ndarray and operand.dtype.kind in "fi" and operand.size <= SMALL and not _looks(operation):
                key.append(("array", operand.shape))
                numbers += operand.ravel().tolist()
            else:
                return None
        if type(operation) is Compute:
            result = operation.result
            places[result] = len(found)
            found.append(result)
            key.append((result.dtype.kind, result.shape, result in kept))
    return Pattern(tuple(key), found, numbers)


def _looks(operation: Operation) -> bool:
    """Whether the code depends on what stands in an array."""
    if isinstance(operation, Compute):
        return operation.name == "/" or (operation.name in _PLACES and type(operation.arguments[-1]) is Var)
    return isinstance(operation, Score) and getattr(operation.family, "name", "") == "mvn"


def _numbered(operations: Sequence[Operation]) -> tuple[list[Operation], dict[int, int]]:
    """The same operations with numbers that can be told apart, and the place of each by its identity."""
    slots: dict[int, int] = {}
    count = 0

    def fresh(operation: Operation, operand: Any) -> Any:
        nonlocal count
        kind = type(operand)
        if kind is int and type(operation) is Compute and operation.name in _PLACES:
            return operand
        if kind is float or kind is int:
            made: Any = np.array([operand], float).tolist()[0]
        elif kind is np.ndarray:
            made = operand.copy()
        else:
            return operand
        slots[id(made)] = count
        count += made.size if kind is np.ndarray else 1
        return made

    found: list[Operation] = []
    for operation in operations:
        match operation:
            case Compute(result, name, arguments):
                found.append(Compute(result, name, tuple([fresh(operation, each) for each in arguments])))
            case Score(family, parts, value):
                own = tuple([fresh(operation, each) for each in parts])
                found.append(Score(family, own, fresh(operation, value)))
            case _:
                found.append(operation)
    return found, slots


@dataclass(slots=True)
class _Template:
    """The code of the first of those that are alike, and for each of its constants where the others find theirs."""

    code: Scalar
    places: list[tuple[int, int]]
    """What it is (see below), and the number of the value or of the number."""


_SAME, _SEGMENT, _NUMBER, _OFFSET, _MAP = range(5)


class Writing:
    """Writes codes, of those that are alike once."""

    def __init__(self, make: Callable[[int, Mapping[Var, int]], Scalar], offsets: Mapping[Var, int]) -> None:
        self.make = make
        """The code of a segment, given the maps by which it reads."""
        self.offsets = offsets
        self.templates: dict[tuple[Any, ...], _Template] = {}

    def of(
        self, number: int, operations: Sequence[Operation], own: Pattern | None, maps: Mapping[Var, int] | None = None
    ) -> Scalar | Row:
        """The code of a segment."""
        if own is None:
            code = self.make(number, maps or {})
            for operation in operations:
                code.write(operation)
            code.end()
            return code
        template = self.templates.get(own.key)
        if template is None:
            template = self.templates[own.key] = self.template(number, operations, own, maps or {})
        code, offsets, (_, found, numbers) = template.code, self.offsets, own
        values: list[Any] = []
        for (kind, place), constant in zip(template.places, code.constants):
            if kind == _NUMBER:
                values.append(numbers[place])
            elif kind == _OFFSET:
                values.append(offsets[found[place]])
            elif kind == _MAP:
                assert maps is not None
                values.append(maps[found[place]])
            else:
                values.append(number if kind == _SEGMENT else constant.value)
        return Row(code, values)

    def template(
        self, number: int, operations: Sequence[Operation], own: Pattern, maps: Mapping[Var, int]
    ) -> _Template:
        marked, slots = _numbered(operations)
        code = self.make(number, maps)
        code.slots = slots
        for operation in marked:
            code.write(operation)
        code.end()
        code.slots = {}
        order = {var: place for place, var in enumerate(own.vars)}
        return _Template(code, [_place(constant, order) for constant in code.constants])


def _place(constant: Constant, order: dict[Var, int]) -> tuple[int, int]:
    source = constant.source
    if constant.kind == "segment":
        return _SEGMENT, 0
    if type(source) is int:
        return _NUMBER, source
    if type(source) is Var:
        return _OFFSET, order[source]
    if type(source) is tuple:
        return _MAP, order[source[0]]
    return _SAME, 0
