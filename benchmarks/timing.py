"""CPU and wall time of a sweep.

What is compared is timed by turns, in batches of sweeps, and the least of the batches counts: another process
on the machine can only add to a time, and it then adds to both sides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

MOST_SWEEPS = 5_000


@dataclass(frozen=True)
class Time:
    """Milliseconds a sweep."""

    cpu: float
    wall: float


@dataclass(frozen=True)
class Effort:
    """How long a batch lasts and how many there are."""

    seconds: float
    repeats: int


class Timed(Protocol):
    def batch(self, sweeps: int) -> tuple[float, float]:
        """CPU and wall seconds that so many sweeps took."""


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

    def _run(self, sweeps: int) -> None:
        for _ in range(sweeps):
            self.state = self.sweep(self.state)


class Inference:
    """Sweeps of a pplc model, through its public API; setting up, timed on one sweep, is taken off."""

    def __init__(self, model: Any, method: str, **settings: Any) -> None:
        self.model, self.method, self.settings = model, method, settings
        self._infer(1)
        runs = [clocked(lambda: self._infer(1)) for _ in range(3)]
        self.fixed = min(cpu for cpu, _ in runs), min(wall for _, wall in runs)

    def _infer(self, sweeps: int) -> None:
        self.model.infer(self.method, sweeps=sweeps, seed=1, **self.settings)

    def batch(self, sweeps: int) -> tuple[float, float]:
        cpu, wall = clocked(lambda: self._infer(sweeps + 1))
        return max(cpu - self.fixed[0], 1e-9), max(wall - self.fixed[1], 1e-9)


def measure(subjects: Mapping[str, Timed], effort: Effort) -> dict[str, Time]:
    """The least time a sweep of each, over batches taken by turns."""
    sizes, best = {}, {}
    for name, subject in subjects.items():
        cpu, wall = subject.batch(1)
        sizes[name] = min(max(1, round(effort.seconds / max(cpu, 1e-6))), MOST_SWEEPS)
        best[name] = Time(cpu * 1e3, wall * 1e3) if sizes[name] < 3 else Time(float("inf"), float("inf"))
    for _ in range(effort.repeats):
        for name, subject in subjects.items():
            cpu, wall = (1e3 * spent / sizes[name] for spent in subject.batch(sizes[name]))
            best[name] = Time(min(best[name].cpu, cpu), min(best[name].wall, wall))
    return best
