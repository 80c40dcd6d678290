"""Which globals many statements share: by the text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pplc import compile_text, load
from pplc.model import Model
from pplc_runtime.program.steps import Assume

PROGRAMS = Path(__file__).parents[2] / "programs"


def shared(model: Model) -> set[str]:
    return {step.name for step in model.program.steps if isinstance(step, Assume) and step.shared}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kalman", {"omega", "q"}),
        ("linear_regression", {"slope", "intercept"}),
        ("change_point", {"when-changed", "before", "after"}),
        ("infinite_mixture", {"class-dist"}),
        ("hmm", set()),
        ("stochastic_volatility", set()),
        ("gaussian_chain", set()),
    ],
)
def test_programs(name: str, expected: set[str]) -> None:
    assert shared(load(PROGRAMS / f"{name}.clj")) == expected


SNIPPETS = {
    "three observes": (
        "[assume p (sample (beta 1 1))] [observe (flip p) true] [observe (flip p) false] [observe (flip p) true]",
        {"p"},
    ),
    "two of them": ("[assume p (sample (beta 1 1))] [observe (flip p) true] [observe (flip p) false]", set()),
    "a chain": (
        """[assume a (sample (normal 0 1))] [observe (normal a 1) 1]
        [assume b (sample (normal a 1))] [observe (normal b 1) 1]
        [assume c (sample (normal b 1))] [observe (normal c 1) 1]""",
        set(),
    ),
    "what computes is passed through": (
        "[assume a (sample (normal 0 1))] [assume b (* a 2)] [for [y [1 2]] [observe (normal b 1) y]]",
        {"a"},
    ),
    "what draws is not": (
        "[assume a (sample (normal 0 1))] [assume b (sample (normal a 1))] [for [y [1 2]] [observe (normal b 1) y]]",
        {"b"},
    ),
    "in a loop": ("[for [y [1 2]] [assume a (sample (normal 0 1))] [observe (normal a 1) y]]", set()),
    "a memo by a random key": (
        """[assume z (mem (lambda (i) (sample (flip 0.5))))] [assume mu (mem (lambda (k) (sample (normal 0 1))))]
        [for [i (range 3)] [observe (normal (mu (z i)) 1) i]] [predict (mu 0)]""",
        {"mu"},
    ),
    "through a let": (
        """[assume z (mem (lambda (i) (sample (flip 0.5))))] [assume mu (mem (lambda (k) (sample (normal 0 1))))]
        [for [i (range 3)] [observe (let [k (z i)] (normal (mu k) 1)) i]]""",
        {"mu"},
    ),
    "also by one that is not": (
        """[assume z (mem (lambda (i) (sample (flip 0.5))))] [assume mu (mem (lambda (k) (sample (normal 0 1))))]
        [for [i (range 3)] [observe (normal (mu (z i)) 1) i]] [observe (normal (mu 0) 1) 1]""",
        set(),
    ),
    "predicts do not count": (
        "[assume p (sample (beta 1 1))] [observe (flip p) true] [predict p] [predict (* 2 p)] [predict (* 3 p)]",
        set(),
    ),
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_the_rule(name: str) -> None:
    text, expected = SNIPPETS[name]
    assert shared(compile_text(text)) == expected
