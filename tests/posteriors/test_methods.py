"""Program x method x exact answer, for the lane engine.

Every run gives a set of statistics: for each predict the error of its posterior mean and of the probabilities of its
values, and for importance and smc that of the evidence. Each is divided by its standard error. Were they normal, the
largest of all would be above the limit once in a thousand tables; the limit allows for errors that are themselves
estimated, from a few batches.

For importance and smc the sweeps are independent, and what is averaged is the sum of w (f - E f) over the particles of
a sweep: its mean is exactly 0 if the method is right, whatever the number of particles. For chains it is f - E f,
averaged over the particles of a sweep, in batches of consecutive sweeps.

PPLC_LONG=1 takes longer chains, which see a bias of one percent; see also tests/engine/test_kernels.py, which sees any.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.share import share

from pplc import compile_text
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import key_of

from .answer import PROGRAMS, Answer
from .enumeration import Twin
from .exact import ANSWERS
from .tiny import TINY, enumerate_posterior

LONGER = 50 if os.environ.get("PPLC_LONG") else 1
BATCHES = 20
STATISTICS = 6000
"""More than the table has."""
LIMIT = float(stats.t.isf(0.5e-3 / STATISTICS, BATCHES - 1))
"""7.6: Student's t with the degrees of freedom of the batches passes it in one of a thousand tables."""

Options = Mapping[str, Any]
SWEEPS = {"importance": 40, "smc": 40, "icsmc": 400, "pgas": 200, "lmh": 1000}
TABLE: dict[str, tuple[str, Options]] = {
    "importance": ("importance", {"particles": 200}),
    "smc": ("smc", {"particles": 200}),
    "icsmc 2": ("icsmc", {"particles": 2}),
    "icsmc 3": ("icsmc", {"particles": 3}),
    "icsmc 5": ("icsmc", {"particles": 5}),
    "icsmc 20": ("icsmc", {"particles": 20}),
    "pgas 2": ("pgas", {"particles": 2}),
    "pgas 3": ("pgas", {"particles": 3}),
    "pgas 5": ("pgas", {"particles": 5}),
    "strict pgas 3": ("pgas", {"particles": 3, "strict": True}),
    "icsmc 3, four chains": ("icsmc", {"particles": 3, "chains": 4, "sweeps": 100}),
    "lmh": ("lmh", {}),
    "pgas + lmh": ("pgas(paths, 3) + lmh(globals) + lmh", {}),
    "lmh + icsmc": ("lmh(globals)*2 + icsmc(5)", {}),
    "pgas 3, four chains": ("pgas", {"particles": 3, "chains": 4, "sweeps": 50}),
}
LARGER: dict[str, tuple[str, Options]] = {
    "importance": ("importance", {"particles": 1000, "sweeps": 20}),
    "smc": ("smc", {"particles": 500, "sweeps": 20}),
    "icsmc": ("icsmc", {"particles": 50, "sweeps": 200}),
    "pgas": ("pgas", {"particles": 8, "sweeps": 200}),
    "lmh": ("lmh", {"sweeps": 1000}),
    "pgas + lmh": ("pgas(paths, 8) + lmh(globals)*2 + lmh", {"sweeps": 100}),
}
OUT_OF_REACH: dict[str, tuple[str, ...]] = {
    "dp_mixture": ("importance", "lmh"),
    "hmm": ("importance",),
    "kalman": ("importance", "smc", "icsmc", "lmh") if LONGER > 1 else tuple(LARGER),
    "infinite_hmm": ("pgas + lmh",),
    "nonlinear_ssm": ("importance", "icsmc", "pgas + lmh"),
}
"""Programs that a method cannot get through in the time of a test."""
OTHERWISE: dict[tuple[str, str], Options] = {
    ("nonlinear_ssm", "smc"): {"particles": 3000},
    ("nonlinear_ssm", "pgas"): {"sweeps": 100},
    ("infinite_hmm", "pgas"): {"sweeps": 100},
    ("epidemic", "pgas"): {"sweeps": 100},
    **{
        (name, "lmh"): {"sweeps": 300}
        for name in ("epidemic", "infinite_hmm", "nonlinear_ssm", "dp_mixture", "branching")
    },
    ("gp_regression", "lmh"): {"sweeps": 400},
    ("infinite_mixture", "lmh"): {"sweeps": 500},
    ("linear_regression", "pgas"): {"particles": 100, "sweeps": 400},  # with few, chains move slowly from far off
}
"""Programs that need more, or do with less."""
TIED = ("hard_constraints",)
"""Programs in which two choices can only move together, which single proposals never do."""


@cache
def exact_answer(twin: Twin) -> Answer:
    """The marginals of an enumerated program."""
    evidence, marginals = enumerate_posterior(twin)
    return Answer({}, math.log(evidence), marginals)


