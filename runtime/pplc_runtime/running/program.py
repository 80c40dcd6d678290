"""A compiled program: what a generated module defines, and what can be done with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, nullcontext
from copy import copy
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pplc_runtime.command.infer import run_module
from pplc_runtime.command.inputs import given_inputs
from pplc_runtime.command.progress import Progress
from pplc_runtime.composed import check_names, method_in, offer_of
from pplc_runtime.composition import Composition
from pplc_runtime.engine.observed import OBSERVED, Replaced
from pplc_runtime.engine.plan import Plan, plan
from pplc_runtime.inference import method_of
from pplc_runtime.inference.base import Settings
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import here
from pplc_runtime.numerics.keys import Key, new_seed
from pplc_runtime.program.errors import Included, Limited, Places, Reached, located
from pplc_runtime.program.inner_observes import inner_observes, mentions
from pplc_runtime.program.steps import Assume, Input, Step
from pplc_runtime.results.blocks import Block, Some, has_weight, is_parted
from pplc_runtime.results.journal import EVERY, Journal, digest, settings_in
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.again import Done, say_why, without_particles
from pplc_runtime.running.auto import automatic
from pplc_runtime.running.channel import handed_over
from pplc_runtime.running.driver import Driver, Drivers
from pplc_runtime.running.executors import Task, block_of, by_executor, packed, processes, singly
from pplc_runtime.running.limits import limited
from pplc_runtime.running.modules import program_of
from pplc_runtime.settings import checked, with_settings
from pplc_runtime.specialise.delayed import with_delayed
from pplc_runtime.specialise.engine import specialised_text
from pplc_runtime.values import ModelError

if TYPE_CHECKING:
    from pplc_runtime.running.machine_text import Reading

ASKING = ("missing?", "nil?", "some?")
"""What a program looks at missing values with."""
DEEPEST = 250_000
MOST_LANES = 1024
"""Up to so many particles in all, chains run together: beyond, a lane more costs as much as a particle does alone."""
_STACK = 1 << 29

Item = TypeVar("Item")
OnSweep = Callable[[Sweep], None]
Engine = Callable[[str | Composition, list[Settings], int, dict[str, Any], int | None], Iterator[Sweep]]


class Program:
    """A program that can be inferred."""

    text: str | None = None
    """The text of its module, where that is not in a file."""
    observed: Replaced | None = None
    """Values in place of those that it observes."""

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
    def needed(self) -> tuple[str, ...]:
        """The inputs that have no default."""
        return tuple(step.name for step in self.steps if isinstance(step, Input) and step.default is None)

    @property
    def assumed(self) -> tuple[str, ...]:
        """The names that the program assumes."""
        names = (step.name.split("%")[0] for step in self.steps if isinstance(step, Assume))
        return tuple(dict.fromkeys(names))

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is pickled: the text of its module, which is run where it is unpickled."""
        return program_of, (self.module_text(), self.name, self.file)

    @with_settings
    def infer(
        self,
        method: str | Composition = "auto",
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
        max_seconds: float | None = None,
        max_memory: int | str | None = None,
        engine: Engine | None = None,
        checkpoint: str | os.PathLike[str] | Journal | None = None,
        resume: str | os.PathLike[str] | None = None,
        every: float = EVERY,
        executor: Executor | None = None,
        **options: Any,
    ) -> Posterior:
        """Draws from the posterior by a method, or by some composed; `on_sweep` is told of each sweep as it is done.

        A run of more than a second has a progress bar, in a terminal or a notebook, unless `progress` is False or
        somebody listens by `on_sweep`. An interrupt ends the run, and the posterior has what was drawn by then.

        The further options are those of `Settings`. What they must be is in `settings`: TypeError for one of the wrong
        kind or an unknown one, ValueError for a value that it cannot have or that the method has no use for.
        `engine` may take the place of the lane engine: it gives the sweeps for the same settings.

        With `checkpoint` the sweeps are also written to a journal, every so many seconds. `resume` takes up the run of
        a journal: the result is that of a run which was never interrupted, to the last bit.

        An `executor` does blocks of sweeps elsewhere, such as that of a cluster; the result is the same."""
        given: dict[str, Any] = {"particles": particles, "sweeps": sweeps, "seed": seed, "chains": chains}
        given |= {"cores": cores, "max_seconds": max_seconds, "max_memory": max_memory}
        method = method_in(method)
        journaled = checkpoint is not None or resume is not None
        if journaled and engine is not None:
            raise ValueError("the reference engine writes no checkpoints; name another engine")
        if seed is None and resume is not None:
            given["seed"] = settings_in(resume).get("seed")
        if method == "auto":
            told = checked(offer_of(method), {**given, **options}, "lanes" if engine is None else "reference")
            limits = limited(told.pop("max_seconds", None), told.pop("max_memory", None))
            told.setdefault("seed", new_seed())
            run_of = {name: value for name, value in told.items() if name != "cores"}
            told |= {"on_sweep": on_sweep, "progress": progress, "executor": executor}
            if not journaled:
                with limits:
                    return automatic(self, data, max_depth or DEEPEST, **told)
            head = {"method": "auto", **run_of}
            with limits, closing(self.journal(checkpoint, resume, every, head, self.data(data))) as journal:
                return automatic(self, data, max_depth or DEEPEST, journal=journal, **told)
        if isinstance(method, Composition):
            check_names(method, self.assumed)
        chosen = offer_of(method)
        told = checked(chosen, {**given, "max_depth": max_depth, **options}, "lanes" if engine is None else "reference")
        limits = limited(told.pop("max_seconds", None), told.pop("max_memory", None))
        number = told.pop("particles", chosen.particles)
        length = told.pop("sweeps", chosen.sweeps)
        if chosen.is_exact:
            length = told["chains"] = 1
        chains, cores, max_depth = told.pop("chains", 1), told.pop("cores", 1), told.pop("max_depth", None)
        seed = told.pop("seed", None)
        if seed is None:
            seed = new_seed()
        told.setdefault("burn_in", chosen.burn_in)
        values = self.data(data)
        here.printed, here.sweep = 0, None
        kept: list[Some] = []
        found, interrupted, limit = False, False, None
        shown = on_sweep is None if progress is None else progress
        bar = Progress(length * chains, quiet=not shown)

        def each(done: Some) -> None:
            nonlocal found
            bar.step(len(done) if isinstance(done, Block) else 1)
            found = found or has_weight(done)
            if keep:
                kept.append(done)
            if on_sweep is not None:
                for sweep in done if isinstance(done, Block) else [done]:
                    on_sweep(sweep)

        settings = [Settings(number, length, chain, **told) for chain in range(chains)]
        sweeps_done: Generator[Some]
        own: AbstractContextManager[Any] = nullcontext()
        if journaled:
            run_of = {"method": str(method), "particles": number, "sweeps": length, "chains": chains, "seed": seed}
            journal = self.journal(checkpoint, resume, every, {**run_of, **told}, values)
            own = own if journal is checkpoint else closing(journal)

            def rest(after: list[Sweep | None]) -> Generator[Sweep]:
                starts = after if chosen.is_chain else without_particles(after)
                deepest = max_depth or DEEPEST
                return singly(self.chains(method, settings, Key.of(seed), values, cores, deepest, starts, executor))

            sweeps_done = journal.through([None] * chains, length - 1, rest)
        elif engine is None:
            deepest = max_depth or DEEPEST
            sweeps_done = self.chains(method, settings, Key.of(seed), values, cores, deepest, (), executor, not keep)
        else:
            work = partial(self.located, partial(engine, method, settings, seed, values, max_depth))
            sweeps_done = self.deep(work, DEEPEST)
        try:
            with limits, own, closing(sweeps_done):
                for done in sweeps_done:
                    each(done)
        except (KeyboardInterrupt, Limited) as error:
            interrupted, limit = True, str(error) if isinstance(error, Limited) else None
            if not found:
                raise
        finally:
            bar.close()
        if not found:
            say_why(self, method, settings[0], Key.of(seed), values, max_depth or DEEPEST)
        run = Done(self, values, number, told, cores, max_depth or DEEPEST, engine is None)
        inside = self.inner_observes() if is_parted(kept) else ()
        posterior = Posterior(chosen.name, seed, chosen.draws_of(number), chains, kept, chosen.is_chain, inside, run)
        posterior.interrupted, posterior.limit = interrupted, limit
        return posterior

    def journal(
        self, checkpoint: Any, resume: Any, every: float, settings: dict[str, Any], values: dict[str, Any]
    ) -> Journal:
        """The journal of a run, a new one or one to go on with; or the one that it is a part of."""
        if isinstance(checkpoint, Journal):
            return checkpoint
        if checkpoint is not None and resume is not None and os.path.realpath(checkpoint) != os.path.realpath(resume):
            raise ValueError("a run that is resumed goes on in its own journal")
        head = {"model": digest(self.module_text()), "data": digest(values), "settings": settings}
        return Journal(checkpoint if resume is None else resume, head, every, resume is not None)

    def module_text(self) -> str:
        """The text of the generated module."""
        return Path(self.file).read_text(encoding="utf-8") if self.text is None else self.text

    def inner_observes(self) -> tuple[int, ...]:
        """The lines that observe inside of an expression."""
        return inner_observes(self.module, self.file, self.places)

    def data(self, given: Any) -> dict[str, Any]:
        """The values of the inputs as the language has them, and of observes that are replaced."""
        values = given_inputs(given, self.inputs, self.asks_for_missing, self.needed)
        return values if self.observed is None else {**values, OBSERVED: self.observed}

    def with_data(self, observed: Replaced) -> Program:
        """The same program with other values in place of those that it observes."""
        other = copy(self)
        other.observed = observed
        return other

    @property
    def asks_for_missing(self) -> bool:
        """Whether the program looks at what is missing, so that its inputs may have such values."""
        return any(mentions(self.module, name) for name in ASKING)

    def chains(
        self,
        method: str | Composition,
        settings: list[Settings],
        key: Key,
        data: dict[str, Any],
        cores: int,
        max_depth: int,
        after: Sequence[Sweep | None] = (),
        executor: Executor | None = None,
        lean: bool = False,
    ) -> Generator[Some]:
        """The sweeps of all chains: in the lanes of one run where they fit there, else one chain after the other, in
        processes, or by an executor, each with its own key. Which chains are run together depends on neither.

        Chains that have had sweeps go on `after` the last one of each."""
        keys, own = [key.fold(each.chain) for each in settings], settings[0]
        fit = offer_of(method).is_chain and own.ess_threshold >= 1 and len(settings) > 1
        fit = fit and len({None if last is None else last.number for last in after}) <= 1
        fit = fit and len(settings) * own.particles <= MOST_LANES
        drivers = self.drivers(method, data)
        if executor is None and fit:
            in_lanes = False
            for done in self.deep(partial(self.in_lanes, drivers, settings, keys, after), max_depth):
                in_lanes = True
                yield done
            if in_lanes:
                return
        if executor is None and (cores == 1 or len(settings) == 1):
            for own, its, last in zip_longest(settings, keys, after):
                yield from self.deep(partial(self.run, drivers, own, its, last), max_depth)
            return
        run = packed(self, method, data)
        task = Task(run, tuple(settings), tuple(keys), max_depth, block_of(method, own), lean)
        tasks = [task] if executor is not None and fit else task.alone()
        lasts = [*after, *[None] * (len(settings) - len(after))]
        whole = [lasts] if len(tasks) == 1 and fit else [[last] for last in lasts]
        if executor is not None:
            yield from by_executor(executor, tasks, whole)
            return
        with processes(min(cores, len(tasks))) as pool:
            yield from by_executor(pool, tasks, whole)

    def run(self, drivers: Drivers, settings: Settings, key: Key, after: Sweep | None = None) -> Iterator[Some]:
        """The sweeps of one chain."""
        return self.located(lambda: drivers.of(settings).chain(key, after))

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

    def machine_code(self, data: Any = None) -> Reading:
        """Its machine code, or why it has none."""
        from pplc_runtime.running.machine_text import reading  # seldom needed

        with np.errstate(all="ignore"):
            try:
                return reading(self.plan(self.data(data)), self.places)
            except ModelError as error:
                raise located(error, self.file, self.source, self.places) from None

    def once(self, work: Callable[[], Item], max_depth: int) -> Item:
        """What some work comes to, with a stack for deep recursion."""

        def alone() -> Iterator[Item]:
            yield work()

        return next(iter(list(self.deep(lambda: self.located(alone), max_depth))))

    def drivers(self, method: str | Composition, data: dict[str, Any]) -> Drivers:
        """What takes the steps of a method, chain by chain."""

        def of(settings: Settings) -> Driver:
            return Driver.of(method_of(method).kernel, with_delayed(self.plan(data), settings.delayed), settings)

        return Drivers(of)

    def in_lanes(
        self, drivers: Drivers, settings: list[Settings], keys: list[Key], after: Sequence[Sweep | None] = ()
    ) -> Iterator[Some]:
        """The sweeps of all chains in the lanes of one run; nothing where they do not fit together."""
        return self.located(lambda: drivers.of(settings[0]).chains(keys, after))

    def located(self, sweeps: Callable[[], Iterator[Item]]) -> Iterator[Item]:
        """Sweeps or other work, with errors located in the source."""
        with np.errstate(all="ignore"):
            try:
                yield from sweeps()
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except (Exception, Reached) as error:
                raise located(error, self.file, self.source, self.places, self.included) from None

    def deep(self, work: Callable[[], Iterator[Item]], max_depth: int) -> Generator[Item]:
        """Sweeps or other results that a thread with a stack for deep recursion computes, handed over one by one."""
        return handed_over(work, _STACK, max_depth * 4 + 1000)

    def main(self) -> None:
        """What `python model.py` does: the command line of `pplc infer`, without a model to compile."""
        raise SystemExit(run_module(self))
