"""What a specialised program computes again and again, computed once: a vector of means that every observe makes anew.

A value that is computed from the same operands as one before is that one. What is drawn is never the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pplc_runtime.specialise.ir import (
    Check,
    Compute,
    Draw,
    Fit,
    Operand,
    Operation,
    Report,
    Score,
    Specialised,
    Struct,
    Var,
    vars_in,
)
from pplc_runtime.values import List


def computed_once(program: Specialised) -> tuple[list[tuple[Operation, ...]], dict[Var, Var]]:
    """What each segment does, and for every value that is no longer computed the one that it is."""
    known: dict[Any, Var] = {}
    same: dict[Var, Var] = {}
    segments: list[tuple[Operation, ...]] = []
    for segment in program.segments:
        kept: list[Operation] = []
        for given in segment.forward:
            operation = put(given, same)
            if isinstance(operation, Compute):
                key = (operation.name, *map(_key, operation.arguments))
                before = known.setdefault(key, operation.result)
                if before is not operation.result and _is_alike(before, operation.result):
                    same[operation.result] = before
                    continue
            kept.append(operation)
        segments.append(tuple(kept))
    return segments, same


def put(operation: Operation, given: Mapping[Var, Operand]) -> Operation:
    """An operation with other operands in place of some values."""
    if not any(var in given for var in operation.uses):
        return operation
    match operation:
        case Compute(result, name, arguments):
            return Compute(result, name, _all(arguments, given))
        case Check(domain, value):
            return Check(domain, given[value])
        case Fit(family, parts):
            return Fit(family, _all(parts, given))
        case Draw(result, at, family, parts):
            return Draw(result, at, family, _all(parts, given))
        case Score(family, parts, value):
            return Score(family, _all(parts, given), _operand(value, given))
        case Report(turn, label, value):
            return Report(turn, label, _operand(value, given))


def _all(operands: tuple[Operand, ...], given: Mapping[Var, Operand]) -> tuple[Operand, ...]:
    return tuple([_operand(each, given) for each in operands])


def _operand(operand: Operand, given: Mapping[Var, Operand]) -> Operand:
    if type(operand) is Var:
        return given.get(operand, operand)
    if type(operand) is Struct and any(var in given for var in operand.uses):
        children = _all(operand.children, given)
        return replace(operand, children=children, uses=vars_in(children))
    return operand


def _key(operand: Operand) -> Any:
    """Equal for operands that are the same in every execution."""
    if type(operand) is np.ndarray:
        return operand.dtype.str, operand.shape, operand.tobytes()
    if type(operand) in (int, float, bool, str, type(None)):
        return type(operand), operand
    if type(operand) is Struct and type(operand.like) in (tuple, List):
        return type(operand.like), tuple(map(_key, operand.children))
    return operand if type(operand) is Var else id(operand)


def _is_alike(one: Var, two: Var) -> bool:
    return one.dtype == two.dtype and one.shape == two.shape
