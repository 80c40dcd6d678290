"""Whether chains of few particles have the right posterior: the first of three states, against its exact law.

A sampler runs some chains, and says for each how often the first state was which. The error is the total variation
between the average over chains and the exact law. By chance it would hardly be more than what the spread of the chains
says: the 99% quantile of the error when each chain's departure from the average has a random sign.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import pplc
from benchmarks import models
from benchmarks.by_hand import hmm
from benchmarks.by_hand.sweep import Array
from benchmarks.peers import outside

STATES = 3


@dataclass(frozen=True)
class Amount:
    """How many chains, and how many sweeps of each count, after those that do not."""

    chains: int
    sweeps: int
    burn_in: int = 50


@dataclass(frozen=True)
class Measured:
    """The total variation from the exact law, and how large it would be by chance."""

    error: float
    chance: float


def exact() -> Array:
    """The posterior law of the first state, as a sum over all paths."""
    arrays = models.chain().arrays
    initial, transition, means, y = (arrays[name] for name in ("initial", "transition", "means", "y"))
    law = np.zeros(STATES)
    for path in itertools.product(range(STATES), repeat=len(y)):
        prior = initial[path[0]] * math.prod(transition[pair] for pair in itertools.pairwise(path))
        law[path[0]] += prior * math.exp(-0.5 * float(((means[list(path)] - y) ** 2).sum()))
    return law / law.sum()


def measured(shares: Array, flips: int = 20_000) -> Measured:
    """Of the shares of each state, a row for each chain."""
    average = shares.mean(axis=0)
    count = len(shares)
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=(flips, count))
    noise = signs @ (shares - average) / math.sqrt(count * (count - 1))
    return Measured(_variation(average - exact()), float(np.quantile(_variations(noise), 0.99)))


def _variations(differences: Array) -> Array:
    return np.asarray(0.5 * np.abs(differences).sum(axis=-1))


def _variation(difference: Array) -> float:
    return float(_variations(difference))


def _pplc(method: str, n: int, amount: Amount) -> Array:
    program = models.chain()
    run = pplc.compile_text(program.text, program.name).infer(
        method, particles=n, sweeps=amount.sweeps, burn_in=amount.burn_in, chains=amount.chains, seed=1
    )
    shares = np.zeros((amount.chains, STATES))
    for sweep in run.sweeps:
        first = np.asarray(sweep.predicts["(state 0)"], dtype=int)
        shares[sweep.chain] += np.bincount(first, np.exp(sweep.log_weights), STATES)
    return shares / amount.sweeps


def _numpy(method: str, n: int, amount: Amount) -> Array:
    arrays, rng, step = models.chain().arrays, np.random.default_rng(1), getattr(hmm, method)
    shares = np.zeros((amount.chains, STATES))
    for chain in range(amount.chains):
        path = hmm.start(arrays, rng)
        for number in range(amount.burn_in + amount.sweeps):
            _, path = step(arrays, n, rng, path)
            if number >= amount.burn_in:
                shares[chain, path[0]] += 1
    return shares / amount.sweeps


def _particles(threshold: float) -> Callable[[str, int, Amount], Array | str]:
    return lambda method, n, amount: _found(outside.particles_chain(n, threshold, amount))


def _webppl(method: str, n: int, amount: Amount) -> Array | str:
    return _found(outside.webppl_chain(n, amount))


def _found(shares: list[list[float]] | str) -> Array | str:
    return shares if isinstance(shares, str) else np.array(shares)


Sampler = Callable[[str, int, Amount], Array | str]
SAMPLERS: dict[str, dict[str, Sampler]] = {
    "icsmc": {
        "pplc": _pplc,
        "numpy": _numpy,
        "particles": _particles(0.5),
        "particles, always": _particles(1.0),
        "webppl": _webppl,
    },
    "pgas": {"pplc": _pplc, "numpy": _numpy},
}
"""By method and name: shares of the states by chain, or why there are none. `particles` has no ancestor sampling; by
default it resamples only where weights are uneven, and, told so, always."""
