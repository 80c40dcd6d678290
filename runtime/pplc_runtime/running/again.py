"""A run that is done, as its posterior comes back to it: particles run again, and further sweeps."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Never, TypeVar

import numpy as np

from pplc_runtime.command.progress import Progress
from pplc_runtime.composed import method_in
from pplc_runtime.composition import Composition
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.keys import Key
from pplc_runtime.program.errors import lines_of
from pplc_runtime.program.graph import graph_of
from pplc_runtime.regeneration.kept_runs import KeptRuns
from pplc_runtime.results.blocks import Block, Some
from pplc_runtime.results.journal import Journal
from pplc_runtime.results.kept import Kept
from pplc_runtime.results.observes import Observes
from pplc_runtime.results.report import Facts
from pplc_runtime.results.sweeps import Column, Sweep
from pplc_runtime.running.executors import singly
from pplc_runtime.values import ModelError

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior
    from pplc_runtime.running.program import Program

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Done:
    """What was run, and how."""

    program: Program
    data: dict[str, Any]
    particles: int
    settings: dict[str, Any]
    cores: int
    max_depth: int
    by_lanes: bool
    """Whether it was the engine lanes."""

    def observes(self, kept: Sequence[Kept]) -> Observes:
        return self.program.once(lambda: self.rerun(kept).observes(), self.max_depth)

    def anew(self, kept: Sequence[Kept], seed: int) -> tuple[Observes, list[Column]]:
        def work() -> tuple[Observes, list[Column]]:
            run = self.rerun(kept)
            return run.observes(), run.anew(np.random.default_rng(seed))

        return self.program.once(work, self.max_depth)

    def rerun(self, kept: Sequence[Kept]) -> KeptRuns:
        if not self.by_lanes:
            raise ValueError("particles of the reference engine cannot be run again; use the engine lanes")
        if self.settings.get("delayed"):
            raise ModelError("particles that have not drawn all values cannot be run again; run without delayed draws")
        return KeptRuns(self.program.plan(self.data), kept)

    def facts(self) -> Facts:
        program = self.program
        inputs = program.once(lambda: program.plan(self.data).inputs, self.max_depth)
        return Facts(
            program.source,
            "".join(lines_of(program.file, program.source)),
            graph_of(program.steps, program.module),
            {name: inputs[name] for name in program.inputs},
        )

    def more(
        self,
        posterior: Posterior,
        sweeps: int,
        on_sweeps: Callable[[Some], None],
        progress: bool,
        executor: Executor | None = None,
        journal: Journal | None = None,
    ) -> None:
        if not self.by_lanes:
            raise ValueError("a run of the reference engine cannot be extended; use the engine lanes")
        chains = posterior.sweeps.chains
        last = [np.flatnonzero(chains == chain)[-1:].tolist() for chain in range(posterior.chains)]
        after = [posterior.sweeps[own[0]] for own in last if own]
        if len(after) < posterior.chains or (posterior.is_chain and any(own.kept is None for own in after)):
            raise ValueError("not every chain has a sweep to go on from")
        assert posterior.seed is not None
        method, key = method_in(posterior.method), Key.of(posterior.seed)
        settings = [
            Settings(self.particles, own.number + 1 + sweeps, chain, **self.settings) for chain, own in enumerate(after)
        ]

        def rest(after: Sequence[Sweep | None]) -> Generator[Some]:
            starts = after if posterior.is_chain else without_particles(after)
            return self.program.chains(method, settings, key, self.data, self.cores, self.max_depth, starts, executor)

        further: Generator[Some]
        if journal is None:
            further = rest(after)
        else:
            further = journal.through(after, settings[0].sweeps - 1, lambda after: singly(rest(after)))
        with closing(further), closing(Progress(sweeps * posterior.chains, quiet=not progress)) as bar:
            for done in further:
                bar.step(len(done) if isinstance(done, Block) else 1)
                on_sweeps(done)


def without_particles(after: Sequence[Sweep | None]) -> list[Sweep | None]:
    """Where independent sweeps go on, which start anew."""
    return [None if last is None else replace(last, kept=None) for last in after]


def say_why(
    program: Program, method: str | Composition, settings: Settings, key: Key, data: dict[str, Any], max_depth: int
) -> Never:
    """The error where every sweep has lost all its particles: lanes, which know the statement, do the first again."""
    driver = program.drivers(method, data).make(replace(settings, sweeps=1))
    kernel: Any = driver.kernel
    own = key.fold(settings.chain).fold(settings.burn_in)
    program.once(lambda: kernel.once(driver.engine, driver.settings, 0, own), max_depth)
    raise ModelError(f"{program.source}: error: every particle of every sweep has weight zero")
