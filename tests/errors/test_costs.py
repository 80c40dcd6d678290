"""What `check` says of programs that pgas takes long for, and that it is so: replays are counted."""

from __future__ import annotations

import numpy as np
import pytest

from pplc import compile_text
from pplc.pipeline import check
from pplc.source import Source

WALK = """
[assume a (sample (uniform 0 1))]
[assume s (mem (lambda (t) (if (= t 0) a STEP)))]
[for [t (range 1 LENGTH)] [observe (normal (s t) 1.0) (sin t)]]
[predict (s 1)]
"""
CHAINS = {
    "a sum": "(+ (s (- t 1)) (sample (normal 0 1)))",
    "by let": "(let [before (s (- t 1)) step (sample (normal 0 1))] (* 1.0 (+ before step)))",
    "kept or drawn": "(if (sample (flip 0.99)) (s (- t 1)) (sample (normal 0 1)))",
}
DRAWN = {
    "the entry is the draw": "(sample (normal (s (- t 1)) 1))",
    "by let and if": "(let [before (s (- t 1))] (if (> t 3) (sample (normal before 1)) (sample (normal before 2))))",
    "nothing is drawn": "(* a (s (- t 1)))",
}
HMM = """
[assume z (mem (lambda (t) (sample (discrete (if (= t 0) [0.5 0.5] (nth [[0.9 0.1] [0.2 0.8]] (z (- t 1))))))))]
MEANS
[for [t (range 60)] [observe (normal (MEAN (z t)) 1.0) (sin t)]]
[predict (z 0)]
"""
BY_ENTRY = "[assume mu (mem (lambda (k) (sample (normal 0 3))))]"


def said(text: str) -> list[str]:
    return [warning.message for warning in check(Source("model.clj", text))]


def replays(text: str) -> float:
    model = compile_text(text)
    sweeps = [sweep for seed in range(4) for sweep in model.infer("pgas", particles=10, sweeps=9, seed=seed).sweeps]
    return float(np.mean([sweep.diagnostics["replays"] for sweep in sweeps]))


@pytest.mark.parametrize("step", CHAINS.values(), ids=CHAINS)
def test_a_chain_that_is_computed(step: str) -> None:
    text = WALK.replace("STEP", step)
    assert [message[:18] for message in said(text.replace("LENGTH", "21"))] == ["each entry of 's' "]
    assert replays(text.replace("LENGTH", "41")) > 3 * replays(text.replace("LENGTH", "21"))


@pytest.mark.parametrize("step", DRAWN.values(), ids=DRAWN)
def test_a_chain_that_is_drawn(step: str) -> None:
    text = WALK.replace("STEP", step)
    assert said(text.replace("LENGTH", "21")) == []
    assert replays(text.replace("LENGTH", "41")) < 2.2 * replays(text.replace("LENGTH", "21")) + 1


def test_without_observes_nothing_is_replayed() -> None:
    assert said("[assume s (mem (lambda (t) (+ (s (- t 1)) (sample (normal 0 1)))))] [predict (s 0)]") == []


def test_entries_by_what_is_random() -> None:
    lazy = HMM.replace("MEANS", BY_ENTRY).replace("MEAN", "mu")
    (message,) = said(lazy)
    assert message.startswith("'mu' draws an entry where it is first asked for")
    (message,) = said(lazy.replace("(mu (z t))", "(if (= (z t) 0) (mu 0) (mu 1))"))
    assert message.startswith("'mu' draws an entry where it is first asked for")
    before = HMM.replace("MEANS", "[assume a (sample (normal 0 3))] [assume b (sample (normal 0 3))]")
    before = before.replace("(MEAN (z t))", "(nth [a b] (z t))")
    assert said(before) == []
    assert replays(lazy) > 1.5 * replays(before)


@pytest.mark.parametrize("text", [
    HMM.replace("MEANS", BY_ENTRY + "[assume drawn (list (mu 0) (mu 1))]").replace("MEAN", "mu"),
    HMM.replace("(discrete (if (= t 0) [0.5 0.5] (nth [[0.9 0.1] [0.2 0.8]] (z (- t 1)))))", "(poisson 2.0)")
       .replace("MEANS", BY_ENTRY).replace("MEAN", "mu"),
    "[assume c (crp 1.0)] [assume z (mem (lambda (i) (sample c)))]" + BY_ENTRY
    + "[for [i (range 5)] [observe (normal (mu (z i)) 1.0) 0.5]] [predict (z 0)]",
], ids=["drawn before", "keys without end", "a process"])  # fmt: skip
def test_entries_that_are_drawn_before_or_cannot_be(text: str) -> None:
    assert said(text) == []
