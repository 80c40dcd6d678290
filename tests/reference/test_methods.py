"""The methods against enumerated posteriors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY, enumerate_posterior
from tests.share import share

from pplc_runtime.reference.comparison import executed
from pplc_runtime.reference.draws import Random
from pplc_runtime.reference.methods import Boundary, Settings, conditional, one_lane
from pplc_runtime.results.sweeps import Sweep

from .programs import frequencies, infer, program_of

SOME = (
    "memo_key_is_random",
    "sample_in_one_branch",
    "list_of_random_length",
    "hard_constraints",
    "crp_indexes_memo",
    "statement_loop_over_memo",
)
RUNS: dict[str, dict[str, Any]] = {
    "importance": {"particles": 20, "sweeps": 40},
    "smc": {"particles": 20, "sweeps": 40},
    "icsmc": {"particles": 5, "sweeps": 200},
    "pgas": {"particles": 3, "sweeps": 200},
}
BATCHES = 20


@pytest.mark.parametrize("method", RUNS)
@pytest.mark.parametrize("name", share(SOME, 6))
def test_posterior(name: str, method: str) -> None:
    sweeps = list(infer(program_of(TINY[name].source), method, seed=7, **RUNS[method]))
    evidence, marginals = enumerate_posterior(TINY[name].twin)
    batches = [frequencies(_batch(sweeps, i)) for i in range(BATCHES)]
    together = frequencies(sweeps)
    for label, values in marginals.items():
        for value, probability in values.items():
            spread = float(np.std([batch.get(label, {}).get(value, 0.0) for batch in batches], ddof=1))
            # Batches of a chain are not quite independent, and a spread of 20 is itself uncertain.
            tolerance = 5.0 * spread / math.sqrt(BATCHES) + 0.02
            assert together[label].get(value, 0.0) == pytest.approx(probability, abs=tolerance)
    if method in ("importance", "smc"):
        estimates = np.exp(np.array([sweep.log_evidence for sweep in sweeps], dtype=float))
        error = float(np.std(estimates, ddof=1)) / math.sqrt(len(estimates))
        assert np.mean(estimates) == pytest.approx(evidence, abs=4.0 * error)


def _batch(sweeps: list[Sweep], number: int) -> list[Sweep]:
    size = len(sweeps) // BATCHES
    return sweeps[number * size : (number + 1) * size]


@pytest.mark.parametrize("method", RUNS)
def test_weights(method: str) -> None:
    program = program_of(TINY["hard_constraints"].source)
    for sweep in infer(program, method, particles=8, sweeps=3, seed=2):
        total = np.logaddexp.reduce(sweep.log_weights) if len(sweep.log_weights) else -math.inf
        assert total == pytest.approx(sweep.log_evidence if method in ("importance", "smc") else 0.0)


def test_the_same_seed_gives_the_same_sweeps() -> None:
    program = program_of(TINY["crp_indexes_memo"].source)
    options: dict[str, Any] = {"particles": 3, "sweeps": 2, "seed": 5, "chains": 2}
    one = list(infer(program, "pgas", **options))
    other = list(infer(program, "pgas", **options))
    assert [(s.chain, s.number) for s in one] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [s.predicts for s in one] == [s.predicts for s in other]


def test_ancestor_weights_are_told() -> None:
    told: list[Boundary] = []
    run, retained = executed(program_of(TINY["global_read_by_every_observe"].source), [1])
    with one_lane():
        conditional(run, 4, Random(np.random.default_rng(1)), 0, retained, Settings(True, on_boundary=told.append))
    assert [boundary.generation for boundary in told] == list(range(1, len(run.segments)))
    for boundary in told:
        assert boundary.log_weights.shape == boundary.ancestor_log_weights.shape == (4,)
        assert boundary.ancestor_log_weights[0] > -math.inf, "the retained particle can always stay"


def test_burn_in_is_left_out() -> None:
    program = program_of(TINY["sample_in_one_branch"].source)
    sweeps = list(infer(program, "pgas", particles=2, sweeps=2, seed=1, burn_in=3))
    assert [sweep.number for sweep in sweeps] == [0, 1]
    longer = list(infer(program, "pgas", particles=2, sweeps=5, seed=1))
    assert [sweep.predicts for sweep in sweeps] == [sweep.predicts for sweep in longer[3:]]


def test_wrong_names() -> None:
    with pytest.raises(ValueError, match="no input 'x'"):
        list(infer(program_of("[predict 1]"), "smc", particles=1, sweeps=1, seed=1, data={"x": 1}))
