"""Conditional sweeps with every resampling scheme: the posterior is invariant, and naive ones are caught."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.resampling_laws import (
    LAWS,
    Law,
    Weights,
    fixed_order_stratified_law,
    given,
    pasted,
    sorted_multinomial_law,
    systematic_law,
    textbook_stratified_law,
    textbook_systematic_law,
)
from tests.test_resampling import EACH_SCHEME

from pplc_runtime.numerics.resampling import SCHEMES

# A hidden Markov model with 2 states and 3 steps. Its weights are far apart, so that bias shows.
START = (Fraction(1, 2), Fraction(1, 2))
MOVE = ((Fraction(3, 4), Fraction(1, 4)), (Fraction(2, 5), Fraction(3, 5)))
LIKELIHOOD = (
    (Fraction(1), Fraction(1, 8)),
    (Fraction(1, 5), Fraction(1)),
    (Fraction(1), Fraction(1, 3)),
)
STEPS = len(LIKELIHOOD)
Path = tuple[int, ...]
PATHS: list[Path] = list(itertools.product(range(2), repeat=STEPS))


def joint(path: Path) -> Fraction:
    mass = START[path[0]] * LIKELIHOOD[0][path[0]]
    for t in range(1, STEPS):
        mass *= MOVE[path[t - 1]][path[t]] * LIKELIHOOD[t][path[t]]
    return mass


EVIDENCE = sum(joint(path) for path in PATHS)
POSTERIOR = {path: joint(path) / EVIDENCE for path in PATHS}
ConditionalLaw = Callable[[Weights, int], Law]


def normalised(weights: list[Fraction]) -> Weights:
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def new_states(parents: list[Path | None], retained: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """The states that the particles may move to, particle 0 to `retained`, and their probabilities."""
    for states in itertools.product(range(2), repeat=len(parents) - 1):
        mass = Fraction(1)
        for parent, state in zip(parents[1:], states, strict=True):
            mass *= START[state] if parent is None else MOVE[parent[-1]][state]
        yield (retained, *states), mass


def error_after_one_sweep(law: ConditionalLaw, particles: int, ancestor_sampling: bool) -> float:
    """Total variation from the posterior of the law after one sweep that starts from the posterior; exact.

    Particles are told apart by slot, and clouds of particles that are equal slot by slot are merged."""
    law = lru_cache(law)
    after: Counter[Path] = Counter()
    for retained, start_mass in POSTERIOR.items():
        clouds: dict[tuple[Path, ...], Fraction] = {
            tuple((state,) for state in states): start_mass * mass
            for states, mass in new_states([None] * particles, retained[0])
        }
        for t in range(1, STEPS):
            moved: Counter[tuple[Path, ...]] = Counter()
            for cloud, cloud_mass in clouds.items():
                weights = normalised([LIKELIHOOD[t - 1][path[-1]] for path in cloud])
                kept_law = (Fraction(1), *[Fraction(0)] * (particles - 1))
                if ancestor_sampling:
                    moves = [w * MOVE[p[-1]][retained[t]] for w, p in zip(weights, cloud, strict=True)]
                    kept_law = normalised(moves)
                for kept, kept_mass in enumerate(kept_law):
                    if not kept_mass:
                        continue
                    for ancestors, mass in law(weights, kept).items():
                        parents: list[Path | None] = [cloud[a] for a in ancestors]
                        for states, state_mass in new_states(parents, retained[t]):
                            new = tuple((*cloud[a], s) for a, s in zip(ancestors, states, strict=True))
                            moved[new] += cloud_mass * kept_mass * mass * state_mass  # type: ignore[assignment]
            clouds = dict(moved)  # type: ignore[arg-type]  # Counter of fractions
        for cloud, cloud_mass in clouds.items():
            final = normalised([LIKELIHOOD[-1][path[-1]] for path in cloud])
            for path, weight in zip(cloud, final, strict=True):
                after[path] += cloud_mass * weight  # type: ignore[assignment]  # Counter of fractions
    return float(sum(abs(after[path] - POSTERIOR[path]) for path in PATHS) / 2)


def conditional_law(name: str, particles: int) -> ConditionalLaw:
    return lambda weights, kept: given(LAWS[name](weights, particles), kept)


@EACH_SCHEME
@pytest.mark.parametrize("ancestor_sampling", [False, True])
@pytest.mark.parametrize("particles", [2, 3])
def test_conditional_smc_leaves_the_posterior_invariant(name: str, particles: int, ancestor_sampling: bool) -> None:
    """In exact arithmetic: the error is 0, not small."""
    assert error_after_one_sweep(conditional_law(name, particles), particles, ancestor_sampling) == 0


@pytest.mark.parametrize("particles", [2, 3])
@pytest.mark.parametrize("textbook", [textbook_systematic_law, textbook_stratified_law, sorted_multinomial_law])
def test_pasting_the_retained_particle_in_is_caught(textbook: Callable[[Weights, int], Law], particles: int) -> None:
    error = error_after_one_sweep(lambda w, kept: pasted(textbook(w, particles), kept), particles, False)
    assert error > 0.02


def test_pasting_into_shuffled_slots_is_caught() -> None:
    assert error_after_one_sweep(lambda w, kept: pasted(systematic_law(w, 3), kept), 3, False) > 0.002


def test_stratified_with_particles_in_a_fixed_order_is_caught() -> None:
    error = error_after_one_sweep(lambda w, kept: given(fixed_order_stratified_law(w, 3), kept), 3, False)
    assert error > 0.01


Conditional = Callable[[np.random.Generator, NDArray[np.float64], int, int], NDArray[np.intp]]


def sweep(rng: np.random.Generator, conditional: Conditional, retained: Path, particles: int) -> Any:
    """One sweep of conditional SMC: the codes of the particles' paths and their weights."""
    stay, likelihood = np.array(MOVE, dtype=float)[:, 0], np.array(LIKELIHOOD, dtype=float)
    states = (rng.random(particles) >= float(START[0])).astype(int)
    states[0] = retained[0]
    codes = states
    for t in range(1, STEPS):
        ancestors = conditional(rng, likelihood[t - 1][states], particles, 0)
        states = (rng.random(particles) >= stay[states[ancestors]]).astype(int)
        states[0] = retained[t]
        codes = 2 * codes[ancestors] + states
    weights = likelihood[-1][states]
    return codes, weights / weights.sum()


