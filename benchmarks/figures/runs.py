"""Runs of an experiment, each kept in a file as it is done, so that a second start goes on where the first ended.

What is kept of a run are arrays by name, with the CPU seconds of its sweeps among them.
"""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import pplc
import pplc_runtime
from pplc_runtime.results.sweeps import Sweep

Array = NDArray[np.float64]
Kept = dict[str, Array]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Setting:
    """A method with a number of particles: a line of the figures."""

    method: str
    particles: int

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.particles}"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run."""

    icsmc: tuple[int, ...]
    sweeps: int
    restarts: int

    @property
    def settings(self) -> list[Setting]:
        return [Setting("pgas", 10), *(Setting("icsmc", number) for number in self.icsmc)]


class Gathering(ABC):
    """Takes the sweeps of one run as they come; `seconds` is the CPU time that it used itself."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, sweep: Sweep) -> None:
        begun = time.process_time()
        self.take(sweep, np.exp(sweep.log_weights))
        self.seconds += time.process_time() - begun

    @abstractmethod
    def take(self, sweep: Sweep, weights: Array) -> None:
        """One sweep, and the weights of its particles, which sum to one."""

    @abstractmethod
    def kept(self) -> Kept:
        """What is kept of the run."""


class Experiment(ABC):
    """All runs of a size, in a folder of their own for each text of the program and of the engine: times of one
    engine are not to be mixed with those of another."""

    name: ClassVar[str]
    text: ClassVar[str]
    gathering: ClassVar[type[Gathering]]

    def __init__(self, size: Size, cache: Path) -> None:
        self.size = size
        stem = Path(self.name).stem
        self.folder = cache / f"{stem}-{hashlib.sha256(self.text.encode() + engine()).hexdigest()[:12]}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._model: pplc.Model | None = None

    def file(self, setting: Setting, seed: int) -> Path:
        return self.folder / f"{setting.method}-{setting.particles}-{self.size.sweeps}-{seed}.npz"

    def missing(self) -> Iterator[tuple[Setting, int]]:
        """What is still to be run, restart by restart, so that a part of it compares all methods alike."""
        for seed in range(1, self.size.restarts + 1):
            for setting in self.size.settings:
                if not self.file(setting, seed).exists():
                    yield setting, seed

    def do(self, setting: Setting, seed: int) -> None:
        if self._model is None:
            self._model = pplc.compile_text(self.text, self.name)
            for method in ("pgas", "icsmc"):  # what is made once is not to be in the first run's time
                self._model.infer(method, particles=10, sweeps=2, seed=0, keep=False)
        gathering = self.gathering()
        begun = time.process_time()
        self._model.infer(
            setting.method,
            particles=setting.particles,
            sweeps=self.size.sweeps,
            seed=seed,
            on_sweep=gathering,
            keep=False,
        )
        seconds = time.process_time() - begun - gathering.seconds
        file = self.file(setting, seed)
        part = file.with_suffix(".part.npz")
        kept: dict[str, Any] = {**gathering.kept(), "seconds": seconds}
        np.savez(part, **kept)
        part.replace(file)

    def runs(self, setting: Setting) -> Kept:
        """What was kept of all restarts of a setting: arrays by name, restarts first."""
        found: dict[str, list[Array]] = {}
        for seed in range(1, self.size.restarts + 1):
            with np.load(self.file(setting, seed)) as kept:
                for name in kept:
                    found.setdefault(name, []).append(kept[name])
        return {name: np.array(values) for name, values in found.items()}


@cache
def engine() -> bytes:
    """A digest of the sources of the compiler and the engine."""
    digest = hashlib.sha256()
    for package in (pplc, pplc_runtime):
        for file in sorted(Path(str(package.__file__)).parent.rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.digest()


def running(values: Array) -> Array:
    """Means of the first, the first two, ... along the last axis."""
    return np.asarray(np.cumsum(values, axis=-1) / np.arange(1, values.shape[-1] + 1))
