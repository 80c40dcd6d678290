"""Chains on other processes and machines: blocks of sweeps, handed to any `concurrent.futures.Executor`.

A block is a function of the program's text, the data, the settings, the key of its chain, and what the chain retains.
So it makes no difference who does it, when, or how often: one that a lost worker had is done again by another. The
sweeps are given in the order of the chains, as one process gives them. Programs go there as text. What comes back stays
packed until it is handed over, so that chains that wait for the first take little memory; what a worker has made for a
program, as machine code, it keeps for the next block.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pplc_runtime.composition import Composition
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.blocks import Block, Some
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.running.limits import Limits, for_another, of_another
from pplc_runtime.values import ModelError

if TYPE_CHECKING:
    from pplc_runtime.running.driver import Drivers
    from pplc_runtime.running.program import Program

IN_FLIGHT: Final = 64
"""So many chains are on their way at once: what they have done waits here for the first of them."""
BLOCKS: Final = 10
LEAST_BLOCK: Final = 100
"""A chain is done in so many blocks, none of which is shorter than this."""
UNADAPTED: Final = {"icsmc", "pgas", "pimh", "ipmcmc", "lmh"}
"""Methods whose burn-in leaves nothing but where they are."""
GONE: Final = "the workers are gone ({}); what was drawn before is kept, and with --checkpoint the run can be resumed"


@dataclass(frozen=True, slots=True)
class Task:
    """Chains that are run together, or one alone."""

    run: bytes
    """What is run, `packed`: the same for all chains."""
    settings: tuple[Settings, ...]
    keys: tuple[Key, ...]
    max_depth: int
    block: int
    lean: bool
    """Whether nobody wants to know what particles drew."""
    limits: Limits | None = None
    """What is left of the limits when it is handed over."""

    def is_done(self, after: Sequence[Sweep | None]) -> bool:
        return bool(after) and after[0] is not None and after[0].number >= self.settings[0].sweeps - 1

    def alone(self) -> list[Task]:
        """Each chain by itself."""
        return [replace(self, settings=(own,), keys=(key,)) for own, key in zip(self.settings, self.keys)]


def block_of(method: str | Composition, settings: Settings) -> int:
    """How many sweeps are a block. What adapts in its burn-in would do that again for each: its chains stay whole."""
    parts = {method} if isinstance(method, str) else {single.method for single in method.singles()}
    if settings.burn_in and not parts <= UNADAPTED:
        return settings.sweeps
    return max(LEAST_BLOCK, -(-settings.sweeps // BLOCKS))


def singly(parts: Iterable[Some]) -> Generator[Sweep]:
    """Sweeps one by one."""
    for part in parts:
        yield from part if isinstance(part, Block) else [part]


def packed(program: Program, method: str | Composition, data: dict[str, Any]) -> bytes:
    """What is run, as it goes to workers."""
    return pickle.dumps((program, method, data))


_kept: Final = threading.local()


def unpacked(run: bytes) -> tuple[Program, Drivers]:
    """What is run, and what takes its steps; a thread keeps those of its last run, with all that was made for them."""
    if getattr(_kept, "run", None) != run:
        program, method, data = pickle.loads(run)
        _kept.made = program, program.drivers(method, data)
        _kept.run = run
    made: tuple[Program, Drivers] = _kept.made
    return made


class Done(NamedTuple):
    """A block that is done."""

    last: list[Sweep]
    """The last sweep of each chain."""
    sweeps: bytes
    """All of them, packed."""


def next_block(task: Task, after: Sequence[Sweep | None]) -> Done | None:
    """The sweeps of the next block; None where chains cannot be run together."""
    several = len(task.settings) > 1
    program, drivers = unpacked(task.run)
    if several:
        work = partial(program.in_lanes, drivers, list(task.settings), list(task.keys), after)
    else:
        last = after[0] if after else None
        work = partial(program.run, drivers, task.settings[0], task.keys[0], last)
    found: list[Sweep] = []
    with of_another(task.limits), closing(program.deep(work, task.max_depth)) as sweeps:
        for sweep in singly(sweeps):
            found.append(sweep)
            if sweep.whole and len(found) >= task.block * len(task.settings):
                break
    if several and not found:
        return None
    lasts = {sweep.chain: sweep for sweep in found}
    if task.lean:
        found = [replace(sweep, kept=None) for sweep in found]
    return Done([lasts[own.chain] for own in task.settings], pickle.dumps(found))


@dataclass(slots=True)
class _Running:
    """Chains on their way."""

    task: Task
    after: list[Sweep | None]
    future: Any = None
    waiting: list[bytes] = field(default_factory=list)
    """Sweeps that are done and not handed over, packed."""

    def submit(self, executor: Executor) -> None:
        task = replace(self.task, limits=for_another())
        self.future = None if task.is_done(self.after) else executor.submit(next_block, task, self.after)

    def take(self) -> bool:
        """What a block that is done has given; whether these chains can be run together."""
        found = self.future.result()
        self.future = None
        if found is None:
            return False
        self.after = list(found.last)
        self.waiting.append(found.sweeps)
        return True

    def sweeps(self) -> Iterator[Sweep]:
        """What is done and not handed over."""
        waiting, self.waiting = self.waiting, []
        for block in waiting:
            yield from pickle.loads(block)


def by_executor(executor: Executor, tasks: list[Task], after: list[list[Sweep | None]]) -> Generator[Sweep]:
    """The sweeps of all chains, in their order. An interrupt hands over what is done, and goes on."""
    queue = [_Running(task, own) for task, own in zip(tasks, after)]
    running: list[_Running] = []
    try:
        while queue or running:
            while queue and len(running) < IN_FLIGHT:
                running.append(queue.pop(0))
                running[-1].submit(executor)
            futures = [each.future for each in running if each.future is not None]
            done = wait(futures, return_when=FIRST_COMPLETED).done if futures else set()
            for place, each in enumerate(list(running)):
                if each.future not in done:
                    continue
                if each.take():
                    each.submit(executor)
                else:
                    parts = [_Running(own, [last]) for own, last in zip(each.task.alone(), each.after)]
                    running[place : place + 1] = parts
                    for own in parts:
                        own.submit(executor)
            while running:
                yield from running[0].sweeps()
                if running[0].future is not None:
                    break
                running.pop(0)
    except KeyboardInterrupt:
        for each in running:
            if each.future is not None and each.future.done() and each.future.exception() is None:
                each.take()
            yield from each.sweeps()
        raise
    except (BrokenExecutor, CancelledError, OSError) as error:
        raise ModelError(GONE.format(str(error) or type(error).__name__)) from None
    finally:
        for each in running:
            if each.future is not None:
                each.future.cancel()


@contextmanager
def processes(cores: int) -> Iterator[Executor]:
    """Processes of this machine. They are forked where that is possible, else they are started anew."""
    start = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context(start)
    with ProcessPoolExecutor(cores, mp_context=context, initializer=_end_when_told) as pool:
        try:
            yield pool
        except BaseException:  # nobody wants the other chains, and one that has started cannot be cancelled
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def _end_when_told() -> None:
    """Interrupts are for the process that started this one, and so is what it does before it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