def largest_deviation(conditional: Conditional, particles: int, chains: int, seed: int) -> float:
    """Of the probabilities of the paths after one sweep from the posterior, in standard errors.

    The weights of the last step stand for the choice among the particles, and the retained path itself is
    subtracted: both leave the expectation, 0 if the posterior is invariant, and reduce the noise."""
    rng = np.random.default_rng(seed)
    masses = np.array([float(POSTERIOR[path]) for path in PATHS])
    starts = rng.choice(len(PATHS), size=chains, p=masses)
    change = np.zeros((chains, len(PATHS)))
    for chain, start in enumerate(starts.tolist()):
        codes, weights = sweep(rng, conditional, PATHS[start], particles)
        change[chain] = np.bincount(codes, weights, minlength=len(PATHS))
        change[chain, start] -= 1
    error = change.std(axis=0) / np.sqrt(chains)
    return float(np.abs(change.mean(axis=0) / error).max())


def paste_systematic(rng: np.random.Generator, weights: NDArray[np.float64], n: int, kept: int) -> NDArray[np.intp]:
    cumulative: NDArray[np.float64] = weights.cumsum() / weights.sum()
    ancestors: NDArray[np.intp] = cumulative.searchsorted((np.arange(n) + rng.random()) / n, "right")
    ancestors[0] = kept
    return ancestors


@EACH_SCHEME
@pytest.mark.parametrize("particles", [2, 3, 5])
def test_sweeps_with_the_library_keep_the_posterior(name: str, particles: int) -> None:
    """8 paths at 4.5 standard errors: errs once in 18000 seeds."""
    assert largest_deviation(SCHEMES[name].conditional, particles, chains=12000, seed=21) < 4.5


@pytest.mark.parametrize("particles", [2, 3])
def test_the_same_test_catches_a_naive_sweep(particles: int) -> None:
    """The bias shrinks with the particles: with 5 this many chains see it at 4 standard errors only."""
    assert largest_deviation(paste_systematic, particles, chains=12000, seed=21) > 6
