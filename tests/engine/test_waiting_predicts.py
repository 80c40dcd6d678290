"""Predicts that wait: what they report has the law that it would have where they stand."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from pplc_runtime.engine.plan import Plan
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.values import ModelError

from .kernels import Kernel, Law, distance
from .sweeps import ANYWHERE, chain, compiled, quietly

MOMENTS = {
    "a memo entry that is asked for again when another value is assumed": """
        [assume m (mem (fn [k] (sample (flip (if y 0.9 0.2)))))]
        [for [t (range 2)]
          [assume y (sample (flip (if (= t 0) 0.2 0.7)))]
          [predict (m 0)]
          [observe (flip (if y 0.7 0.4)) true]]
        [observe (flip (if (m 0) 0.8 0.3)) true]""",
    "the same, by way of a procedure that makes the memo": """
        [assume bias (fn [] (if y 0.9 0.2))]
        [assume make (fn [] (mem (fn [k] (sample (flip (bias))))))]
        [assume m (make)]
        [for [t (range 2)]
          [assume y (sample (flip 0.5))]
          [predict (or (m 0) y)]
          [observe (flip (if y 0.7 0.4)) true]]
        [observe (flip (if (m 0) 0.8 0.3)) true]""",
    "a process that is the default of an input": """
        [input c (beta-flip 1.0 2.0)]
        [assume x (sample c)]
        [observe (flip (if x 0.7 0.2)) true]
        [predict (sample c)]""",
    "a global that the turns of a loop do not always assume": """
        [assume z (sample (flip 0.3))]
        [for [i (range 3)]
          [for [j (range (- i 1))] [assume x (sample (flip (if z 0.8 0.4)))]]
          [predict (if (< i 2) z x)]
          [observe (flip (if z 0.7 0.4)) true]]""",
    "a procedure that a loop defines": """
        [for [t (range 2)]
          [assume f (fn [x] (not x))]
          [assume y (sample (flip (if (= t 0) 0.2 0.7)))]
          [predict (f y)]
          [observe (flip (if (f y) 0.3 0.6)) true]]""",
}


def law(run: Plan) -> Law:
    """What is predicted, to its posterior probability."""
    found: defaultdict[Any, float] = defaultdict(float)
    kernel = Kernel(run)
    with kernel.enumerated():
        for _, values, probability in kernel.posterior():
            found[values] += probability
    assert math.fsum(found.values()) == pytest.approx(1.0)
    return dict(found)


@pytest.mark.parametrize("name", MOMENTS)
def test_waiting_changes_no_law(name: str) -> None:
    source = MOMENTS[name]
    assert distance(law(compiled(source, in_place=True).plan), law(compiled(source).plan)) < 1e-13


def test_what_is_not_assumed_yet_is_said_though_it_is_assumed_later() -> None:
    source = """
        [assume z (sample (normal 0 1))]
        [for [i (range 2)]
          [for [j (range i)] [assume x (sample (normal 0 1))]]
          [predict (if (> z 100) 0 x)]
          [observe (normal z 1) 1]]"""
    with pytest.raises(ModelError, match="'x' is used before it is assumed"):
        chain(compiled(source).plan, "smc", 1, particles=5, sweeps=1)


ENDED = {
    "an error": "[predict (if x 1 (/ 1 0))]",
    "a draw": "[predict (sample (normal 0 (if x 1 -1)))]",
    "an entry": "[predict (m 0)]",
}
"""What an execution in which x is false cannot report; its weight is zero."""


@pytest.mark.parametrize("method", ANYWHERE)
@pytest.mark.parametrize("name", ENDED)
def test_executions_that_have_ended_report_nothing(name: str, method: str) -> None:
    source = f"""
        [assume x (sample (flip 0.5))]
        [assume m (mem (fn [k] (sample (normal 0 (if x 1 -1)))))]
        [observe (flip (if x 0.7 0.0)) true]
        {ENDED[name]}"""
    run = compiled(source).plan
    assert run.reports
    for sweep in chain(run, method, 1, particles=6, sweeps=8):
        assert len(sweep.predicts) == 1


@pytest.mark.parametrize("method", ANYWHERE)
@pytest.mark.parametrize("number", ["(* 2 x)", "(sample (normal x 1))", "(str (sample (normal x 1)))", "(log x)"])
def test_scripts_report_of_the_same_particles(number: str, method: str) -> None:
    source = f"""
        [assume x (sample (normal 1 1))]
        [observe (normal x 1) 0.5]
        [assume y (sample (normal x 1))]
        [observe (uniform 0 (if (> x 0) 3 1)) 2]
        [predict {number}]"""
    run = compiled(source).plan
    with quietly():
        straight = scripted(run)
    assert straight.scripts is not None
    for size in (6, 12):
        straight.scripts.attempts = straight.scripts.failures = 0
        one, other = (chain(each, method, 4, particles=size, sweeps=6) for each in (run, straight))
        assert straight.scripts.failures == 0
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a.log_weights, b.log_weights, rtol=1e-11)
            for label, column in a.predicts.items():
                living = a.log_weights > -np.inf
                np.testing.assert_allclose(
                    np.asarray(column, float)[living], np.asarray(b.predicts[label], float)[living], rtol=1e-11
                )
