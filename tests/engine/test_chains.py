"""Chains in the lanes of one run: each moves as it would alone, by the exact transition kernel."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY
from tests.reference.test_kernels import PROGRAMS
from tests.share import share

from pplc import compile_text
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.resampling import SCHEMES, conditional_rows, pick_rows
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.running.driver import Driver

from .kernels import Enumerating, Kernel, Law, distance, every_run, paths
from .sweeps import compiled
from .test_against_reference import CORNERS

MOST_PAIRS = 4
SHORT = {
    "branch": PROGRAMS["branch"],
    "memo": PROGRAMS["memo"],
    "chain": """
        [assume a (sample (flip 0.4))]
        [observe (flip (if a 0.8 0.3)) true]
        [assume b (sample (flip (if a 0.7 0.2)))]
        [observe (flip (if b 0.6 0.1)) true]
        [predict a]
        [predict b]
        """,
    "a memo entry that is asked for sooner or later": """
        [assume m (mem (lambda (k) (sample (flip 0.4))))]
        [assume a (sample (flip 0.5))]
        [observe (flip (if (and a (m 1)) 0.9 0.3)) true]
        [observe (flip (if (m 1) 0.6 0.2)) true]
        [predict a]
        """,
}

if os.environ.get("PPLC_LONG"):  # two minutes
    SHORT["the suffix split otherwise"] = PROGRAMS["the suffix split otherwise"]


def recorded(kernel: Kernel, starts: Sequence[Any]) -> Retained:
    runs = [Retained([dict(start)]).recorded(kernel.run, strict=True) for start in starts]
    return runs[0] if len(runs) == 1 else Retained.gathered(runs)


def together(kernel: Kernel, starts: Sequence[Any]) -> bool:
    """Whether chains of pgas that retain these go together."""
    return recorded(kernel, starts).is_one_suffix(False)


def laws(kernel: Kernel, starts: Sequence[Any], method: str) -> list[Law]:
    """The law of what each chain retains after one sweep of all of them together."""
    settings = Settings(2, 1, resampling="enumerated")
    found: list[defaultdict[Any, float]] = [defaultdict(float) for _ in starts]

    def sweep(chance: Enumerating) -> Any:
        rng: Any = chance
        if method == "icsmc":
            retained = Retained([dict(start) for start in starts])
        else:
            retained = recorded(kernel, starts)
        Driver.on_lanes(METHODS[method].kernel, kernel.run, settings).step(retained, 0, rng)
        return [(paths(own), predicts) for own, predicts in zip(kernel.chosen, kernel.predicts, strict=True)]

    for results, probability in every_run(sweep):
        for law, result in zip(found, results, strict=True):
            law[result] += probability
    return [dict(law) for law in found]


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("name", share(SHORT, 4))
def test_each_chain_moves_as_it_would_alone(name: str, method: str) -> None:
    kernel = Kernel(compiled(SHORT[name]).plan)
    with kernel.enumerated():
        executions = [drawn for drawn, _, _ in kernel.posterior()]
        pairs = [pair for pair in permutations(executions, 2) if method == "icsmc" or together(kernel, pair)]
        assert pairs
        for pair in pairs[:: max(1, len(pairs) // MOST_PAIRS)]:
            for start, law in zip(pair, laws(kernel, pair, method)):
                assert distance(law, laws(kernel, [start], method)[0]) < 1e-12


CHAINS = {"particles": 3, "sweeps": 30, "chains": 4, "seed": 1}


@pytest.mark.parametrize("name", share(TINY, 6))
def test_chains_agree_with_what_they_predict(name: str) -> None:
    """Chains in lanes and chains apart go through every program, whatever its structure."""
    for method in ("icsmc", "pgas"):
        posterior = compile_text(TINY[name].source).infer(method, **CHAINS)  # type: ignore[arg-type]
        assert [(s.chain, s.number) for s in posterior.sweeps] == [(c, n) for c in range(4) for n in range(30)]
        for sweep in posterior.sweeps:
            assert np.exp(sweep.log_weights).sum() == pytest.approx(1.0)
            assert all(len(column) == 3 for column in sweep.predicts.values())


@pytest.mark.parametrize("name", [name for name in CORNERS if "memos" in name or "closures" in name])
def test_chains_of_closures(name: str) -> None:
    """What closures and memos close over is retained too; so few sweeps are not done by scripts."""
    for chains in (1, 3):
        posterior = compile_text(CORNERS[name] + "[predict 1]").infer(
            "pgas", particles=5, sweeps=8, chains=chains, seed=1
        )
        assert len(posterior.sweeps) == 8 * chains


def test_rows_are_drawn_by_their_weights() -> None:
    """Frequencies of 20,000 draws from each row; off by five standard errors in one of a million."""
    rng = np.random.default_rng(1)
    weights = np.array([[0.0, 2.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1e-3], [5.0, 5.0, 5.0, 5.0]])
    chances = weights / weights.sum(1, keepdims=True)
    kept = np.array([1, 0, 3])
    places, picked, number = np.zeros((3, 4)), np.zeros((3, 4)), 20_000
    for _ in range(number):
        picked[np.arange(3), pick_rows(rng, weights)] += 1
        ancestors = conditional_rows(SCHEMES["multinomial"], rng, weights, kept).reshape(3, 4)
        ancestors -= 4 * np.arange(3)[:, None]
        assert (ancestors[:, 0] == kept).all()
        places[np.arange(3)[:, None], ancestors[:, 1:]] += 1
        # a particle that is drawn twice counts once here, so only what is never drawn is looked at below
    error = np.sqrt(chances * (1 - chances) / number)
    assert (abs(picked / number - chances) <= 5 * error + 1e-12).all()
    assert not places[weights == 0.0].any()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_rows_by_every_scheme(scheme: str) -> None:
    weights = np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]])
    for seed in range(50):
        ancestors = conditional_rows(SCHEMES[scheme], np.random.default_rng(seed), weights, np.array([2, 2]))
        assert ancestors[0] == 2 and set(ancestors[:3]) <= {0, 2} and list(ancestors[3:]) == [5, 5, 5]
