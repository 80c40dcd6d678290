"""Formulas: arithmetic over lanes as one function of bare arrays.

Each operation of the language looks at the kinds of its operands and wraps what comes out. A formula does it once for
many operations: where its arguments are real numbers, plain or one a lane, it is evaluated by Python's operators
on numbers and arrays. Everything else (whole numbers over lanes or beyond machine words, vectors, values of which lanes
have different ones, errors) goes the careful way, through the operations of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, Final

import numpy as np

from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.primitives import scalars
from pplc_runtime.primitives.facts import FACTS
from pplc_runtime.primitives.whole_numbers import LARGEST
from pplc_runtime.values import ModelError

OPERATORS: Final = {name: facts.operator or "/" for name, facts in FACTS.items() if 2 in facts.bare}
"""The primitives that are operators in Python, with one argument or more."""
FUNCTIONS: Final = tuple(name for name, facts in FACTS.items() if facts.bare.keys() == {1})
"""The primitives of one argument that are functions of `raw`."""
KEEP_KIND: Final = frozenset(name for name in FUNCTIONS if FACTS[name].keeps_whole)
"""Those of them that give a whole number for a whole one."""

_REAL: Final = np.dtype(np.float64)


class raw:
    """The functions of the language on bare numbers and arrays of reals."""

    divide = staticmethod(scalars.raw_divide)


for _name in FUNCTIONS:
    setattr(raw, _name, staticmethod(FACTS[_name].bare[1]))


def _holds(known: tuple[tuple[Any, ...], Lane], values: tuple[Any, ...], frame: Frame) -> bool:
    """Whether a formula was last evaluated for the same values, in lanes that those of the frame continue."""
    before, result = known
    if result.frame is not frame and result.frame is not frame.parent:
        return False
    return all(map(is_, before, values))


def formula(quick: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function of the language from its form on bare numbers, and the careful one that it decorates."""

    def decorate(careful: Callable[..., Any]) -> Callable[..., Any]:
        def evaluate(*values: Any) -> Any:
            frame = here.frame
            memory = here.handler.formulas
            if memory is not None:
                known = memory.get(evaluate)
                if known is not None and _holds(known, values, frame):
                    return known[1]
            bare = []
            for value in values:
                kind = type(value)
                if kind is Lane:
                    data = value.data
                    if data.dtype is not _REAL or data.ndim != 1:
                        return careful(*values)
                    bare.append(data if value.frame is frame else value.at(frame))
                elif kind is float or (kind is int and -LARGEST <= value <= LARGEST):
                    bare.append(value)
                else:
                    return careful(*values)
            try:
                result = quick(*bare)
            except (ArithmeticError, ModelError):  # inf in the language, or an error that has a place
                return careful(*values)
            if type(result) is not np.ndarray:
                return result
            made = Lane(result, frame)
            if memory is not None:
                memory[evaluate] = values, made
            return made

        evaluate.careful = careful  # type: ignore[attr-defined] # its operations, one by one
        return evaluate

    return decorate
