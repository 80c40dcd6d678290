"""Kernels of kernels: one after the other, and repeated.

If each leaves the posterior invariant, so does their composition. They share one state, the values that a chain
retains. A kernel on some values conditions on all others: lmh proposes for the choices that it covers, icsmc and pgas
hold the others. (L. Tierney 1994, "Markov chains for exploring posterior distributions", section 2.4.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from pplc_runtime import composition
from pplc_runtime.composition import Composition, Target, targets_of
from pplc_runtime.inference.base import Engine, Kernel, Settings
from pplc_runtime.inference.targets import Covers, covering
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep

Mover: TypeAlias = Callable[[Covers | None, int | None], Kernel]
"""Makes the kernel of a method from what it moves, None for all, and from its number, if it has one."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A composition, which becomes a kernel for each program: there its targets are found."""

    composition: Composition
    movers: Mapping[str, Mover]

    def bound(self, engine: Engine, settings: Settings) -> Kernel:
        targets = iter(targets_of(self.composition))
        return self.made(self.composition, targets, engine).bound(engine, settings)

    def made(self, of: Composition, targets: Any, engine: Engine) -> Kernel:
        match of:
            case composition.Cycle(parts):
                return Cycle(tuple([self.made(part, targets, engine) for part in parts]))
            case composition.Repeat(body, times):
                return Cycle((self.made(body, targets, engine),) * times)
            case composition.Single(method, _, number):
                target: Target | None = next(targets)
                return self.movers[method](None if target is None else covering(engine.plan, target), number)
        raise TypeError(f"no composition: {of!r}")


@dataclass(frozen=True, slots=True)
class Cycle:
    """Kernels one after the other; the sweep that is reported is that of the last."""

    kernels: tuple[Kernel, ...]

    def bound(self, engine: Engine, settings: Settings) -> Cycle:
        made = {id(kernel): kernel.bound(engine, settings) for kernel in self.kernels}
        return Cycle(tuple(made[id(kernel)] for kernel in self.kernels))

    def init(self, engine: Engine, settings: Settings, rng: np.random.Generator) -> Retained:
        state: Retained = self.kernels[0].init(engine, settings, rng)
        return state

    def step(
        self, engine: Engine, state: Retained, settings: Settings, number: int, rng: np.random.Generator,
        report: bool = True,
    ) -> tuple[Retained, list[Sweep]]:  # fmt: skip
        told: list[list[Mapping[str, Any]]] = []
        sweeps: list[Sweep] = []
        for place, kernel in enumerate(self.kernels):
            last = place == len(self.kernels) - 1
            state, sweeps = kernel.step(engine, state, settings, number, rng, report and last)
            told.append([sweep.diagnostics for sweep in sweeps])
        return state, [
            replace(sweep, log_evidence=None, diagnostics={"parts": parts}) for sweep, parts in zip(sweeps, zip(*told))
        ]

    def together(self, engine: Engine, states: list[Any]) -> Retained | None:
        found = [kernel.together(engine, states) for kernel in self.kernels]
        return None if any(each is None for each in found) else found[0]
