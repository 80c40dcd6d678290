"""A compiled program: what a generated module defines, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from pplc_runtime.command.infer import run_module
from pplc_runtime.command.progress import Progress
from pplc_runtime.composition import Composition, check_names, method_in, offer_of
from pplc_runtime.engine.plan import Plan, plan
from pplc_runtime.inference import method_of
from pplc_runtime.inference.base import Settings
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.program.errors import Included, Places, located
from pplc_runtime.program.inner_observes import inner_observes, mentions
from pplc_runtime.program.steps import Assume, Input, Step
from pplc_runtime.results.inputs import inputs_of
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running import deep_stack
from pplc_runtime.running.again import Done
from pplc_runtime.running.auto import automatic
from pplc_runtime.running.channel import Channel
from pplc_runtime.running.driver import Driver
from pplc_runtime.running.memory import rare_collections
from pplc_runtime.running.processes import in_processes
from pplc_runtime.settings import checked, with_settings
from pplc_runtime.specialise.engine import specialised_text
from pplc_runtime.values import ModelError

ASKING = ("missing?", "nil?", "some?")
"""What a program looks at missing values with."""
DEEPEST = 250_000
MOST_LANES = 1024
"""Up to so many particles in all, chains run together: beyond, a lane more costs as much as a particle does alone."""
_STACK = 1 << 29

Item = TypeVar("Item")
OnSweep = Callable[[Sweep], None]
Engine = Callable[[str, list[Settings], int, dict[str, Any], int | None], Iterator[Sweep]]


class Program:
    """A program that can be inferred."""

    text: str | None = None
    """The text of its module, where that is not in a file."""

    def __init__(
        self, module: dict[str, Any], source: str, steps: list[Step], places: Places, included: Included = ()
    ) -> None:
        self.module = module
        """The names of the generated module."""
        self.source = source
        self.steps = steps
        self.places = places
        self.included = included

    @property
    def name(self) -> str:
        return str(self.module["__name__"])

    @property
    def file(self) -> str:
        return str(self.module["__file__"])

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that a program is given."""
        return tuple(step.name for step in self.steps if isinstance(step, Input))

    @property
    def assumed(self) -> tuple[str, ...]:
        """The names that the program assumes."""
        names = (step.name.split("%")[0] for step in self.steps if isinstance(step, Assume))
        return tuple(dict.fromkeys(names))

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is pickled: the text of its module, which is run where it is unpickled."""
        text = Path(self.file).read_text(encoding="utf-8") if self.text is None else self.text
        return program_of, (text, self.name, self.file)

    @with_settings
    def infer(
        self,
        method: str | Composition = "importance",
        *,
        particles: int | None = None,
        sweeps: int | None = None,
        seed: int | None = None,
        chains: int = 1,
        cores: int = 1,
        data: Any = None,
        on_sweep: OnSweep | None = None,
        keep: bool = True,
        progress: bool | None = None,
        max_depth: int | None = None,
        engine: Engine | None = None,
        **options: Any,
    ) -> Posterior:
        """Draws from the posterior by a method, or by some composed; `on_sweep` is told of each sweep as it is done.

        A run of more than a second has a progress bar, in a terminal or a notebook, unless `progress` is False or
        somebody listens by `on_sweep`. An interrupt ends the run, and the posterior has what was drawn by then.

        The further options are those of `Settings`. What they must be is in `settings`: TypeError for one of the wrong
        kind or an unknown one, ValueError for a value that it cannot have or that the method has no use for.
        `engine` may take the place of the lane engine: it gives the sweeps for the same settings."""
        given = {"particles": particles, "sweeps": sweeps, "seed": seed, "chains": chains, "cores": cores}
        method = method_in(method)
        if method == "auto":
            told = checked(offer_of(method), {**given, **options}, "lanes" if engine is None else "reference")
            return automatic(self, data, max_depth or DEEPEST, on_sweep=on_sweep, progress=progress, **told)
        if isinstance(method, Composition):
            check_names(method, self.assumed)
        chosen = offer_of(method)
        told = checked(chosen, {**given, "max_depth": max_depth, **options}, "lanes" if engine is None else "reference")
        number = told.pop("particles", chosen.particles)
        length = told.pop("sweeps", chosen.sweeps)
        chains, cores, max_depth = told.pop("chains", 1), told.pop("cores", 1), told.pop("max_depth", None)
        seed = told.pop("seed", None)
        told.setdefault("burn_in", chosen.burn_in)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        values = self.data(data)
        here.printed, here.sweep = 0, None
        kept: list[Sweep] = []
        found = interrupted = False
        shown = on_sweep is None if progress is None else progress
        bar = Progress(length * chains, quiet=not shown)

        def each(sweep: Sweep) -> None:
            nonlocal found
            bar.step()
            found = found or sweep.log_evidence is None or sweep.log_evidence > -np.inf
            if keep:
                kept.append(sweep)
            if on_sweep is not None:
                on_sweep(sweep)

        settings = [Settings(number, length, chain, **told) for chain in range(chains)]
        if engine is None:
            start = np.random.SeedSequence(seed)
            sweeps_done = self.chains(method, settings, start, values, cores, max_depth or DEEPEST)
        else:
            work = partial(self.located, partial(engine, chosen.name, settings, seed, values, max_depth))
            sweeps_done = self.deep(work, DEEPEST)
        try:
            with closing(sweeps_done):
                for sweep in sweeps_done:
                    each(sweep)
        except KeyboardInterrupt:
            interrupted = True
            if not found:
                raise
        finally:
            bar.close()
        if not found:
            raise ModelError(f"{self.source}: error: every particle of every sweep has weight zero")
        run = Done(self, values, number, told, cores, max_depth or DEEPEST, engine is None)
        posterior = Posterior(
            chosen.name, seed, chosen.draws_of(number), chains, kept, chosen.is_chain, self.inner_observes(), run
        )
        posterior.interrupted = interrupted
        return posterior

    def inner_observes(self) -> tuple[int, ...]:
        """The lines that observe inside of an expression."""
        return inner_observes(self.module, self.file, self.places)

    def data(self, given: Any) -> dict[str, Any]:
        """The values of the inputs as the language has them."""
        return inputs_of(given, self.inputs, self.asks_for_missing)

    @property
    def asks_for_missing(self) -> bool:
        """Whether the program looks at what is missing, so that its inputs may have such values."""
        return any(mentions(self.module, name) for name in ASKING)

    def chains(
        self,
        method: str | Composition,
        settings: list[Settings],
        seed: np.random.SeedSequence,
        data: dict[str, Any],
        cores: int,
        max_depth: int,
        after: Sequence[Sweep] = (),
    ) -> Generator[Sweep]:
        """The sweeps of all chains: in the lanes of one run where they fit there, else one chain after the other or
        in processes, each with its own stream of random numbers. Which of them does not depend on `cores`.

        Chains that have had sweeps go on `after` the last one of each."""
        *seeds, common = seed.spawn(len(settings) + 1)
        own = settings[0]
        fit = offer_of(method).is_chain and own.ess_threshold >= 1
        fit = fit and len({last.number for last in after}) <= 1
        if len(settings) > 1 and fit and len(settings) * own.particles <= MOST_LANES:
            in_lanes = False
            for sweep in self.deep(partial(self.in_lanes, method, settings, seeds, common, data, after), max_depth):
                in_lanes = True
                yield sweep
            if in_lanes:
                return
        chains = zip_longest(settings, seeds, after)
        work = [partial(self.run, method, own, stream, data, last) for own, stream, last in chains]
        if cores > 1 and len(work) > 1:
            yield from in_processes([partial(self.whole, chain, max_depth) for chain in work], cores)
        else:
            for chain in work:
                yield from self.deep(chain, max_depth)

    def whole(self, chain: Callable[[], Iterator[Sweep]], max_depth: int) -> list[Sweep]:
        """All sweeps of a chain at once, as a process hands them back."""
        return list(self.deep(chain, max_depth))

    def run(
        self,
        method: str | Composition,
        settings: Settings,
        seed: np.random.SeedSequence,
        data: dict[str, Any],
        after: Sweep | None = None,
    ) -> Iterator[Sweep]:
        """The sweeps of one chain."""
        rng = np.random.default_rng(seed)
        return self.located(lambda: self.driver(method, settings, data).chain(rng, after))

    def plan(self, data: dict[str, Any]) -> Plan:
        """One run with the given inputs."""
        return plan(self.steps, At(), data, self.module)

    def specialised(self, data: Any = None) -> str:
        """What every execution does, where that is always the same, as text; else why it is not."""
        with np.errstate(all="ignore"):
            try:
                return specialised_text(self.plan(self.data(data)))
            except ModelError as error:
                raise located(error, self.file, self.source, self.places) from None

    def once(self, work: Callable[[], Item], max_depth: int) -> Item:
        """What some work comes to, with a stack for deep recursion."""

        def alone() -> Iterator[Item]:
            yield work()

        return next(iter(list(self.deep(lambda: self.located(alone), max_depth))))

    def driver(self, method: str | Composition, settings: Settings, data: dict[str, Any]) -> Driver:
        """What takes the steps of a method."""
        return Driver.of(method_of(method).kernel, self.plan(data), settings)

    def in_lanes(
        self,
        method: str | Composition,
        settings: list[Settings],
        seeds: list[np.random.SeedSequence],
        common: np.random.SeedSequence,
        data: dict[str, Any],
        after: Sequence[Sweep] = (),
    ) -> Iterator[Sweep]:
        """The sweeps of all chains in the lanes of one run; nothing where they do not fit together."""
        starts = [np.random.default_rng(seed) for seed in seeds]
        rng = np.random.default_rng(common)
        return self.located(lambda: self.driver(method, settings[0], data).chains(starts, rng, after))

    def located(self, sweeps: Callable[[], Iterator[Item]]) -> Iterator[Item]:
        """Sweeps or other work, with errors located in the source."""
        with np.errstate(all="ignore"):
            try:
                yield from sweeps()
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except Exception as error:
                raise located(error, self.file, self.source, self.places, self.included) from None

    def deep(self, work: Callable[[], Iterator[Item]], max_depth: int) -> Generator[Item]:
        """Sweeps or other results that a thread with a stack for deep recursion computes, handed over one by one."""
        channel = Channel()

        def target() -> None:
            try:
                with rare_collections():
                    for sweep in work():
                        channel.put(sweep)
                channel.end(None)
            except BaseException as error:
                channel.end(error)

        thread = deep_stack.start(target, _STACK, max_depth * 4 + 1000)
        try:
            yield from channel
        finally:
            channel.stop()
            thread.join()

    def main(self) -> None:
        """What `python model.py` does: the command line of `pplc infer`, without a model to compile."""
        raise SystemExit(run_module(self))


def module_of(text: str, name: str, file: str) -> ModuleType:
    """The module whose text is given, which its program keeps."""
    module = ModuleType(name)
    module.__file__ = file
    exec(compile(text, file, "exec"), module.__dict__)
    module.PROGRAM.text = text
    return module


def program_of(text: str, name: str, file: str) -> Program:
    """The program of such a module."""
    program: Program = module_of(text, name, file).PROGRAM
    return program
