"""CPU and wall time of a sweep.

What is compared is timed by turns, in batches of sweeps, and the least of the batches counts: another process
on the machine can only add to a time, and it then adds to both sides.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any, Protocol

from pplc_runtime.native.engine import LEAST_WORK
from pplc_runtime.running.driver import LEAST_SWEEPS

MOST_SWEEPS = 5_000


NOISY = 0.3


@dataclass(frozen=True)
class Time:
    """Milliseconds a sweep, and by how much of it the middle batch took longer than the least."""

    cpu: float
    wall: float
    spread: float = 0.0

    @property
    def noisy(self) -> bool:
        """One thread cannot use more CPU time than has passed: if it seems so, the difference was off."""
        return self.spread > NOISY or self.wall < 0.95 * self.cpu


@dataclass(frozen=True)
class Effort:
    """How long a batch lasts, how many there are, and how many sweeps a batch of a slow one has at least."""

    seconds: float
    repeats: int
    least: int = 1


class Timed(Protocol):
    def batch(self, sweeps: int) -> tuple[float, float]:
        """CPU and wall seconds that so many sweeps took, with setting up."""

    def set_up(self) -> tuple[float, float]:
        """CPU and wall seconds of what a batch does beside its sweeps."""


def clocked(work: Callable[[], Any]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu, time.perf_counter() - wall


class Calls:
    """A sweep that is a call; what it gives is given to the next one, as `state`."""

    def __init__(self, sweep: Callable[[Any], Any], state: Any = None) -> None:
        self.sweep, self.state = sweep, state

    def batch(self, sweeps: int) -> tuple[float, float]:
        return clocked(lambda: self._run(sweeps))

    def set_up(self) -> tuple[float, float]:
        return 0.0, 0.0

    def _run(self, sweeps: int) -> None:
        for _ in range(sweeps):
            self.state = self.sweep(self.state)


class Inference:
    """Sweeps of a pplc model, by its public API: what a run takes that has so many more than one which is set up.

    A run that is set up has as many as it takes to be by scripts, or in machine code, where it can be."""

    def __init__(self, model: Any, method: str, **settings: Any) -> None:
        self.model, self.method, self.settings = model, method, settings
        segments = len(model.program.plan(model.program.data(None)).segments)
        self.first = LEAST_SWEEPS + math.ceil(LEAST_WORK / segments / (1 + settings["particles"] / 250))
        self.few = max(3, 3000 // settings["particles"])
        """So many sweeps of machine code tell what one takes."""
        self.batch(1)

    def batch(self, sweeps: int) -> tuple[float, float]:
        return clocked(lambda: self.model.infer(self.method, sweeps=self.first + sweeps, seed=1, **self.settings))

    def set_up(self) -> tuple[float, float]:
        return self.batch(0)


def measure(subjects: Mapping[str, Timed], effort: Effort) -> dict[str, Time]:
    """The time a sweep of each: the least batch less the least set-up, over batches taken by turns.

    A difference of two noisy times can come out far too small; so a batch has several sweeps, and the least
    is taken of each of the two before they are subtracted, never of the differences."""
    sizes: dict[str, int] = {}
    batches: dict[str, list[tuple[float, float]]] = {name: [] for name in subjects}
    set_ups: dict[str, list[tuple[float, float]]] = {name: [] for name in subjects}
    for name, subject in subjects.items():
        sizes[name] = min(max(effort.least, 1, round(effort.seconds / _about(subject))), MOST_SWEEPS)
    for _ in range(effort.repeats):
        for name, subject in subjects.items():
            set_ups[name].append(subject.set_up())
            batches[name].append(subject.batch(sizes[name]))
    return {name: _time(batches[name], set_ups[name], sizes[name]) for name in subjects}


def _about(subject: Timed) -> float:
    """What a sweep takes, in CPU seconds, roughly; never so little that a batch of that size could run on and on."""
    sweeps = getattr(subject, "few", 3)
    set_up = subject.set_up()[0]
    batch = subject.batch(sweeps)[0]
    return max((batch - min(set_up, batch)) / sweeps, 0.1 * batch / sweeps, 1e-6)


def _time(batches: list[tuple[float, float]], set_ups: list[tuple[float, float]], size: int) -> Time:
    cpu, wall = (1e3 * (min(b) - min(s)) / size for b, s in zip(zip(*batches), zip(*set_ups)))
    middle = 1e3 * (median(b for b, _ in batches) - median(s for s, _ in set_ups)) / size
    return Time(cpu, wall, abs(middle - cpu) / cpu if cpu > 0 else float("inf"))
