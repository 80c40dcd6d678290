"""Kernels of kernels: one after the other, and repeated.

If each leaves the posterior invariant, so does their composition. They share one state, the values that a chain
retains. A kernel on some values conditions on all others: lmh proposes for the choices that it covers, icsmc and pgas
hold the others. (L. Tierney 1994, "Markov chains for exploring posterior distributions", section 2.4.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from pplc_runtime import composition
from pplc_runtime.composition import Composition, targets_of
from pplc_runtime.inference.base import Engine, Kernel, Settings
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.targets import Covers, covering, statement_of
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError

Mover: TypeAlias = Callable[[Covers | None, int | None], Kernel]
"""Makes the kernel of a method from what it moves, None for all, and from its number, if it has one."""


@dataclass(frozen=True, slots=True)
class Composed:
    """A composition, which becomes a kernel for each program: there its targets are found."""

    composition: Composition
    movers: Mapping[str, Mover]

    def bound(self, engine: Engine, settings: Settings) -> Kernel:
        plan: Any = engine.plan  # one of a compiled program: only those have targets
        targets = [None if target is None else covering(plan, target) for target in targets_of(self.composition)]
        self.check(engine, settings, targets)
        return self.made(self.composition, iter(targets)).bound(engine, settings)

    def check(self, engine: Engine, settings: Settings, targets: list[Covers | None]) -> None:
        """An error if there is something that no part moves: the chain would never leave where it starts."""
        covers = [target for target in targets if target is not None]
        if len(covers) < len(targets):
            return
        plan: Any = engine.plan
        for at in first_retained(engine, settings, np.random.default_rng(0)):
            if not any(covered(at) for covered in covers):
                name, _ = plan.assumed.get(statement_of(plan, at), ("", False))
                what = f"'{name}' draws" if name else "observes or predicts draw"
                raise ModelError(
                    f"the method {self.composition} does not move what {what}; add a part for it, such as lmh(rest)"
                )

    def made(self, of: Composition, targets: Iterator[Covers | None]) -> Kernel:
        match of:
            case composition.Cycle(parts):
                return Cycle(tuple([self.made(part, targets) for part in parts]))
            case composition.Repeat(body, times):
                return Cycle((self.made(body, targets),) * times)
            case composition.Single(method, _, number):
                return self.movers[method](next(targets), number)
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
