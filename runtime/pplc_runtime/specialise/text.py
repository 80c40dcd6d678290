"""Specialised programs as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

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
    Segment,
    Specialised,
    Struct,
    Var,
)
from pplc_runtime.specialise.operations import Certain
from pplc_runtime.values import List, Map, shown

LARGEST_SHOWN: Final = 6
_KINDS: Final = {"f": "real", "i": "whole", "b": "truth"}


def text_of(program: Specialised) -> str:
    """All segments, and what is reported."""
    lines: list[str] = []
    for number, segment in enumerate(program.segments):
        lines += [f"segment {number}", *_all(segment.forward), *_replayed(segment, program)]
    if program.reports is not None:
        lines += ["reports", *_all(program.reports)]
    else:
        lines += ["reports by the program"]
    return "\n".join(lines)


def _replayed(segment: Segment, program: Specialised) -> Iterator[str]:
    if segment.replay:
        numbers = sorted(var.number for var, cell in program.cell_of.items() if cell in segment.reads)
        reads = " ".join(f"v{number}" for number in numbers)
        yield f"  replay for another {reads}"
        yield from (f"  {line}" for line in _all(segment.replay))


def _all(operations: Iterable[Operation]) -> Iterator[str]:
    for each in operations:
        yield f"  {_line(each)}"


def _line(operation: Operation) -> str:
    match operation:
        case Compute(result, name, arguments):
            return f"{_typed(result)} = {_words(name, arguments)}"
        case Draw(result, _, family, parts):
            return f"{_typed(result)} ~ {_words(family.name, parts)}"
        case Score(family, parts, value):
            name = "dirac" if family is Certain else family.name  # type: ignore[union-attr]
            return f"observe {_words(name, parts)} = {_operand(value)}"
        case Check(domain, value):
            return f"check {_name(value)} is {domain.text}"
        case Fit(family, parts):
            return f"check {_words(family.name, parts)}"
        case Report(_, label, value):
            return f"predict {_operand(label)} {_operand(value)}"


def _words(name: str, operands: tuple[Operand, ...]) -> str:
    return " ".join([name, *map(_operand, operands)])


def _name(var: Var) -> str:
    return f"v{var.number}"


def _typed(var: Var) -> str:
    kind = _KINDS[var.dtype.kind] + (f"[{' '.join(map(str, var.shape))}]" if var.shape else "")
    return f"{_name(var)} : {kind}"


def _operand(value: Operand) -> str:
    if type(value) is Var:
        return _name(value)
    if type(value) is Struct:
        return _structure(value.like, " ".join(map(_operand, value.children)))
    if type(value) is np.ndarray and value.size > LARGEST_SHOWN:
        return f"<{' x '.join(map(str, value.shape))} numbers>"
    return f"<{len(value)} items>" if _is_long(value) else shown(value)


def _is_long(value: Any) -> bool:
    return type(value) in (tuple, List, Map) and len(value) > LARGEST_SHOWN


def _structure(like: Any, children: str) -> str:
    kind = type(like)
    if kind is tuple:
        return f"[{children}]"
    if kind is Map:
        return f"{{{children}}}"
    return f"({children})" if kind is List else f"<{kind.__name__.lower()} {children}>"
