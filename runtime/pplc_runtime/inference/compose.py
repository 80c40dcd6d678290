"""Kernels of kernels: one after the other, and repeated.

If each leaves the posterior invariant, so does their composition. They share one state, the values that a chain
retains. A kernel on some values conditions on all others: lmh proposes for the choices that it covers, icsmc and pgas
hold the others. (L. Tierney 1994, "Markov chains for exploring posterior distributions", section 2.4.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from pplc_runtime import composition
from pplc_runtime.composed import targets_of
from pplc_runtime.composition import Composition
from pplc_runtime.inference.base import Confined, Engine, Kernel, OfParts, Settings
from pplc_runtime.inference.start import first_retained
from pplc_runtime.inference.targets import Covers, covering, statement_of
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import ModelError

Mover: TypeAlias = Callable[[Covers | None, composition.Single], Kernel]
"""Makes the kernel of a method from what it moves, None for all, and from how it is written."""


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
        if len(covers) < len(targets) or any(single.method == "pmmh" for single in self.composition.singles()):
            return  # some part moves all; pmmh draws what it has no targets in
        plan: Any = engine.plan
        for at in first_retained(engine, settings, Key.of(0)):
            if not any(covered(at) for covered in covers):
                name, _ = plan.assumed.get(statement_of(plan, at), ("", False))
                what = f"'{name}' draws" if name else "observes or predicts draw"
                raise ModelError(
                    f"the method {self.composition} does not move what {what}; add a part for it, such as lmh(rest)"
                )

    def made(self, of: Composition, targets: Iterator[Covers | None]) -> Kernel:
        match of:
            case composition.Cycle(parts):
                return cycle([self.made(part, targets) for part in parts])
            case composition.Repeat(body, times):
                kernel = self.made(body, targets)
                return kernel.repeated(times) if isinstance(kernel, OfParts) else Cycle((kernel,) * times)
            case composition.Single() as single:
                return self.movers[single.method](next(targets), single)
        raise TypeError(f"no composition: {of!r}")


def cycle(kernels: list[Kernel]) -> Kernel:
    """Kernels one after the other; moves that follow each other are parts of one."""
    found: list[Kernel] = []
    for kernel in kernels:
        if isinstance(kernel, OfParts) and found and isinstance(found[-1], OfParts):
            found[-1] = found[-1].followed_by(kernel)
        else:
            found.append(kernel)
    if len(found) == 1:
        return found[0]
    return Cycle(tuple(found if all(map(is_confined, found)) else map(beside_others, found)))


def is_confined(kernel: Kernel) -> bool:
    """Whether it stays among executions that draw alike."""
    return all(map(is_confined, kernel.kernels)) if isinstance(kernel, Cycle) else isinstance(kernel, Confined)


def beside_others(kernel: Kernel) -> Kernel:
    """A kernel beside one that may lead to executions which draw otherwise."""
    if isinstance(kernel, Cycle):
        return Cycle(tuple(map(beside_others, kernel.kernels)))
    return kernel.beside_others() if isinstance(kernel, Confined) else kernel


@dataclass(frozen=True, slots=True)
class Cycle:
    """Kernels one after the other; the sweep that is reported is that of the last."""

    kernels: tuple[Kernel, ...]

    def bound(self, engine: Engine, settings: Settings) -> Cycle:
        made = {id(kernel): kernel.bound(engine, settings) for kernel in self.kernels}
        return Cycle(tuple(made[id(kernel)] for kernel in self.kernels))

    def init(self, engine: Engine, settings: Settings, key: Key) -> Retained:
        state: Retained = self.kernels[0].init(engine, settings, key)
        return state

    def step(
        self, engine: Engine, state: Retained, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[Retained, list[Sweep]]:  # fmt: skip
        told: list[list[Mapping[str, Any]]] = []
        sweeps: list[Sweep] = []
        state = state.between_sweeps()
        for place, kernel in enumerate(self.kernels):
            last = place == len(self.kernels) - 1
            state, sweeps = kernel.step(engine, state, settings, number, key.fold(place), report and last)
            told.append([sweep.diagnostics for sweep in sweeps])
        return state, [
            replace(sweep, log_evidence=None, diagnostics={"parts": parts}) for sweep, parts in zip(sweeps, zip(*told))
        ]

    def together(self, engine: Engine, states: list[Any]) -> Retained | None:
        found = [kernel.together(engine, states) for kernel in self.kernels]
        return None if any(each is None for each in found) else found[0]
