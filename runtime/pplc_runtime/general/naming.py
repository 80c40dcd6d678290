"""What a particle has drawn, by address: from the hashes of machine code to addresses and back.

A hash cannot be turned into the path that it was made of. So the program is run once more, by one lane, with what was
drawn: wherever it draws, the hash of the address that it is at finds the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.plan import Plan
from pplc_runtime.general.dirichlet_process import FRESH, OLD
from pplc_runtime.general.engine import Drawn
from pplc_runtime.general.families import MEASURES
from pplc_runtime.general.program import DEEPEST
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here, run_in
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.regeneration.records import Recorder

Result = TypeVar("Result")


class _ByHash(dict[At, Any]):
    """Values by address, found by the hash of it."""

    def __init__(self, words: NDArray[np.int64]) -> None:
        super().__init__()
        self.found: dict[int, NDArray[np.int64]] = {}
        for position in Drawn(words).places():
            end = position + 2 + (int(words[position + 1]) & 65535)
            self.found[int(words[position]) & ((1 << 64) - 1)] = words[position + 2 : end]

    def __missing__(self, at: At) -> NDArray[np.int64]:
        return self.found[at.hash]


class _Named(Recorder):
    """Runs an execution whose values are words, and brings them to what their families draw."""

    def draw(self, at: At, source: Dist) -> Any:
        self.run.values[at] = _value(self.run.values[at], source.family.value_kind)
        return super().draw(at, source)

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        self.run.values[at] = _value(self.run.values[at], source.family.value_kind)
        return super().draw_from_process(at, source)


def _value(words: NDArray[np.int64], kind: str) -> Any:
    if kind == "vector":
        return words.view(np.float64).copy()
    if kind == "boolean":
        return bool(words[0])
    return int(words[0]) if kind == "integer" else float(words.view(np.float64)[0])


def named(plan: Plan, words: NDArray[np.int64]) -> dict[At, Any]:
    """What was drawn, by address."""
    outer = here.frame, here.handler
    with np.errstate(all="ignore"):
        try:
            return dict(_Named(plan, _ByHash(words)).run.values)
        finally:
            run_in(*outer)


class _Families(Recorder):
    """Runs an execution, and notes the families that it draws from."""

    def __init__(self, plan: Plan, values: dict[At, Any]) -> None:
        self.kinds: dict[At, str] = {}
        super().__init__(plan, values)

    def draw(self, at: At, source: Dist) -> Any:
        self.kinds[at] = source.family.value_kind
        return super().draw(at, source)

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        self.kinds[at] = source.family.value_kind
        return super().draw_from_process(at, source)


def drawn_of(plan: Plan, values: Mapping[At, Any]) -> Drawn:
    """The same the other way: an execution as words."""
    outer = here.frame, here.handler
    with np.errstate(all="ignore"):
        try:
            recorder = _Families(plan, dict(values))
        finally:
            run_in(*outer)
    run = recorder.run
    words: list[int] = []
    for record in run.segments:
        for at in (*record.draws, *(at for at in record.seated if at not in run.events)):
            fresh = run.fresh.get(at)
            value = _words(run.values[at], recorder.kinds[at])
            measure = (MEASURES[run.kinds[at]] << 16) + len(value) if fresh is None else FRESH if fresh else OLD
            words += [at.hash, measure, *value]
    return Drawn(np.array(words, np.uint64).view(np.int64))


def _words(value: Any, kind: str) -> list[int]:
    """The words of a value, without a sign."""
    if kind in ("number", "vector"):
        return [int(word) for word in np.atleast_1d(np.asarray(value, np.float64)).view(np.uint64)]
    return [int(value) & ((1 << 64) - 1)]


@dataclass(slots=True)
class Naming:
    """A program and its inputs, for which executions are named when somebody asks; it goes to other processes."""

    program: Any
    data: dict[str, Any]
    plan: Plan | None = field(default=None)

    @property
    def planned(self) -> Plan:
        if self.plan is None:
            self.plan = self.program.plan(self.data)
        assert self.plan is not None
        return self.plan

    def named(self, words: NDArray[np.int64]) -> dict[At, Any]:
        return named(self.planned, words)

    def deep(self, work: Callable[[], Result]) -> Result:
        """What some work comes to, with a stack for deep recursion."""
        found: Result = self.program.once(work, DEEPEST)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Naming, (self.program, self.data)
