"""The joint laws of ancestors by every resampling scheme, in fractions."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

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
