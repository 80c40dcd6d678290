"""A compiled program: what a generated module defines, and what can be done with it."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from pplc_runtime.command.infer import run_module
from pplc_runtime.composition import Composition, check_names, method_in, offer_of
from pplc_runtime.engine.plan import plan
from pplc_runtime.inference import method_of
from pplc_runtime.inference.base import Settings
from pplc_runtime.lanes.addresses import At
from pplc_runtime.program.errors import Places, located
from pplc_runtime.program.inner_observes import inner_observes
from pplc_runtime.program.steps import Assume, Input, Step
from pplc_runtime.results.json_values import from_python, nan_in_input
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.driver import Driver
from pplc_runtime.running.memory import keep_freed_memory, rare_collections
from pplc_runtime.settings import checked
from pplc_runtime.suggestions import suggestion
from pplc_runtime.values import ModelError

DEEPEST = 250_000
MOST_LANES = 1024
"""Up to so many particles in all, chains run together: beyond, a lane more costs as much as a particle does alone."""
_STACK = 1 << 29
_running = threading.RLock()
"""One run at a time: what is running is kept in one place for the process."""

OnSweep = Callable[[Sweep], None]
Engine = Callable[[str, list[Settings], int, dict[str, Any], int | None], Iterator[Sweep]]


class Program:
    """A program that can be inferred."""

    def __init__(self, name: str, file: str, source: str, steps: list[Step], places: Places) -> None:
        self.name = name
        self.file = file
        self.source = source
        self.steps = steps
        self.places = places

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the values that a program is given."""
        return tuple(step.name for step in self.steps if isinstance(step, Input))

    @property
    def assumed(self) -> tuple[str, ...]:
        """The names that the program assumes."""
        names = (step.name.split("%")[0] for step in self.steps if isinstance(step, Assume))
        return tuple(dict.fromkeys(names))

    def infer(
        self,
        method: str | Composition = "importance",
        *,
        particles: int | None = None,
        sweeps: int | None = None,
        seed: int | None = None,
        chains: int = 1,
        cores: int = 1,
        data: Mapping[str, Any] | None = None,
        on_sweep: OnSweep | None = None,
        keep: bool = True,
        max_depth: int | None = None,
        engine: Engine | None = None,
        **options: Any,
    ) -> Posterior:
        """Draws from the posterior by a method, or by some composed; `on_sweep` is told of each sweep as it is done.

        The further options are those of `Settings`. What they must be is in `settings`: TypeError for one of the wrong
        kind or an unknown one, ValueError for a value that it cannot have or that the method has no use for.
        `engine` may take the place of the lane engine: it gives the sweeps for the same settings."""
        given = {"particles": particles, "sweeps": sweeps, "seed": seed, "chains": chains, "cores": cores}
        method = method_in(method)
        if isinstance(method, Composition):
            check_names(method, self.assumed)
        chosen = offer_of(method)
        told = checked(chosen, {**given, "max_depth": max_depth, **options}, "lanes" if engine is None else "reference")
        number = told.pop("particles", chosen.particles)
        length = told.pop("sweeps", chosen.sweeps)
        chains, cores, max_depth = told.pop("chains", 1), told.pop("cores", 1), told.pop("max_depth", None)
        seed = told.pop("seed", None)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        values = self.data(data)
        kept: list[Sweep] = []
        found = False

        def each(sweep: Sweep) -> None:
            nonlocal found
            found = found or sweep.log_evidence is None or sweep.log_evidence > -np.inf
            if keep:
                kept.append(sweep)
            if on_sweep is not None:
                on_sweep(sweep)

        settings = [Settings(number, length, chain, **told) for chain in range(chains)]
        if engine is None:
            sweeps_done = self.chains(method, settings, seed, values, cores, max_depth or DEEPEST)
        else:
            work = partial(self.located, partial(engine, chosen.name, settings, seed, values, max_depth))
            sweeps_done = self.deep(work, DEEPEST)
        for sweep in sweeps_done:
            each(sweep)
        if not found:
            raise ModelError(f"{self.source}: error: every particle of every sweep has weight zero")
        return Posterior(
            chosen.name, seed, chosen.draws_of(number), chains, kept, chosen.is_chain, self.inner_observes()
        )

    def inner_observes(self) -> tuple[int, ...]:
        """The lines that observe inside of an expression."""
        functions = (step.function for step in self.steps if not isinstance(step, Input) and step.function is not None)
        module: dict[str, Any] = getattr(next(functions, None), "__globals__", {})
        return inner_observes(module, self.file, self.places)

    def data(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The values of the inputs as the language has them."""
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(f"data: must map the names of inputs to their values, not be {given!r}")
        for name in given or {}:
            if name not in self.inputs:
                raise ValueError(f"data: the program has no input '{name}'{suggestion(name, self.inputs)}")
        values = {name: from_python(value) for name, value in (given or {}).items()}
        for name, value in values.items():
            if (problem := nan_in_input(name, value)) is not None:
                raise ValueError(problem)
        return values

    def chains(
        self,
        method: str | Composition,
        settings: list[Settings],
        seed: int,
        data: dict[str, Any],
        cores: int,
        max_depth: int,
    ) -> Iterator[Sweep]:
        """The sweeps of all chains: in the lanes of one run where they fit there, else one chain after the other or
        in processes, each with its own stream of random numbers. Which of them does not depend on `cores`."""
        *seeds, common = np.random.SeedSequence(seed).spawn(len(settings) + 1)
        own = settings[0]
        fit = offer_of(method).is_chain and own.ess_threshold >= 1
        if len(settings) > 1 and fit and len(settings) * own.particles <= MOST_LANES:
            in_lanes = False
            for sweep in self.deep(partial(self.in_lanes, method, settings, seeds, common, data), max_depth):
                in_lanes = True
                yield sweep
            if in_lanes:
                return
        work = [partial(self.run, method, own, stream, data) for own, stream in zip(settings, seeds)]
        if cores > 1 and len(work) > 1:
            yield from _in_processes([partial(self.whole, chain, max_depth) for chain in work], cores)
        else:
            for chain in work:
                yield from self.deep(chain, max_depth)

    def whole(self, chain: Callable[[], Iterator[Sweep]], max_depth: int) -> list[Sweep]:
        """All sweeps of a chain at once, as a process hands them back."""
        return list(self.deep(chain, max_depth))

    def run(
        self, method: str | Composition, settings: Settings, seed: np.random.SeedSequence, data: dict[str, Any]
    ) -> Iterator[Sweep]:
        """The sweeps of one chain."""
        rng = np.random.default_rng(seed)
        return self.located(lambda: self.driver(method, settings, data).chain(rng))

    def driver(self, method: str | Composition, settings: Settings, data: dict[str, Any]) -> Driver:
        """What takes the steps of a method."""
        return Driver.of(method_of(method).kernel, plan(self.steps, At(), data), settings)

    def in_lanes(
        self,
        method: str | Composition,
        settings: list[Settings],
        seeds: list[np.random.SeedSequence],
        common: np.random.SeedSequence,
        data: dict[str, Any],
    ) -> Iterator[Sweep]:
        """The sweeps of all chains in the lanes of one run; nothing where they do not fit together."""
        starts = [np.random.default_rng(seed) for seed in seeds]
        rng = np.random.default_rng(common)
        return self.located(lambda: self.driver(method, settings[0], data).chains(starts, rng))

    def located(self, sweeps: Callable[[], Iterator[Sweep]]) -> Iterator[Sweep]:
        """Sweeps, with errors located in the source."""
        with _running, np.errstate(all="ignore"):
            try:
                yield from sweeps()
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except Exception as error:
                raise located(error, self.file, self.source, self.places) from None

    def deep(self, work: Callable[[], Iterator[Sweep]], max_depth: int) -> Iterator[Sweep]:
        """Sweeps that are computed in a thread with a stack for deep recursion, handed over one by one."""
        keep_freed_memory()
        channel = _Channel()

        def target() -> None:
            limit = sys.getrecursionlimit()
            try:
                sys.setrecursionlimit(max(limit, max_depth * 4 + 1000))
                with rare_collections():
                    for sweep in work():
                        channel.put(sweep)
                channel.end(None)
            except BaseException as error:
                channel.end(error)
            finally:
                sys.setrecursionlimit(limit)

        size = threading.stack_size(_STACK)
        try:
            thread = threading.Thread(target=target, daemon=True)
            thread.start()
        finally:
            threading.stack_size(size)
        try:
            yield from channel
        finally:
            channel.stop()
            thread.join()

    def main(self) -> None:
        """What `python model.py` does: the command line of `pplc infer`, without a model to compile."""
        raise SystemExit(run_module(self))


_work: list[Callable[[], list[Sweep]]] = []
"""What forked processes find when they start: generated code cannot be sent to them."""


def _work_number(number: int) -> list[Sweep]:
    return _work[number]()


def _in_processes(work: list[Callable[[], list[Sweep]]], cores: int) -> Iterator[Sweep]:
    """The sweeps of several chains, computed in processes and given in the order of the chains."""
    if "fork" not in multiprocessing.get_all_start_methods():
        for chain in work:  # the result is the same
            yield from chain()
        return
    _work[:] = work
    others = set(multiprocessing.active_children())
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(cores, len(work)), mp_context=fork, initializer=_leave_interrupts) as pool:
        futures = [pool.submit(_work_number, number) for number in range(len(work))]
        try:
            for future in futures:
                yield from future.result()
        except BaseException:  # nobody wants the other chains, and one that has started cannot be cancelled
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
        finally:
            _work.clear()


def _leave_interrupts() -> None:
    """Interrupts are for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


_MOMENT = 0.05
_MOST_AT_ONCE = 64


class _Stopped(BaseException):
    """Nobody wants the sweeps of a thread any more."""


class _Channel:
    """Hands sweeps from one thread to another, those of a moment together: waking it costs as much as a sweep."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.items: list[Sweep] = []
        self.ended = False
        self.stopped = False
        self.error: BaseException | None = None
        self.told = 0.0

    def put(self, sweep: Sweep) -> None:
        with self.lock:
            if self.stopped:
                raise _Stopped
            self.items.append(sweep)
            now = time.monotonic()
            if now - self.told > _MOMENT or len(self.items) > _MOST_AT_ONCE:
                self.told = now
                self.lock.notify()
            while len(self.items) > _MOST_AT_ONCE and not self.stopped:
                self.lock.wait(0.1)

    def end(self, error: BaseException | None) -> None:
        with self.lock:
            self.error = None if isinstance(error, _Stopped) else error
            self.ended = True
            self.lock.notify()

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            self.lock.notify_all()

    def __iter__(self) -> Iterator[Sweep]:
        while True:
            with self.lock:
                while not self.items and not self.ended:
                    self.lock.wait(0.5)
                items, self.items = self.items, []
                self.lock.notify_all()
                ended = self.ended and not items
            yield from items
            if ended:
                if self.error is not None:
                    raise self.error
                return