@dataclass(frozen=True, slots=True)
class Estimate:
    """How far an estimate is off, its standard error, and the variance of one draw, where that is known."""

    name: str
    off: float
    error: float
    variance: float = 0.0


def estimates(sweeps: list[Sweep], answer: Answer, chain: bool) -> Iterator[Estimate]:
    for label, mean in answer.means.items():
        yield _estimate(f"E[{label}]", sweeps, label, float, mean, _variance(answer, label), chain)
    for label, values in answer.marginals.items():
        for value, p in values.items():
            if 0.1 <= p <= 0.9:
                is_value = partial(_equal, key_of(value))
                yield _estimate(f"P({label} = {value})", sweeps, label, is_value, p, p * (1.0 - p), chain)
    if not chain:
        evidence = np.exp(np.array([sweep.log_evidence for sweep in sweeps], float) - answer.log_evidence)
        yield Estimate("evidence", *_mean_and_error(evidence - 1.0))


def _variance(answer: Answer, label: str) -> float:
    values = answer.marginals.get(label, {})
    return sum(p * (float(v) - answer.means[label]) ** 2 for v, p in values.items())


def _equal(key: Any, value: Any) -> bool:
    return bool(key_of(value.item() if isinstance(value, np.generic) else value) == key)


def _estimate(
    name: str,
    sweeps: list[Sweep],
    label: str,
    f: Callable[[Any], float],
    truth: float,
    variance: float,
    chain: bool,
) -> Estimate:
    scale = max(float(np.max(sweep.log_weights, initial=-math.inf)) for sweep in sweeps)
    sums, totals = [], []
    for sweep in sweeps:
        weights = np.exp(np.asarray(sweep.log_weights) - scale)
        alive = np.flatnonzero(weights)
        column = sweep.predicts[label] if len(alive) else []
        sums.append(float(weights[alive] @ np.array([float(f(column[at])) - truth for at in alive])))
        totals.append(float(weights.sum()))
    if chain:
        size = len(sweeps) // BATCHES
        means = (np.array(sums) / totals)[: size * BATCHES].reshape(BATCHES, size).mean(1)
        return Estimate(name, *_mean_and_error(means), variance)
    return Estimate(name, *_mean_and_error(np.array(sums) / np.mean(totals)), variance)


def _mean_and_error(values: Any) -> tuple[float, float]:
    """Batches that follow each other may depend on each other a little."""
    centred = values - values.mean()
    squares = float(centred @ centred)
    follow = max(0.0, float(centred[1:] @ centred[:-1]) / (squares or 1.0))
    return float(values.mean()), math.sqrt(squares * (1.0 + 2.0 * follow) / len(values) / (len(values) - 1))


def standardised(found: list[Estimate], draws: int) -> Iterator[tuple[Estimate, float]]:
    """Errors in standard errors. How many draws a sweep of a chain is worth is known best from the predict that moves
    most slowly: a value that was hardly ever visited looks more certain than it is."""
    worth = max((draws * e.error**2 / e.variance for e in found if e.variance), default=0.0)
    for estimate in found:
        error = max(estimate.error, math.sqrt(estimate.variance * worth / draws), 1e-12)
        yield estimate, estimate.off / error


def check(source: str, method: str, options: Options, answer: Answer, seed: int) -> None:
    chain = method not in ("importance", "smc")
    options = {"sweeps": SWEEPS.get(method, 200), **options}
    length = options["sweeps"] * (LONGER if chain else 1)
    burn_in = {"burn_in": length // 10} if chain else {}
    posterior = compile_text(source).infer(method, seed=seed, **{**options, **burn_in, "sweeps": length})
    found = list(estimates(list(posterior.sweeps), answer, chain))
    assert found
    for estimate, z in standardised(found, length):
        assert abs(z) < LIMIT, f"{estimate.name} is off by {estimate.off:.3g}, {z:.1f} standard errors"


@pytest.mark.parametrize("run", TABLE)
@pytest.mark.parametrize("name", share(TINY, 15))
def test_tiny_programs(name: str, run: str) -> None:
    method, options = TABLE[run]
    if method == "lmh" and name in TIED:
        pytest.skip("this method cannot reach all of it")
    check(TINY[name].source, method, options, exact_answer(TINY[name].twin), seed=1)


@pytest.mark.parametrize("run", LARGER)
@pytest.mark.parametrize("stem", share(sorted(path.stem for path in PROGRAMS.glob("*.clj")), 6))
def test_programs(stem: str, run: str) -> None:
    if run in OUT_OF_REACH.get(stem, ()):
        pytest.skip("it takes this method too long")
    method, options = LARGER[run]
    options = {**options, **OTHERWISE.get((stem, run), {})}
    check((PROGRAMS / f"{stem}.clj").read_text(), method, options, ANSWERS[stem], seed=1)
