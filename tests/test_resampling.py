"""Resampling schemes against their exact joint laws, and conditional SMC against the exact posterior.

The joint law of the ancestors under each scheme is enumerated from its textbook definition followed by the
shuffle that the scheme names, independently of how the library draws. Three comparisons follow: `draw` and
`conditional` have the enumerated laws (chi-square); a sweep of conditional SMC built on the enumerated laws
leaves the posterior of a small hidden Markov model invariant, in exact arithmetic; and so does a sweep that
calls the library's functions, within Monte Carlo error. The last two catch what is not valid.
"""

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
from scipy import stats

from pplc_runtime.numerics.resampling import SCHEMES

Law = dict[tuple[int, ...], Fraction]
Weights = tuple[Fraction, ...]


def fractions(*numbers: int) -> Weights:
    return tuple(Fraction(number, sum(numbers)) for number in numbers)


def mixture(laws: Iterator[tuple[Fraction, Law]]) -> Law:
    total: Counter[tuple[int, ...]] = Counter()
    for share, law in laws:
        for ancestors, mass in law.items():
            total[ancestors] += share * mass  # type: ignore[assignment]  # Counter of fractions
    return dict(total)  # type: ignore[arg-type]  # as above


def shuffled(law: Law, orders: list[tuple[int, ...]]) -> Law:
    """The law after the slots are put in one of these orders at random."""
    share = Fraction(1, len(orders))
    return mixture((share, {tuple(a[i] for i in order): m for a, m in law.items()}) for order in orders)


def rotations(n: int) -> list[tuple[int, ...]]:
    return [tuple((i + shift) % n for i in range(n)) for shift in range(n)]


def permutations(n: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(n)))


def product_law(marginals: list[dict[int, Fraction]]) -> Law:
    law: Law = {(): Fraction(1)}
    for marginal in marginals:
        law = {(*a, k): m * p for a, m in law.items() for k, p in marginal.items() if p}
    return law


def at(weights: Weights, point: Fraction) -> int:
    total = Fraction(0)
    for k, weight in enumerate(weights):
        total += weight
        if point < total:
            return k
    raise AssertionError(point)


def multinomial_law(weights: Weights, n: int) -> Law:
    return product_law([dict(enumerate(weights))] * n)


def sorted_multinomial_law(weights: Weights, n: int) -> Law:
    law = multinomial_law(weights, n)
    return mixture((mass, {tuple(sorted(a)): Fraction(1)}) for a, mass in law.items())


def textbook_systematic_law(weights: Weights, n: int) -> Law:
    """Points (u + i) / n: the ancestors are constant in u between the u at which a point crosses a bound."""
    bounds = itertools.accumulate(weights, initial=Fraction(0))
    cuts = sorted({(n * bound) % 1 for bound in bounds} | {Fraction(0), Fraction(1)})
    law: Counter[tuple[int, ...]] = Counter()
    for low, high in itertools.pairwise(cuts):
        u = (low + high) / 2
        law[tuple(at(weights, (u + i) / n) for i in range(n))] += high - low  # type: ignore[assignment]
    return dict(law)  # type: ignore[arg-type]  # Counter of fractions


def systematic_law(weights: Weights, n: int) -> Law:
    return shuffled(textbook_systematic_law(weights, n), rotations(n))


def textbook_stratified_law(weights: Weights, n: int) -> Law:
    bounds = list(itertools.accumulate(weights, initial=Fraction(0)))
    strata: list[dict[int, Fraction]] = []
    for i in range(n):
        low, high = Fraction(i, n), Fraction(i + 1, n)
        shares = {k: min(high, bounds[k + 1]) - max(low, bounds[k]) for k in range(len(weights))}
        strata.append({k: n * share for k, share in shares.items() if share > 0})
    return product_law(strata)


def fixed_order_stratified_law(weights: Weights, n: int) -> Law:
    """Stratified resampling with slots shifted but particles in their given order: not valid."""
    return shuffled(textbook_stratified_law(weights, n), rotations(n))


def stratified_law(weights: Weights, n: int) -> Law:
    orders = permutations(len(weights))
    return mixture(
        (
            Fraction(1, len(orders)),
            {
                tuple(order[k] for k in ancestors): mass
                for ancestors, mass in fixed_order_stratified_law(tuple(weights[k] for k in order), n).items()
            },
        )
        for order in orders
    )


def residual_law(weights: Weights, n: int) -> Law:
    copies = [int(n * weight) for weight in weights]
    certain = tuple(k for k, number in enumerate(copies) for _ in range(number))
    left = n - len(certain)
    rest = {k: (n * w - c) / left for k, (w, c) in enumerate(zip(weights, copies, strict=True)) if left}
    law = {certain + drawn: mass for drawn, mass in product_law([rest] * left).items()}
    return shuffled(law, permutations(n))


LAWS: dict[str, Callable[[Weights, int], Law]] = {
    "multinomial": multinomial_law,
    "stratified": stratified_law,
    "systematic": systematic_law,
    "residual": residual_law,
}


def given(law: Law, kept: int) -> Law:
    """The law given that slot 0 has ancestor `kept`."""
    mass = sum((m for a, m in law.items() if a[0] == kept), Fraction(0))
    return {a: m / mass for a, m in law.items() if a[0] == kept}


