"""The enumerated posteriors of the tiny programs, against themselves and against likelihood weighting."""

from __future__ import annotations

import math

import pytest

from .enumeration import enumerate_posterior, flip, memo, sample_posterior
from .tiny import LABELS, TINY


def test_a_posterior_by_hand() -> None:
    def twin(choose, observe):  # type: ignore[no-untyped-def]  # the smallest twin, as in the documentation
        a = choose(flip(0.3))
        observe(0.9 if a else 0.2)
        return {"a": a}

    evidence, marginals = enumerate_posterior(twin)
    assert evidence == pytest.approx(0.41)
    assert marginals["a"] == pytest.approx({True: 0.27 / 0.41, False: 0.14 / 0.41})


def test_memo_keys() -> None:
    fresh = iter(range(1, 10))
    entry = memo(lambda key: next(fresh))
    assert [entry(1), entry(1.0), entry(True), entry((1, 2)), entry((1, 2.0))] == [1, 1, 2, 3, 3]


@pytest.mark.parametrize("name", TINY)
def test_twin_predicts_what_the_program_predicts(name: str) -> None:
    evidence, marginals = enumerate_posterior(TINY[name].twin)
    assert set(marginals) == LABELS[name]
    assert 0.0 < evidence < 1.0
    for values in marginals.values():
        assert math.fsum(values.values()) == pytest.approx(1.0)
    assert any(len(values) > 1 for values in marginals.values())
    observes = sum(TINY[name].source.count(f"[{word} ") for word in ("observe", "factor", "condition"))
    assert observes >= (1 if "[for " in TINY[name].source else 2)


@pytest.mark.parametrize("name", TINY)
def test_enumeration_agrees_with_likelihood_weighting(name: str) -> None:
    evidence, marginals = enumerate_posterior(TINY[name].twin)
    estimate, frequencies = sample_posterior(TINY[name].twin, runs=6000, seed=1)
    assert estimate == pytest.approx(evidence, rel=0.08)
    for label, values in marginals.items():
        for value, probability in values.items():
            assert frequencies[label].get(value, 0.0) == pytest.approx(probability, abs=0.04)
