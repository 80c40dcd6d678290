"""What the compiler and the engine know of a primitive procedure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

OPERATORS: Final = frozenset({"+", "-", "*", "/", "<", ">", "<=", ">=", "=", "not="})
"""What other languages write between two values."""


@dataclass(frozen=True, slots=True)
class Primitive:
    """A procedure of the language itself.

    `function` takes the arguments as values: plain ones, or values over lanes (see `lanes`). A primitive that
    is `addressed` calls procedures and takes the address of its evaluation before its arguments. One that
    `folds` takes two arguments, and more of them from left to right: (+ a b c) is (+ (+ a b) c)."""

    name: str
    function: Callable[..., Any]
    least: int
    most: int | None
    folds: bool = False
    addressed: bool = False

    def __str__(self) -> str:
        return f"<primitive {self.name}>"
