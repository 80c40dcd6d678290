"""Sweeps of machine code: made for a program whatever it takes, and with chance enumerated."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any, ClassVar

import numpy as np
from tests.engine.kernels import Enumerating, Kernel, Law, every_run, paths
from tests.engine.sweeps import compiled, quietly

from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.machine.machine import Interpreted, Machine, is_available
from pplc_runtime.native.modes import Mode
from pplc_runtime.native.sweep_code import Code
from pplc_runtime.native.sweeper import Sweeper, Swept
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.values import ModelError

MACHINE = Machine if is_available() else Interpreted
MODES = {
    "importance": Mode(weighed=True),
    "smc": Mode(),
    "icsmc": Mode(kept=True),
    "pgas": Mode(kept=True, rescored=True),
}


class Chance(Interpreted):
    """The middle language by CPython, whose particles and coins are decided by `by`."""

    by: ClassVar[Enumerating]

    def __init__(self, source: str, exported: frozenset[str]) -> None:
        super().__init__(source, exported)
        self.space |= {"draw_ancestors": self.ancestors, "pick": self.pick, "draw_flip": self.flip}

    def pick(self, count: int, weights: Any, point: float) -> int:
        return self.by.decide([float(weights[i]) for i in range(count)])

    def flip(self, k0: int, k1: int, c0: int, c1: int, p: float) -> float:
        return float(self.by.decide([float(p), 1.0 - float(p)]) == 0)

    def ancestors(self, count: int, weights: Any, ends: Any, guide: Any, found: Any, *key: int) -> None:
        found[0] = 0  # written over by that of what is retained
        for i in range(1, count):
            found[i] = self.pick(count, weights, 0.0)


def code_of(plan: Plan, method: str, machine: Any = MACHINE, holds: Any = None, full: bool = False) -> Code:
    with quietly():
        return Code(scripted(plan).scripts.program, MODES[method], holds, machine, full)


def sweeps_of(
    source: str, method: str, size: int, count: int, seed: int, machine: Any = MACHINE, threshold: float = 1.0,
    full: bool = False,
) -> tuple[int, Swept, Sweeper]:  # fmt: skip
    """Some sweeps of a program, from an execution that is drawn."""
    plan = compiled(source).plan
    with quietly():
        sweeper = Sweeper(code_of(plan, method, machine, full=full), size, threshold)
        rng = np.random.default_rng(seed)
        if MODES[method].kept:
            sweeper.start(possible(plan, rng))
        return *sweeper.run(count, Key.of(seed), 0, 0, 1, report=True), sweeper


def possible(plan: Plan, rng: np.random.Generator) -> dict[At, Any]:
    """What an execution of positive density draws."""
    for _ in range(1000):
        try:
            trace = Trace(plan.without_scripts(), {}, rng)
        except ModelError:
            continue
        if trace.log_density > -math.inf:
            return dict(trace.values)
    raise AssertionError("no execution is possible")


def bias(source: str, method: str, size: int, threshold: float = 1.0, holds: Any = None, full: bool = False) -> float:
    """How far one sweep takes what is retained from the posterior, in total variation, by all ways of chance."""
    plan = compiled(source).plan
    code = code_of(plan, method, Chance, holds, full)
    sweeper = Sweeper(code, size, threshold)
    kernel = Kernel(plan)
    before: defaultdict[Any, float] = defaultdict(float)
    after: defaultdict[Any, float] = defaultdict(float)

    def sweep(chance: Enumerating) -> Any:
        Chance.by = chance
        sweeper.start(dict(start))
        done, _ = sweeper.run(1, Key(0, 0), 0, 1, 0, report=False)
        assert done == 1
        return paths(sweeper.held)

    with kernel.enumerated():
        executions = kernel.posterior()
    with quietly():
        for start, _, probability in executions:
            before[paths(start)] += probability
            for result, transition in every_run(sweep):
                after[result] += probability * transition
    assert abs(math.fsum(after.values()) - 1.0) < 1e-12, "every way that chance may go"
    return distance(dict(before), dict(after))


def distance(one: Law, other: Law) -> float:
    """Total variation."""
    return 0.5 * math.fsum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in {*one, *other})
