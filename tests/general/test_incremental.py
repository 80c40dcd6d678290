"""Replays of what has changed are those of the whole suffix: the same sweeps from the same numbers, and exact kernels.

Sweeps are compared number by number, at few particles and many, since marks that are left over show at two particles
first; kernels are enumerated at two (`test_kernels` has more of them). Wrong variants are caught.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pplc import compile_text
from pplc_runtime.general.assembly import assembled
from pplc_runtime.general.engine import GeneralEngine, Stopped
from pplc_runtime.machine.machine import Machine, is_available
from pplc_runtime.numerics.keys import Key

PROGRAMS = Path(__file__).parents[2] / "programs"
MIXTURE = """
[assume p (crp 1.3 DISCOUNT)]
[assume z (mem (fn [n] (sample p)))]
[assume mean (mem (fn [k] (sample (normal 0 3))))]
[assume ys [1.5 -2.0 1.7 4.0 -2.2 4.4 1.0 -3.0 3.9 1.2]]
[for [n (range 0 10)] [observe (normal (mean (z n)) 1.0) (nth ys n)]]
[predict (z 1)]
[predict (mean (z 9))]
"""
TEXTS = {
    "a mixture": MIXTURE.replace("DISCOUNT", ""),
    "a mixture with a discount": MIXTURE.replace("DISCOUNT", "0.4"),
    "seats that are observed": MIXTURE.replace("DISCOUNT", "").replace("[predict (z 1)]", "[observe p 1]"),
    "vectors as entries": """
        [assume v (mem (fn [k] [(sample (normal k 1)) (sample (normal 0 1))]))]
        [assume i (mem (fn [t] (sample (uniform-discrete 0 3))))]
        [for [t (range 0 8)] [observe (normal (nth (v (i t)) (mod t 2)) 0.7) (* 0.3 t)]]
        [predict (i 0)]""",
    "entries of entries": """
        [assume a (sample (flip 0.5))]
        [assume x (mem (fn [t] (if (< t 1) 0.0 (+ (* 0.5 (x (- t 1))) (sample (normal 0 1))))))]
        [assume b (mem (fn [t] (sample (flip (if a 0.3 0.6)))))]
        [for [t (range 0 8)] [observe (normal (if (b t) (x t) (x (quot t 2))) 0.5) (* 0.2 t)]]
        [predict a]""",
    "entries by names, of procedures that are made": """
        [assume u (sample (normal 0 1))]
        [assume f (fn [s] (mem (fn [k] (sample (normal (* s u) 1)))))]
        [assume g (f 2)]
        [assume c (mem (fn [t] (sample (flip 0.4))))]
        [for [t (range 0 8)] [observe (normal (g (if (c t) "left" "right")) 0.5) (* 0.2 t)]]
        [predict u]""",
    "observes in entries, and draws that are asked for earlier": """
        [assume m (mem (fn [k] (let [x (sample (normal 0 1))] (observe (normal x 0.5) 0.3) x)))]
        [assume j (mem (fn [t] (sample (uniform-discrete 0 4))))]
        [for [t (range 0 7)] [observe (normal (+ (m (j t)) (if (> (j 0) 1) (m t) 0)) 0.8) (* 0.1 t)]]
        [predict (j 0)]""",
    **{name: (PROGRAMS / f"{name}.clj").read_text(encoding="utf-8")
       for name in ("infinite_mixture", "crp_small", "lazy_memo", "memo_branch", "tug_of_war")},
}  # fmt: skip


@pytest.mark.skipif(not is_available(), reason="there is no llvmlite")
@pytest.mark.parametrize("name", TEXTS)
def test_the_same_sweeps_as_by_whole_replays(name: str) -> None:
    program = compile_text(TEXTS[name]).program
    plan = program.plan(program.data(None))
    made, count = assembled(plan), len(plan.segments)
    assert made.even
    start = GeneralEngine(made, count, "smc", 200, Machine)
    start.run([(7, 8)], logging=True)
    keys = [(Key.of(1).fold(number).k0, Key.of(1).fold(number).k1) for number in range(300)]
    for particles in (2, 3, 10):
        found = []
        for even in (True, False):
            engine = GeneralEngine(made, count, "pgas", particles, Machine, even)
            engine.retain(start.drawn())
            found.append((engine.run(keys, logging=True), engine.drawn()))
        (one, drawn), (other, again) = found
        assert one.ancestors.tolist() == other.ancestors.tolist()
        assert one.chosen.tolist() == other.chosen.tolist()
        assert drawn.words.tolist() == again.words.tolist()
        np.testing.assert_allclose(one.log_evidence, other.log_evidence, rtol=0, atol=1e-12)
        assert one.moved.sum() > 0 or particles == 2


WRONG = {
    "marks of the sweep before are taken for those of this one": ("R.DM[s] = 0", "R.DM[s] = R.DM[s] + 0"),
    "entries that are noted no longer are as they were": ("if there == 0:", "if there == 2:"),
    "entries that are made are as they were": ("S.FK[j + 1] == 0", "S.FK[j + 1] == 7"),
    "entries of the prefix are those that are noted": ("S.WS[w] >= S.bound and ", ""),
    "values that are left over are ignored": ("if S.used != S.AC[s]:", "if S.used < 0:"),
    "tables are opened in any order": ("            if k != new:", "            if k < 0:"),
    "seats are not weighed": ("    return total + seats\n", "    return total\n"),
}


@pytest.mark.skipif(not is_available(), reason="there is no llvmlite")
@pytest.mark.parametrize("name", WRONG)
def test_wrong_variants_are_caught(name: str) -> None:
    right, wrong = WRONG[name]
    program = compile_text(TEXTS["a mixture"]).program
    plan = program.plan(program.data(None))
    made = assembled(plan)
    assert right in made.text
    start = GeneralEngine(made, len(plan.segments), "smc", 200, Machine)
    start.run([(7, 8)], logging=True)
    keys = [(Key.of(1).fold(number).k0, Key.of(1).fold(number).k1) for number in range(300)]
    found = []
    for text in (made.text, made.text.replace(right, wrong)):
        engine = GeneralEngine(replace(made, text=text), len(plan.segments), "pgas", 2, Machine)
        engine.retain(start.drawn())
        try:
            found.append(engine.run(keys, logging=True).ancestors.tolist())
        except Stopped:
            found.append(None)
    assert found[0] != found[1]
