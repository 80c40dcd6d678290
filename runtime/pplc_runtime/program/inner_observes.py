"""What the code of a generated module tells of its program.

Where it observes inside of expressions, and which primitives it mentions."""

from __future__ import annotations

import dis
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from pplc_runtime.program.errors import Places
from pplc_runtime.program.names import python_name


def inner_observes(module: Mapping[str, Any], file: str, places: Places) -> tuple[int, ...]:
    """The lines of a program that observe inside of an expression, from the namespace of its generated module."""
    functions = (each for each in module.values() if type(each) is FunctionType and each.__code__.co_filename == file)
    calls = {start for function in functions for start in _calls(function.__code__)}
    if not calls:
        return ()
    return tuple(sorted({form[0] for (line, column, _, _), form in places.items() if (line, column) in calls}))


def observes_inside(module: Mapping[str, Any]) -> bool:
    """Whether a generated module observes inside of an expression."""
    own = (each for each in module.values() if type(each) is FunctionType and each.__globals__ is module)
    return any(True for function in own for _ in _calls(function.__code__))


def _calls(code: CodeType) -> Iterator[tuple[int | None, int | None]]:
    """Where generated code asks for `observe`: there a call of it begins."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _calls(constant)
    if "observe" in code.co_names:
        for instruction in dis.get_instructions(code):
            if instruction.argval == "observe" and instruction.positions is not None:
                yield instruction.positions.lineno, instruction.positions.col_offset


def mentions(module: Mapping[str, Any], name: str) -> bool:
    """Whether a program has a primitive in it: called, or as a value."""
    own = python_name(name, 1)
    functions = [each for each in module.values() if type(each) is FunctionType]
    return own in module or any(name in each.__code__.co_consts for each in functions)
