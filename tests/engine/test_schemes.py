"""Every resampling scheme in icsmc and pgas of the lane engine: a chain of three steps, the posterior enumerated.

With 2 and 3 particles by the exact kernel, in which ancestors come from the exact law of the scheme; that the code of a
scheme has this law is shown in tests/test_resampling.py. With 4 and 5 particles by simulation, where a bias of half a
percent shows in the long version, PPLC_LONG=1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.posteriors.enumeration import Choose, Observe, Predicts, flip
from tests.posteriors.test_methods import LONGER, check, exact_answer
from tests.resampling_laws import LAWS, given
from tests.share import share

from pplc_runtime.numerics.resampling import SCHEMES, Scheme

from .kernels import Enumerating, bias
from .sweeps import Floats, compiled

CHAIN = """
[assume x (sample (flip 0.5))]
[observe (flip (if x 0.9 0.2)) true]
[assume y (sample (flip (if x 0.8 0.3)))]
[observe (flip (if y 0.3 0.7)) true]
[assume z (sample (flip (if y 0.7 0.1)))]
[observe (flip (if z 0.8 0.4)) true]
[predict x]
[predict y]
[predict z]
"""
TWO_STEPS = "\n".join(CHAIN.strip().splitlines()[:4])


def chain(choose: Choose, observe: Observe) -> Predicts:
    x = choose(flip(0.5))
    observe(0.9 if x else 0.2)
    y = choose(flip(0.8 if x else 0.3))
    observe(0.3 if y else 0.7)
    z = choose(flip(0.7 if y else 0.1))
    observe(0.8 if z else 0.4)
    return {"x": x, "y": y, "z": z}


def enumerated(name: str) -> Scheme:
    """A scheme whose ancestors are enumerated."""

    def law(weights: Floats, number: int) -> Any:
        exact = [Fraction(weight) for weight in weights.tolist()]
        return LAWS[name](tuple(weight / sum(exact) for weight in exact), number)

    def pick(chance: Enumerating, law: Any) -> Any:
        ancestors = list(law)
        return np.array(ancestors[chance.decide([float(law[a]) for a in ancestors])])

    def draw(chance: Enumerating, weights: Floats, number: int) -> Any:
        return pick(chance, law(weights, number))

    def conditional(chance: Enumerating, weights: Floats, number: int, kept: int) -> Any:
        return pick(chance, given(law(weights, number), kept))

    return Scheme("enumerated", draw, conditional)  # type: ignore[arg-type] # chance for a generator


@pytest.mark.parametrize(
    ("method", "source", "size"), [("icsmc", CHAIN, 2), ("icsmc", TWO_STEPS, 3), ("pgas", CHAIN, 2)]
)
@pytest.mark.parametrize("scheme", share(SCHEMES, 4))
def test_exact(scheme: str, method: str, source: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCHEMES, "enumerated", enumerated(scheme))
    assert bias(compiled(source).plan, method, size) < 1e-13


@pytest.mark.parametrize("size", [4, 5])
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("scheme", share(SCHEMES, 4))
def test_simulated(scheme: str, method: str, size: int) -> None:
    options = {"particles": size, "resampling": scheme, "sweeps": 400}
    check(CHAIN, method, options, exact_answer(chain), seed=size)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_resampling_below_a_threshold(scheme: str, threshold: float) -> None:
    options = {"particles": 50, "resampling": scheme, "ess_threshold": threshold, "sweeps": 100 * LONGER}
    check(CHAIN, "smc", options, exact_answer(chain), seed=3)
