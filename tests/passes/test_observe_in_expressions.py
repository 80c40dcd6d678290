"""[observe d v] inside an expression is (observe d v), wherever it stands: the core program is the same."""

from __future__ import annotations

import pytest

import pplc
from pplc.pipeline import dump_after
from pplc.source import Source

PLACES = (
    '[predict "x" (let [a 1] HERE a)]',
    '[predict "x" (let [a HERE] a)]',
    '[predict "x" (do 1 HERE 2)]',
    '[predict "x" (begin HERE 2)]',
    '[predict "x" (when true HERE 2)]',
    '[predict "x" (when-not false HERE)]',
    '[predict "x" (if true HERE 2)]',
    '[predict "x" (if HERE 1 2)]',
    '[predict "x" (cond false 1 :else HERE)]',
    '[predict "x" (case 1 1 HERE 2)]',
    '[predict "x" (and true HERE)]',
    '[predict "x" (or false HERE)]',
    '[predict "x" ((lambda (a) HERE a) 1)]',
    '[predict "x" ((fn f [a] HERE a) 1)]',
    '[predict "x" (letrec [f (fn [a] HERE a)] HERE (f 1))]',
    '[predict "x" (loop [a 1] HERE (if (< a 2) (recur (inc a)) HERE))]',
    '[predict "x" (first [HERE 1])]',
    '[predict "x" (vector HERE 1)]',
    '[predict "x" (:a {:a HERE})]',
    '[predict "x" ((mem (fn [a] HERE a)) 1)]',
    '[predict "x" (observe (flip 0.5) HERE)]',
    '[defn f [a] HERE a]\n[predict "x" (f 1)]',
    '[define (f . a) HERE a]\n[predict "x" (f 1)]',
    '[for [a [1 2]]\n  [assume b (do HERE a)]\n  [predict "x" b]]',
    "[assume x HERE]\n[assume y HERE]\n[observe (flip 0.5) HERE]\n[observe (flip 0.5) HERE]",
)


@pytest.mark.parametrize("place", PLACES)
def test_brackets_do_not_matter(place: str) -> None:
    def expanded(text: str) -> str:
        return dump_after(Source("m.clj", place.replace("HERE", text)), "expand")

    assert "observe (?flip 0.25) true" in expanded("(observe (flip 0.25) true)")
    assert expanded("[observe (flip 0.25) true]") == expanded("(observe (flip 0.25) true)")


@pytest.mark.parametrize("engine", ["lanes", "reference"])
def test_it_weights(engine: str) -> None:
    """x is 1 or 2, and observed to be 2."""
    text = "[assume x (sample (uniform-discrete 1 3))]\n[assume y (let [a x] [observe (dirac a) 2] a)]\n[predict y]"
    posterior = pplc.compile_text(text, "m.clj").infer("importance", engine=engine, particles=50, sweeps=1, seed=1)
    assert posterior.mean("y") == pytest.approx(2, abs=1e-12)
