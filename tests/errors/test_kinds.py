"""What `check` sees without a run: a forgotten sample, an observe on a number, a label that is no text."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

import pplc
from pplc.passes.kinds_known import WANTED
from pplc.pipeline import check
from pplc.source import Source
from pplc_runtime.program.names import SIGNATURES
from pplc_runtime.values import ModelError

from .forgotten_draws import FINE, FORGOTTEN

UNREACHED: Final = "no random value reaches this observe, so that it changes no posterior"
PROGRAMS: Final = Path(__file__).parents[2] / "programs"
GP: Final = "[assume f (gp (fn [x] 0.0) (fn [x y] 1.0))]\n"


def warnings(text: str) -> list[tuple[str, str]]:
    source = Source("m.clj", text)
    found = [(source.place(d.span.start), d.message, d.severity) for d in check(source)]
    assert all(severity == "warning" for *_, severity in found)
    return [(f"{place.line}:{place.column}", message) for place, message, _ in found if message != UNREACHED]


TEST: Final = "a test takes a truth value, not the distribution <flip>; did you mean "
SUM: Final = "'+' takes numbers, not the distribution <normal>; did you mean "
OBSERVE: Final = "observe takes a distribution or a process, not "


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("[assume y (sample (normal 0 1))]\n[predict (y > 0.5)]", "2:11",
         "a number is not a procedure and cannot be called; an operator comes first: (> a b)"),
        ("[assume zs (sample (normal [0 0] 1))]\n[for [z zs] [observe (normal z 1) 2.0]]", "2:9",
         "what a for runs over must not be random: go over what is known, as in [for [i (range 3)] ...], and take "
         "random elements by (nth xs i)"),
        ("[assume rain (flip 0.2)]\n[predict (if rain 1 0)]", "2:14", TEST + "[assume rain (sample ...)] in line 1?"),
        ("[assume rain (flip 0.2)]\n[predict (and (> 1 0) rain true)]", "2:23",
         TEST + "[assume rain (sample ...)] in line 1?"),
        ("[predict (let [rain (flip 0.2)] (cond rain 1 :else 0))]", "1:39", TEST + "(sample ...)?"),
        ("[assume x (normal 0 1)]\n[predict (+ x 1)]", "2:13", SUM + "[assume x (sample ...)] in line 1?"),
        ("[assume x (normal 0 1)]\n[assume y (+ x 1)]\n[predict (* x y)]", "2:14",
         SUM + "[assume x (sample ...)] in line 1?"),
        ("[assume x (normal 0 1)]\n[assume y (sample x)]\n[predict (+ x y)]", "3:13", SUM + "(sample x)?"),
        ("[assume x (normal 0 1)]\n[assume f (fn [i] (let [z x] (+ i z)))]\n[predict (f 1)]", "2:35",
         SUM + "[assume x (sample ...)] in line 1?"),
        ("[assume noise (fn [] (normal 0 1))]\n[predict (+ 1 (noise))]", "2:15", SUM + "(sample ...)?"),
        ("[assume level (mem (fn [i] (normal i 1)))]\n[predict (+ 1 (level 2))]", "2:15", SUM + "(sample ...)?"),
        ("[assume x (if (sample (flip 0.5)) (normal 0 1) (cauchy 0 1))]\n[predict (+ 1 x)]", "2:15",
         "'+' takes numbers, not a distribution; did you mean [assume x (sample ...)] in line 1?"),
        ("[assume x (normal 0 1)]\n[observe (normal x 1) 2]", "2:18",
         "normal: mean must be a finite number, not the distribution <normal>; "
         "did you mean [assume x (sample ...)] in line 1?"),
        ("[assume p (beta 1 1)]\n[observe (flip-dist p) true]\n[observe (flip-dist p) false]", "2:21",
         "flip-dist: p must be a probability, from 0 to 1, not the distribution <beta>; "
         "did you mean [assume p (sample ...)] in line 1?"),
        ("[assume c (crp 1.0)]\n[predict (nth [1 2] (* 1 c))]", "2:26",
         "'*' takes numbers, not the process <crp>; did you mean (sample c)?"),
        (GP + "[predict (+ 1 (f 2))]", "2:15",
         "'+' takes numbers, not the process <gp at a point>; did you mean (sample ...)?"),
        (GP + "[predict (+ 1 f)]", "2:15",
         "'+' takes numbers, not the process of functions <gp>; did you mean (sample (f x))?"),
        # What is no distribution
        ("[assume x (sample (normal 0 1))]\n[observe x 3]", "2:10",
         OBSERVE + "a number; did you mean one about it, such as (normal x 1)?"),
        ("[assume x (sample (normal 0 1))]\n[observe x 3]\n[observe x 4]", "2:10",
         OBSERVE + "a number; did you mean one about it, such as (normal x 1)?"),
        ("[assume x (sample (flip 0.5))]\n[predict (observe x true)]", "2:19", OBSERVE + "true or false"),
        ("[assume x (sample (normal 0 1))]\n[observe (+ x 1) 3]", "2:10", OBSERVE + "what '+' gives"),
        ("[assume x (sample (normal 0 1))]\n[observe [x 1] 3]", "2:10", OBSERVE + "a vector"),
        ("[observe normal 3]", "1:10", OBSERVE + "a procedure; did you mean (normal mean sd)?"),
        ("[assume near (fn [m] (normal m 1))]\n[observe near 3]", "2:10",
         OBSERVE + "a procedure; did you mean (near m)?"),
        ("[observe (mem (fn [m] (normal m 1))) 3]", "1:10", OBSERVE + "a procedure; did you mean (... m)?"),
        ("[assume x (sample (normal 0 1))]\n[observe 2 (normal x 1)]", "2:10",
         OBSERVE + "a number; the distribution comes first, then the value"),
        (GP + "[observe f 3]", "2:10", OBSERVE + "the process of functions <gp>; did you mean (f x)?"),
        ("[assume x (sample (normal 0 1))]\n[predict (sample x)]", "2:18",
         "sample takes a distribution or a process, not a number"),
        ("[assume x (sample (normal 0 1))]\n[predict (x 1)]", "2:11",
         "a number is not a procedure and cannot be called"),
        # Labels
        ("[assume x (sample (normal 0 1))]\n[predict x (+ x 1)]", "2:10",
         "the label is the value of 'x', which is random: a label is an expression; write \"x\""),
        ("[predict mean (+ 1 1)]", "1:10", 'the label is a procedure: a label is an expression; write "mean"'),
    ],
)  # fmt: skip
def test_a_warning(text: str, place: str, message: str) -> None:
    assert warnings(text) == [(place, message)]


@pytest.mark.parametrize("text", FINE)
def test_no_false_alarm(text: str) -> None:
    assert warnings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "[assume f (fn [d] (+ 1 d))]\n[predict (f 1)]",
        "[assume f (fn [d] (if d 1 2))]\n[predict (f nil)]",
        "[assume d (if (sample (flip 0.5)) (normal 0 1) nil)]\n[predict (if (nil? d) 0 (sample d))]",
        "[assume level (fn [m s] (+ m s))]\n[predict (+ 1 (level 1 2))]",
        "[assume f (fn [n] (if (= n 0) (normal 0 1) (f (- n 1))))]\n[predict (sample (f 3))]",
        "[for [d (list (normal 0 1) (gamma 1 1))]\n  [observe d 0.5]]",
        "[assume t 3]\n[predict (str \"x\" t) 1]",
        "[assume t \"name\"]\n[predict t 1]",
        "[for [t [1 2]] [predict t t]]",
        "[predict (loop [d (normal 0 1) i 0] (if (< i 3) (recur (normal (sample d) 1) (inc i)) (sample d)))]",
        "[assume x (let [x (normal 0 1)] (let [x (sample x)] (+ x 1)))]\n[predict x]",
        "[assume drawn (fn [d] (sample d))]\n[predict (drawn (normal 0 1))]",
    ],
)  # fmt: skip
def test_what_is_not_known_is_not_warned_of(text: str) -> None:
    assert warnings(text) == []


def test_what_needs_a_run() -> None:
    """All other programs with a forgotten draw are seen; what is in a list, or on one side of an if, is not known."""
    unseen = [text.split("\n")[-1] for text, *_ in FORGOTTEN if not warnings(text)]
    assert unseen == [
        "[predict (if x 1 2)]",
        "[predict (sort-by flip [0.1 0.2])]",
        "[predict (nth [1 2] (bernoulli 0.5))]",
        "[predict (sum [(normal 0 1) 2])]",
        "[predict (map flip [0.1 0.2])]",
    ]


@pytest.mark.parametrize("name", WANTED)
def test_what_is_warned_of_fails(name: str) -> None:
    """Whatever the primitive, the number of arguments, the position, and what stands beside it."""
    signature = SIGNATURES[name]
    found = 0
    for size in range(max(signature.least, 1), (signature.most or 3) + 1):
        for position in range(size):
            asked = []
            for beside in ("1", "[1 2]", "[[1 2] [3 4]]"):
                arguments = [beside] * size
                arguments[position] = "(normal 0 1)"
                text = f"[predict ({name} {' '.join(arguments)})]"
                if not warnings(text):
                    continue
                with pytest.raises(ModelError) as caught:
                    pplc.compile_text(text).infer("importance", particles=1, sweeps=1)
                asked.append("not the distribution <normal>; did you mean (sample ...)?" in str(caught.value))
            assert any(asked) or not asked  # an argument before it may be wrong too
            found += len(asked)
    assert found
