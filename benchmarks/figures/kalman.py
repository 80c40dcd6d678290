"""The paper's experiment: programs/kalman.clj with its states predicted.

Kept of a run are the effective sample size of each state and the estimates of omega and q by sweep.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import pplc
from benchmarks.figures.runs import ROOT, Array, Experiment, Gathering, Kept, Setting, Size
from benchmarks.timing import Effort, Inference, measure
from pplc_runtime.results.sweeps import Sweep

PROGRAM = (ROOT / "programs" / "kalman.clj").read_text(encoding="utf-8")
OBSERVED = "(nth y (dec t))]]"
assert PROGRAM.count(OBSERVED) == 1
WITH_STATES = PROGRAM.replace(OBSERVED, "(nth y (dec t))]\n  [predict (x t)]]")
"""The program with each state predicted where it is observed. Predicts of all states at the end are the same draws, but
they depend on every state, so that PGAS replays them for every ancestor, at nearly twice the cost."""

FULL = Size((10, 20, 50, 100, 200, 500), sweeps=100, restarts=25)
QUICK = Size((10, 50, 200), sweeps=40, restarts=4)


def effective(weights: Array, values: NDArray[np.float64]) -> float:
    """The paper's ESS of an aggregate sample: 1 / sum V_k^2, V_k the share of the weight on the k-th unique value."""
    _, which = np.unique(values, return_inverse=True)
    shares = np.bincount(which.ravel(), weights.ravel())
    return float(shares.sum() ** 2 / (shares**2).sum())


class States(Gathering):
    """The weighted particles of all sweeps. Of a state the first coordinate is kept: it is drawn from a density, so
    that two states have it in common only if they are one draw."""

    def __init__(self) -> None:
        super().__init__()
        self.weights: list[Array] = []
        self.states: list[Array] = []
        self.means: list[tuple[float, float]] = []

    def take(self, sweep: Sweep, weights: Array) -> None:
        omega, q = np.asarray(sweep.predicts["omega"]), np.asarray(sweep.predicts["q"])
        states = [np.asarray(column) for name, column in sweep.predicts.items() if name.startswith("(x t)")]
        self.weights.append(weights)
        self.means.append((float(weights @ omega), float(weights @ q)))
        self.states.append(np.array([state[0] for state in states]))

    def kept(self) -> Kept:
        weights, states = np.concatenate(self.weights), np.concatenate(self.states, axis=1)
        omega, q = np.array(self.means).T
        return {"ess": np.array([effective(weights, state) for state in states]), "omega": omega, "q": q}


class Kalman(Experiment):
    name = "programs/kalman.clj"
    text = WITH_STATES
    gathering = States


def bare_costs(settings: list[Setting]) -> dict[Setting, float]:
    """CPU seconds of a sweep of the program as it is, without the states predicted."""
    model = pplc.compile_text(PROGRAM, "programs/kalman.clj")
    subjects = {str(one): Inference(model, one.method, particles=one.particles) for one in settings}
    times = measure(subjects, Effort(0.2, 3, 2))
    return {one: times[str(one)].cpu / 1e3 for one in settings}
