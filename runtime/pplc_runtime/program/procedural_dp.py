"""Dirichlet processes whose base is a procedure: a table of the Chinese restaurant, and one call for each table.

(dp alpha base) gives what ((mem (fn [table] (base))) (sample tables)) gives, where tables is (crp alpha). So the base
may do whatever a procedure may, and values are told apart by their tables: two that are equal by chance are two.
"""

from __future__ import annotations

from typing import Any

from pplc_runtime.lanes.addresses import At
from pplc_runtime.program.control import call
from pplc_runtime.program.stochastic import ProcessInstance
from pplc_runtime.values import Memo, ModelError, Procedure, Stochastic

UNOBSERVABLE = "dp: what a procedure gives has no density, so that it cannot be observed; use a distribution as base"


def _call_base(at: At, table: Any, base: Any) -> Any:
    return call(at[0], base)


class ProceduralDp(Stochastic):
    """The process, by its tables and the memoised base; told apart by the address where it was made."""

    __slots__ = ("at", "parts")

    what = "process"

    def __init__(self, parts: tuple[Any, ...], at: At) -> None:
        self.parts = parts
        self.at = at

    @classmethod
    def of(cls, tables: ProcessInstance, base: Any, at: At) -> ProceduralDp:
        return cls((tables, Memo(at["base"], Procedure(_call_base, "base", 1, False, (base,), at))), at)

    def alike(self, other: Any) -> bool:
        return bool(self.at is other.at)

    def with_parts(self, parts: tuple[Any, ...]) -> ProceduralDp:
        return ProceduralDp(parts, self.at)

    def identity(self) -> tuple[Any, tuple[Any, ...]]:
        return self.at, ()

    def sampled(self, handler: Any, at: At) -> Any:
        """A table, and what the base has given for it."""
        tables, atoms = self.parts
        return call(at[0], atoms, handler.sample(at, tables))

    def scored(self, handler: Any, at: At, value: Any) -> Any:
        raise ModelError(UNOBSERVABLE)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProceduralDp) and self.at is other.at

    def __hash__(self) -> int:
        return hash(self.at)

    def __str__(self) -> str:
        return "<dp>"
