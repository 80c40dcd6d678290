"""Simulation-based calibration: the execution that data come from is one more draw from the posterior.

S. Talts et al. 2018, "Validating Bayesian inference algorithms with simulation-based calibration". Data are simulated
from the program, and the method is run on them as a user would run it. Among independent draws that it gives, the
value of the execution that the data come from has every rank with the same probability. Chains are thinned until
draws are about independent; one that moves too slowly for that is told of, and not judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.exactness.joint import Subject
from pplc_runtime.exactness.statistics import Draw, Finding, draw_in, plain, statistics, uniform_ranks
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.convergence import effective_draws
from pplc_runtime.results.posterior import Posterior

PILOTS, PILOT_SWEEPS = 3, 100
LONGEST = 2000
"""Sweeps of a chain, beyond which it is not judged."""
_SIMULATED, _PILOT, _RUN, _TIES = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What was found, and how chains were thinned."""

    findings: list[Finding]
    thinning: int
    too_slow: bool = False


def calibration_test(
    subject: Subject, key: Key, size: int, draws: int, burn_in: int, engine: Any = None, shown: Any = None
) -> Calibrated:
    """The test with so many data sets, and so many draws for each."""
    simulated = subject.simulated(key.fold(_SIMULATED), size)
    likelihood = engine is None

    def run(number: int, its: Key, sweeps: int) -> tuple[list[Draw], NDArray[np.float64] | None]:
        program = subject.program.with_data(simulated.data(number))
        told = {"particles": subject.settings.particles, "burn_in": burn_in, **subject.options()}
        posterior = program.infer(
            subject.method, sweeps=sweeps, seed=its.k0, data=subject.data, progress=False, engine=engine, **told
        )
        return draws_of(posterior), posterior.log_likelihood()[0].sum(1) if likelihood else None

    thinning = 1
    for number in range(min(PILOTS, size)):
        found, scores = run(number, key.fold(_PILOT).fold(number), PILOT_SWEEPS)
        for each in statistics(found, scores):
            worth = effective_draws(each.values[None])
            if worth == worth:
                thinning = max(thinning, int(np.ceil(2 * PILOT_SWEEPS / max(worth, 1))))
    if draws * thinning > LONGEST:
        return Calibrated([], thinning, too_slow=True)
    everything: list[Draw] = []
    scored: list[NDArray[np.float64]] = []
    for number in range(size):
        found, scores = run(number, key.fold(_RUN).fold(number), draws * thinning)
        everything += [draw_in(simulated.predicts, number), *found[thinning - 1 :: thinning]]
        if scores is not None:
            scored.append(
                np.concatenate([simulated.log_likelihood[number : number + 1], scores[thinning - 1 :: thinning]])
            )
        if shown is not None:
            shown()
    rng = key.fold(_TIES).generator()
    findings = []
    for each in statistics(everything, np.concatenate(scored) if scored else None):
        rows = each.values.reshape(size, draws + 1)
        findings.append(uniform_ranks("calibration", each.label, rows[:, 0], rows[:, 1:], rng))
    return Calibrated(findings, thinning)


def draws_of(posterior: Posterior) -> list[Draw]:
    """The draws of one chain, each with equal weight."""
    columns = {label: posterior.equal.column(label)[0] for label in posterior.labels}
    return [
        {label: plain(column[number]) for label, column in columns.items()}
        for number in range(posterior.equal.shape[1])
    ]
