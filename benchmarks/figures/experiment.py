"""The runs of the experiment, each kept in a file as it is done, so that a second start goes on where the first ended.

One run is 100 sweeps of one method from one seed on programs/kalman.clj with its states predicted. Kept of it are the
effective sample size of each state, the estimates of omega and q by sweep, and the CPU time.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import pplc
from pplc_runtime.results.sweeps import Sweep

Array = NDArray[np.float64]

ROOT = Path(__file__).parents[2]
PROGRAM = (ROOT / "programs" / "kalman.clj").read_text(encoding="utf-8")
OBSERVED = "(nth y (dec t))]]"
assert PROGRAM.count(OBSERVED) == 1
WITH_STATES = PROGRAM.replace(OBSERVED, "(nth y (dec t))]\n  [predict (x t)]]")
"""The program with each state predicted where it is observed. Predicts of all states at the end are the same draws, but
they depend on every state, so that PGAS replays them for every ancestor, at nearly twice the cost."""


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


FULL = Size((10, 20, 50, 100, 200, 500), sweeps=100, restarts=25)
QUICK = Size((10, 50, 200), sweeps=40, restarts=5)


@dataclass(frozen=True, slots=True)
class Run:
    """What is kept of one run: ess by t, estimates by sweep, CPU seconds of all sweeps."""

    ess: Array
    omega: Array
    q: Array
    seconds: float


def effective(weights: Array, values: NDArray[np.complex128]) -> float:
    """The paper's ESS of an aggregate sample: 1 / sum V_k^2, V_k the share of the weight on the k-th unique value."""
    _, which = np.unique(values, return_inverse=True)
    shares = np.bincount(which.ravel(), weights.ravel())
    return float(shares.sum() ** 2 / (shares**2).sum())


class Gathered:
    """The weighted particles of all sweeps; a state is kept as one complex number, so that it compares as a whole."""

    def __init__(self) -> None:
        self.weights: list[Array] = []
        self.states: list[NDArray[np.complex128]] = []
        self.means: list[tuple[float, float]] = []
        self.seconds = 0.0

    def __call__(self, sweep: Sweep) -> None:
        begun = time.process_time()
        weights = np.exp(sweep.log_weights)
        omega, q = np.asarray(sweep.predicts["omega"]), np.asarray(sweep.predicts["q"])
        states = [np.asarray(column) for name, column in sweep.predicts.items() if name.startswith("(x t)")]
        self.weights.append(weights)
        self.means.append((float(weights @ omega), float(weights @ q)))
        self.states.append(np.array([state[0] + 1j * state[1] for state in states]))
        self.seconds += time.process_time() - begun

    def run(self, seconds: float) -> Run:
        weights, states = np.concatenate(self.weights), np.concatenate(self.states, axis=1)
        omega, q = np.array(self.means).T
        return Run(np.array([effective(weights, state) for state in states]), omega, q, seconds - self.seconds)


class Experiment:
    """All runs of a size, in a folder of their own for each text of the program."""

    def __init__(self, size: Size, cache: Path) -> None:
        self.size = size
        self.folder = cache / hashlib.sha256(WITH_STATES.encode()).hexdigest()[:12]
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
            self._model = pplc.compile_text(WITH_STATES, "programs/kalman.clj")
            for method in ("pgas", "icsmc"):  # what is made once is not to be in the first run's time
                self._model.infer(method, particles=10, sweeps=2, seed=0, keep=False)
        gathered = Gathered()
        begun = time.process_time()
        self._model.infer(
            setting.method,
            particles=setting.particles,
            sweeps=self.size.sweeps,
            seed=seed,
            on_sweep=gathered,
            keep=False,
        )
        run = gathered.run(time.process_time() - begun)
        file = self.file(setting, seed)
        part = file.with_suffix(".part.npz")
        np.savez(part, ess=run.ess, omega=run.omega, q=run.q, seconds=run.seconds)
        part.replace(file)

    def runs(self, setting: Setting) -> list[Run]:
        found = []
        for seed in range(1, self.size.restarts + 1):
            with np.load(self.file(setting, seed)) as kept:
                found.append(Run(kept["ess"], kept["omega"], kept["q"], float(kept["seconds"])))
        return found


def bare_costs(settings: list[Setting], sweeps: int = 6, batches: int = 3) -> dict[Setting, float]:
    """CPU seconds of a sweep of the program as it is, without the states predicted: the least of batches by turns."""
    model = pplc.compile_text(PROGRAM, "programs/kalman.clj")
    least = dict.fromkeys(settings, math.inf)
    for batch in range(batches):
        for setting in settings:
            begun = time.process_time()
            model.infer(setting.method, particles=setting.particles, sweeps=sweeps, seed=batch, keep=False)
            least[setting] = min(least[setting], (time.process_time() - begun) / sweeps)
    return least
