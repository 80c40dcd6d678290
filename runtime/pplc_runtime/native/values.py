"""Values in scalar code."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pplc_runtime.specialise.ir import Var


class Unsupported(Exception):
    """Something that there is no scalar code for."""


@dataclass(frozen=True, slots=True)
class Elements:
    """A value in code: its shape, and an expression for each element or the array that it stands in."""

    shape: tuple[int, ...]
    items: tuple[str, ...] = ()
    array: str = ""

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def size_of(var: Var) -> int:
    """How many elements a value has."""
    return math.prod(var.shape)
