"""A factor of a log density is the observe: the same sweeps by the same random numbers, in every engine and method."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import pytest
from tests.reference.programs import program_of

from pplc_runtime.inference.base import Settings
from pplc_runtime.reference import infer

from .scripts import assert_same, with_scripts
from .sweeps import ANYWHERE, chain, compiled

PROGRAMS: Final = {
    "walk": """
        [assume x (mem (fn [t] (if (< t 1) (sample (normal 0 1)) (sample (normal (x (dec t)) 0.7)))))]
        [observe (normal (x 0) 1) 0.3]
        [observe (student-t 3 (x 1) 1.5) 0.9]
        [observe (poisson (exp (x 2))) 2]
        [observe (normal (+ (x 2) (x 0)) 1) -0.3]
        [predict (x 0)] [predict (x 2)]""",
    "branches": """
        [assume a (sample (flip 0.4))]
        [assume b (if a (sample (normal 0 1)) 2.0)]
        [observe (if a (normal b 1) (exponential b)) 0.7]
        [assume c (sample (discrete [0.2 0.8]))]
        [observe (flip (if (= c 0) 0.3 (if a 0.6 0.9))) true]
        [observe (categorical [["x" (+ 1 c)] ["y" (if a 1 3)]]) "y"]
        [predict c] [predict b]""",
    "certain": """
        [assume k (sample (discrete [0.4 0.3 0.3]))]
        [observe (dirac (< k 2)) true]
        [assume m (sample (mvn [k 0] (eye 2)))]
        [observe (mvn m [[2 0.5] [0.5 1]]) [1 0.5]]
        [observe (normal (first m) 1) 0.1]
        [predict k] [predict (first m)]""",
}
_OBSERVE: Final = re.compile(r"^( *)\[observe (.*)\]$", re.MULTILINE)


def as_factors(source: str) -> str:
    return _OBSERVE.sub(r"\1[factor (logpdf \2)]", source)


@pytest.mark.parametrize("method", ANYWHERE)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_sweeps(name: str, method: str) -> None:
    one, other = PROGRAMS[name], as_factors(PROGRAMS[name])
    assert other.count("[factor") == one.count("[observe") >= 3
    expected = chain(compiled(one).plan, method, 1, particles=5, sweeps=8)
    assert_same(expected, chain(compiled(other).plan, method, 1, particles=5, sweeps=8))
    scripts = with_scripts(other)
    assert (scripts.scripts is not None) == (name != "branches")
    if scripts.scripts is not None:
        assert_same(expected, chain(scripts, method, 1, particles=5, sweeps=8))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_sweeps_of_the_reference(name: str) -> None:
    runs = [
        list(infer(program_of(source), "pgas", [Settings(3, 6)], 2, {}))
        for source in (PROGRAMS[name], as_factors(PROGRAMS[name]))
    ]
    for one, other in zip(*runs):
        np.testing.assert_allclose(one.log_weights, other.log_weights, rtol=1e-12)
        assert one.predicts == other.predicts