def pasted(law: Law, kept: int) -> Law:
    """The law after `kept` is written over slot 0."""
    return mixture(iter([(m, {(kept, *a[1:]): Fraction(1)}) for a, m in law.items()]))


EACH_SCHEME = pytest.mark.parametrize("name", list(SCHEMES))
CASES = [
    (fractions(5, 2, 3), 3),
    (fractions(1, 1, 1), 3),
    (fractions(7, 0, 2), 3),
    (fractions(1, 8), 2),
    (fractions(1, 5, 2, 3), 4),
    (fractions(3, 1, 4), 4),
    (fractions(3, 1, 4, 2), 2),
]


def test_table() -> None:
    assert list(SCHEMES) == list(LAWS)
    assert all(scheme.name == name for name, scheme in SCHEMES.items())


@EACH_SCHEME
@pytest.mark.parametrize("weights, n", CASES)
def test_every_slot_has_the_weights_as_its_marginal_law(name: str, weights: Weights, n: int) -> None:
    law = LAWS[name](weights, n)
    for slot, (k, weight) in itertools.product(range(n), enumerate(weights)):
        assert sum(m for a, m in law.items() if a[slot] == k) == weight


def check_law(draws: list[tuple[int, ...]], law: Law) -> None:
    """A chi-square test that errs once in 10^5 seeds; there are about 110 of them in this file."""
    observed = Counter(draws)
    assert set(observed) <= set(law)
    outcomes = list(law)
    if len(outcomes) > 1:
        expected = np.array([float(law[a]) for a in outcomes]) * len(draws)
        assert stats.chisquare([observed[a] for a in outcomes], expected).pvalue > 1e-5


@EACH_SCHEME
@pytest.mark.parametrize("weights, n", CASES)
def test_draws_have_the_joint_law(name: str, weights: Weights, n: int) -> None:
    rng = np.random.default_rng(17)
    array = np.array(weights, dtype=float)
    draws = [tuple(SCHEMES[name].draw(rng, array, n).tolist()) for _ in range(8000)]
    check_law(draws, LAWS[name](weights, n))


@EACH_SCHEME
@pytest.mark.parametrize("weights, n", CASES)
def test_conditional_draws_have_the_conditional_law(name: str, weights: Weights, n: int) -> None:
    rng = np.random.default_rng(18)
    array = np.array(weights, dtype=float)
    law = LAWS[name](weights, n)
    for kept in np.flatnonzero(array).tolist():
        draws = [tuple(SCHEMES[name].conditional(rng, array, n, kept).tolist()) for _ in range(4000)]
        check_law(draws, given(law, kept))


class Extreme:
    """A generator whose uniform numbers are all as small, or as large, as they can be."""

    def __init__(self, uniform: float) -> None:
        self.uniform = uniform
        self.permutation = np.random.default_rng(0).permutation
        self.integers = np.random.default_rng(0).integers

    def random(self, n: int | None = None) -> Any:
        return self.uniform if n is None else np.full(n, self.uniform)


@EACH_SCHEME
@pytest.mark.parametrize("uniform", [0.0, float(np.nextafter(1.0, 0.0))])
def test_a_weight_of_zero_is_never_drawn(name: str, uniform: float) -> None:
    rng: Any = Extreme(uniform)
    source = np.random.default_rng(4)
    for _ in range(300):
        weights = source.random(10) ** 3 * (source.random(10) < 0.6)
        weights[[0, -1]] = 0.0
        weights[5] += 0.01
        weights *= 10.0 ** source.integers(-300, 300)
        positive = set(np.flatnonzero(weights).tolist())
        assert set(SCHEMES[name].draw(rng, weights, 10).tolist()) <= positive
        for kept in positive:
            ancestors = SCHEMES[name].conditional(rng, weights, 10, kept)
            assert ancestors[0] == kept
            assert set(ancestors.tolist()) <= positive


@EACH_SCHEME
def test_weights_stay_as_they_are_and_need_not_sum_to_one(name: str) -> None:
    weights = np.array([1.0, 2.0, 5.0])
    drawn = [SCHEMES[name].draw(np.random.default_rng(2), weights * c, 50).tolist() for c in (1.0, 0.125)]
    assert drawn[0] == drawn[1]
    SCHEMES[name].conditional(np.random.default_rng(2), weights, 5, 1)
    assert weights.tolist() == [1.0, 2.0, 5.0]


@EACH_SCHEME
def test_one_particle(name: str) -> None:
    rng = np.random.default_rng(1)
    assert SCHEMES[name].draw(rng, np.array([0.3]), 1).tolist() == [0]
    assert SCHEMES[name].conditional(rng, np.array([0.3]), 1, 0).tolist() == [0]
    assert SCHEMES[name].conditional(rng, np.array([0.3, 0.7]), 1, 1).tolist() == [1]


@pytest.mark.parametrize("name", ["stratified", "systematic", "residual"])
def test_equal_weights_leave_everyone_one_child(name: str) -> None:
    rng = np.random.default_rng(6)
    for n in (2, 3, 8, 64):
        assert sorted(SCHEMES[name].draw(rng, np.full(n, 1 / n), n).tolist()) == list(range(n))


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
