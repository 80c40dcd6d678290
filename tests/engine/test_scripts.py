"""Scripts do what the program does: the same sweeps from the same random numbers, and the exact kernel.

A program without a fixed course must have none: each way in which executions may differ is there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.posteriors.tiny import TINY
from tests.reference.test_kernels import PROGRAMS
from tests.share import share

from pplc import compile_text
from pplc_runtime.distributions.base import Family
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference import METHODS
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.results.json_values import to_json
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.specialise import course
from pplc_runtime.specialise.emit import ReplayWriter
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.specialise.suffix import ScriptedSweep
from pplc_runtime.values import ModelError

from . import fixed
from .kernels import Kernel, bias, distance
from .sweeps import chain, compiled, quietly
from .test_chains import laws
from .test_traps import CHAIN, LONG_RANGE

FILES = {path.stem: path.read_text() for path in sorted(Path("programs").glob("*.clj"))}
FIXED = {
    "bayes_net", "change_point", "epidemic", "gaussian_chain", "hmm", "kalman", "linear_regression",
    "logistic_regression", "nonlinear_ssm", "stochastic_volatility",
}  # fmt: skip
RANDOM = 200 if os.environ.get("PPLC_LONG") else 40
DERIVED = """
[assume x (sample (flip 0.5))]
[assume a (if x 0.2 0.7)]
[observe (flip 0.4) true]
[assume b (+ 0.1 (* 0.5 a))]
[observe (flip b) true]
[assume y (sample (flip b))]
[assume c (if y (+ b 0.2) b)]
[observe (flip c) true]
[observe (flip (* 0.9 c)) false]
[predict x]
"""
"""A value that is computed from one segment to the next."""


CERTAIN = """
[assume x (sample (discrete [0.3 0.4 0.3]))]
[observe (dirac (< 0 x)) true]
[assume y (sample (flip (/ 1 x 1.5)))]
[observe (flip (if y 0.3 0.7)) true]
[observe (flip (/ x 3)) true]
[predict x]
"""
"""An observe that a value passes or not; what fails it would divide by zero afterwards."""


def with_scripts(source: str) -> Plan:
    with quietly():
        return scripted(compiled(source).plan)


def assert_same(one: list[Sweep], other: list[Sweep]) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other):
        np.testing.assert_allclose(a.log_weights, b.log_weights, rtol=1e-11, atol=1e-11)
        assert a.predicts.keys() == b.predicts.keys()
        living = a.log_weights > -np.inf  # what has ended on the way reports nothing that counts
        for label, column in a.predicts.items():
            values, others = np.asarray(column, float), np.asarray(b.predicts[label], float)
            np.testing.assert_allclose(values[living], others[living], rtol=1e-11)
        told = [{**sweep.diagnostics, "replays": None, "weakest": None} for sweep in (a, b)]
        assert told[0] == told[1]


def test_which_programs_have_a_fixed_course() -> None:
    assert {name for name, source in FILES.items() if with_scripts(source).scripts is not None} == FIXED


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", share(sorted(FIXED), 6))
def test_scripts_do_what_the_program_does(name: str, method: str) -> None:
    run = compiled(FILES[name]).plan
    straight = with_scripts(FILES[name])
    settings: dict[str, Any] = {"particles": 6, "sweeps": 6}
    assert_same(chain(run, method, 1, **settings), chain(straight, method, 1, **settings))
    assert straight.scripts.attempts == 6 and straight.scripts.failures == 0


@pytest.mark.parametrize("name", ["change_point", "epidemic", "gaussian_chain", "hmm"])
@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize("options", [{"ess_threshold": 0.5}, {"resampling": "systematic"}], ids=str)
def test_whatever_the_resampling(name: str, method: str, options: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"particles": 4, "sweeps": 10, **options}
    runs = compiled(FILES[name]).plan, with_scripts(FILES[name])
    assert_same(*(chain(run, method, 1, **settings) for run in runs))


STATES = """
[assume h (mem (lambda (t) (if (= t 0) (sample (normal 0 1)) (sample (normal (* 0.9 (h (- t 1))) 1)))))]
[for [t (range 6)] [observe (normal (h t) 0.5) (sin t)]]
"""
REPORTED = {
    "a vector by mapv": "[predict (mapv h (range 6))]",
    "in order": "[predict (sort (map h (range 6)))] [predict (reverse (sort-by abs (map h (range 6))))]",
    "text": '[predict "one" (str (h 3))] [predict (h 2)]',
    "draws of what was not drawn yet": "[predict (filter pos? (map h (range 9)))] [predict (mapv h (range 12))]",
    "draws": "[predict (if (> (h 0) 0) (sample (normal (h 0) 1)) 1.5)] [predict (h 7)]",
    "a map": "[predict {:low (apply min (mapv h (range 3))) (if (> (h 0) 0) :up :down) 1}]",
}
"""What is reported of one program of fixed course; none of these has a fixed course itself."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", REPORTED)
def test_what_is_only_reported_does_not_decide_how_a_program_is_run(name: str, method: str) -> None:
    run, straight = compiled(STATES + REPORTED[name]).plan, with_scripts(STATES + REPORTED[name])
    assert straight.scripts is not None and straight.scripts.failures == 0
    one, other = (chain(each, method, 3, particles=5, sweeps=6) for each in (run, straight))
    assert straight.scripts.failures == 0
    for a, b in zip(one, other):
        np.testing.assert_allclose(a.log_weights, b.log_weights, rtol=1e-11, atol=1e-11)
        assert to_json(list(a.predicts.items())) == to_json(list(b.predicts.items()))


ANEW = """
[assume x (sample (normal 0 1))]
[for [t (range 5)]
  [assume y (sample (normal (* t x) 1))]
  [observe (normal y 1) (sin t)]
  [predict "now" (MADE y)]]
[predict "last" y]
"""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("made", ["+", "str", "(lambda (a) (+ (* 0 y) a))"])
def test_a_predict_reports_what_its_loop_had_assumed(method: str, made: str) -> None:
    run, straight = compiled(ANEW.replace("MADE", made)).plan, with_scripts(ANEW.replace("MADE", made))
    assert straight.scripts is not None
    for each in (run, straight):
        for sweep in chain(each, method, 3, particles=5, sweeps=3):
            now = np.array([sweep.predicts[f"now#{k}" if k > 1 else "now"] for k in range(1, 6)], float)
            np.testing.assert_allclose(now[4], np.asarray(sweep.predicts["last"], float))
            assert (now[0] != now[4]).all() and (now[2] != now[3]).all()


def assert_both(run: Plan, straight: Plan, method: str, seed: int, size: int) -> None:
    """Both do the same sweeps, or end with the same error."""
    found: list[Any] = []
    for each in (run, straight):
        try:
            found.append(chain(each, method, seed, particles=size, sweeps=6))
        except ModelError as error:
            found.append((type(error), str(error)))
    if isinstance(found[0], list):
        assert_same(*found)
    else:
        assert found[0] == found[1]


@pytest.mark.parametrize("seed", share(range(RANDOM), 8))
def test_random_programs(seed: int) -> None:
    source = fixed.program(seed)
    run, straight = compiled(source).plan, with_scripts(source)
    for method in METHODS:
        assert_both(run, straight, method, seed, 5)


@pytest.mark.slow
def test_random_programs_have_a_fixed_course() -> None:
    """Nearly all of them: some cannot be traced because no particle of the trace passes their observes."""
    count = sum(with_scripts(fixed.program(seed)).scripts is not None for seed in range(40))
    assert count >= 36


# The kernel


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
@pytest.mark.parametrize(
    "source", share([CHAIN, LONG_RANGE, DERIVED, CERTAIN], 3), ids=["chain", "long range", "derived", "certain"]
)
def test_the_posterior_is_invariant(source: str, method: str) -> None:
    straight = with_scripts(source)
    assert bias(straight, method, 2) < 1e-13
    assert straight.scripts.attempts > 0 and straight.scripts.failures == 0


@pytest.mark.parametrize("method", share(["icsmc", "pgas"], 2))
def test_each_chain_moves_as_it_would_alone(method: str) -> None:
    kernel = Kernel(with_scripts(LONG_RANGE))
    general = Kernel(compiled(LONG_RANGE).plan)
    with general.enumerated():
        starts = [drawn for drawn, _, _ in general.posterior()]
        alone = [laws(general, [start], method)[0] for start in starts[:2]]
    renamed = _same_paths(starts[:2], kernel)
    with kernel.enumerated():
        for law, other in zip(laws(kernel, renamed, method), alone):
            assert distance(law, other) < 1e-12


def _same_paths(starts: list[Any], kernel: Kernel) -> list[Any]:
    """What one compilation has drawn, as the other names it."""
    with kernel.enumerated():
        draws = [drawn for drawn, _, _ in Kernel(kernel.run.without_scripts()).posterior()]
    by_path = {at.path(): at for drawn in draws for at in drawn}
    return [{by_path[at.path()]: value for at, value in start.items()} for start in starts]


def samples_not_scored(patch: pytest.MonkeyPatch) -> None:
    """The density of the retained samples is left out."""

    def score(self: ReplayWriter, family: Family, parts: Any, value: Any) -> None:
        if id(value) not in self.cell_of:
            right(self, family, parts, value)

    right = ReplayWriter.score
    patch.setattr(ReplayWriter, "score", score)


def stale_scores(patch: pytest.MonkeyPatch) -> None:
    """Scores stay where they are when lanes are resampled."""

    def at(self: ScriptedSweep, frame: Frame) -> Any:
        for lane in (self.total, *(score for score, _ in self.scores.values())):
            if lane is not None:
                lane.frame, lane._frame = frame, None
        return right(self, frame)

    right = ScriptedSweep.sum
    patch.setattr(ScriptedSweep, "sum", at)
    dropping = ScriptedSweep.drop

    def drop(self: ScriptedSweep, number: int, frame: Frame) -> None:
        at(self, frame)
        dropping(self, number, frame)

    patch.setattr(ScriptedSweep, "drop", drop)


def executed_segments_count_on(patch: pytest.MonkeyPatch) -> None:
    """What has been run still counts as part of the suffix."""
    patch.setattr(ScriptedSweep, "drop", lambda self, number, frame: None)


def derived_values_stay(patch: pytest.MonkeyPatch) -> None:
    """What a replay computes is not handed on to the segments that read it."""
    right = course._Course.script
    patch.setattr(course._Course, "script", lambda self: replace(right(self), follows=()))


TRAPS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], str]] = {
    "samples of the suffix not scored": (samples_not_scored, CHAIN),
    "stale scores": (stale_scores, LONG_RANGE),
    "executed segments count on": (executed_segments_count_on, CHAIN),
    "derived values stay": (derived_values_stay, DERIVED),
}


@pytest.mark.parametrize("trap", share(TRAPS, 4))
def test_the_trap_is_caught(trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spring, source = TRAPS[trap]
    assert bias(with_scripts(source), "pgas", 2) < 1e-13, "the right engine"
    spring(monkeypatch)
    assert bias(with_scripts(source), "pgas", 2) > 0.005, "the wrong one"


# When there are none, and when they fail

STRAIGHT = {
    "mapv": "[assume x (nth (mapv (lambda (t) (* t a)) [1.0 2.0]) 1)]",
    "filter and sort-by of what all lanes share": """
        [assume x (first (sort-by (lambda (i) (- 0 i)) (filter (lambda (i) (< i 3)) (list 1 2 3 4))))]
        [assume y (nth (list a 0.0 (* 2 a)) x)]""",
    "elements chosen by what all lanes share": """
        [assume rows (list (list 0 a) (list 1 (* 2 a)) (list 2 0.5))]
        [assume x (second (first (filter (lambda (row) (= 1 (first row))) rows)))]""",
    "some and every?": "[assume x (if (and (every? pos? [1 2]) (some pos? [0 1])) a 0.0)]",
    "maps": """
        [assume m (update (assoc {:a a :b 2.0} :c (* 3 a)) :b (lambda (b) (* a b)))]
        [assume x (+ (get m :b) (get-in {:m m} (list :m :c)) (first (vals (dissoc m :b :c))))]""",
    "sort": """
        [assume y (apply + (sort (mapv (fn [k] (* k a)) [3 1 2])))]
        [assume x (+ y (nth (sort (list (* 2 a) 0.3 a)) 1))]""",
    "a dirac": "[observe (dirac (< -0.5 a)) true] [assume x (sqrt (+ 0.5 a))]",
    "a dirac of a number": "[assume k (sample (binomial 2 0.5))] [observe (dirac (+ k 1)) 2] [assume x (+ a k)]",
    "mapcat": "[assume x (second (mapcat (lambda (k) (list k (* k a))) [1.0 2.0]))]",
}


@pytest.mark.parametrize("name", STRAIGHT)
def test_what_has_a_fixed_course(name: str) -> None:
    source = f"[assume a (sample (normal 0.0 1.0))] {STRAIGHT[name]} [observe (normal x 1.0) 0.5] [predict (+ a x)]"
    run, straight = compiled(source).plan, with_scripts(source)
    assert straight.scripts is not None
    for method in METHODS:
        assert_both(run, straight, method, 2, 5)


LOOSE = {
    "a draw in a branch": "[assume x (if (sample (flip 0.5)) (sample (normal 0.0 1.0)) 0.0)]",
    "a memo entry by a random key": """
        [assume f (mem (lambda (k) (sample (normal 0.0 1.0))))]
        [assume x (f (sample (discrete [0.5 0.5])))]""",
    "a memo entry by a key that all lanes share by chance": """
        [assume f (mem (lambda (k) (sample (normal 0.0 1.0))))]
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (f k)]""",
    "the same by map": """
        [assume f (mem (lambda (k) (sample (normal 0.0 1.0))))]
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (first (map f (list k)))]""",
    "a filter that all lanes pass by chance": """
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (* 1.0 (count (filter (lambda (i) (< i 2)) (list k 1.0))))]""",
    "an order by what varies": """
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (first (sort-by (lambda (i) (* k i)) (list 1.0 2.0)))]""",
    "a map with a key that varies": """
        [assume k (if (sample (flip 0.999999)) 1.5 2.5)]
        [assume x (get {k 1.0 1.5 2.0} 1.5)]""",
    "a process": "[assume c (crp 1.0)] [assume x (* 1.0 (sample c))]",
    "a closure chosen at random": """
        [assume f (if (sample (flip 0.5)) (lambda (a) (+ a 1.0)) (lambda (a) (* a 2.0)))]
        [assume x (f 1.0)]""",
    "a list of random length": """
        [assume xs (repeatedly (sample (uniform-discrete 1 3)) (lambda () (sample (normal 0.0 1.0))))]
        [assume x (first xs)]""",
    "a random recursion": """
        [assume deep (lambda (n) (if (sample (flip 0.5)) (deep (+ n 1)) n))]
        [assume x (* 1.0 (deep 0))]""",
    "a loop with a random end": """
        [assume n (sample (poisson 2.0))]
        [assume x (loop [i 0 s 0.0] (if (< i n) (recur (+ i 1) (+ s 1.0)) s))]""",
    "values of different kinds": '[assume x (if (= "a" (if (sample (flip 0.5)) "a" "b")) 1.0 2.0)]',
}


@pytest.mark.parametrize("name", LOOSE)
def test_what_has_no_fixed_course(name: str) -> None:
    source = f"{LOOSE[name]} [observe (normal x 1.0) 0.5] [predict x]"
    assert with_scripts(source).scripts is None


DECEPTIVE = {
    "an element that all lanes share by chance": """
        [assume a (sample (normal 0.0 1.0))] [assume b (sample (normal 10.0 1.0))]
        [assume z (sample (discrete [0.97 0.03]))]
        [observe (normal (nth (list a b) z) 1.0) 8.0] [predict z]""",
    "a distribution that all lanes share by chance": """
        [assume a (sample (normal 0.0 1.0))]
        [assume z (sample (discrete [0.97 0.03]))]
        [observe (nth (list (normal a 1.0) (normal (+ 10.0 a) 1.0)) z) 8.0] [predict z]""",
    "a category that all lanes share by chance": """
        [assume a (sample (normal 0.0 1.0))] [assume b (sample (normal 10.0 1.0))]
        [assume c (sample (categorical (list (list a 0.97) (list b 0.03))))]
        [observe (normal c 1.0) 8.0] [predict c]""",
    "categories that are numbers": """
        [assume c (sample (categorical [[1.5 0.5] [2 0.3] [7.5 0.2]]))]
        [observe (normal c 1.0) 4.0]
        [assume d (sample (normal c 1.0))] [observe (normal d 1.0) 3.0] [predict (+ c d)]""",
    "categories that floats do not hold": """
        [assume c (sample (categorical (list (list 1152921504606846977 0.97) (list 1.5 0.03))))]
        [assume r (* 1.0 (- c 1152921504606846976))]
        [observe (normal r 3.0) 0.5] [predict r]""",
    "an element of an older vector": """
        [assume g (sample (normal 0.0 1.0))] [observe (normal g 1.0) 0.3]
        [assume v (sample (mvn [0.0 0.0] [[1.0 0.2] [0.2 2.0]]))] [observe (normal (nth v 1) 1.0) 0.5]
        [assume a (first v)] [observe (normal a 1.0) 0.2]
        [observe (normal (* g a) 0.3) 0.1] [predict g] [predict a]""",
    "an element of an older vector, and lanes that end": """
        [assume v (sample (mvn [0.0 0.0] [[1.0 0.2] [0.2 2.0]]))] [observe (normal (nth v 1) 1.0) 0.3]
        [assume g (sample (normal 0.0 1.0))] [observe (uniform -3.0 (+ 0.5 g)) 0.0]
        [assume a (first v)] [observe (normal 0.0 (+ 0.5 g)) 0.2]
        [observe (normal (* a g) 0.3) 0.1] [predict g] [predict a]""",
    "a memo entry that some lanes compute later": """
        [assume f (mem (fn [k] (* 1.0 now)))]
        [for [t (range 4)] [assume now (* 10.0 t)] [assume u (sample (normal 0.0 1.0))]
          [assume s (if (> u 0.0) (f 1) 0.0)] [observe (normal s 10.0) 5.0]] [predict s]""",
    "an order that all lanes share by chance": """
        [assume w (mem (fn [i] (sample (normal (* 3.0 i) 1.0))))]
        [assume order (sort-by (fn [i] (w i)) (list 0 1 2))]
        [observe (normal (+ (first order) (w 0)) 1.0) 1.0] [predict (first order)]""",
    "a key that is a list": """
        [assume k (if (sample (flip 0.03)) 1 0)]
        [assume x (get (hash-map (list 0 1) 1.0 (list 1 1) 9.0) (list k 1))]
        [observe (normal x 3.0) 5.0] [predict x]""",
    "a key that goes into a map": """
        [assume k (if (sample (flip 0.1)) 1 0)] [assume x (sample (normal 0.0 1.0))]
        [assume m (conj (hash-map 0 5.0) (list k x))]
        [observe (normal (get m 0) 2.0) 2.0] [predict (get m 0)]""",
    "candidates that are out of range": """
        [assume g (sample (discrete [0.5 0.4 0.1]))] [assume b0 (sample (flip 0.5))] [assume b1 (sample (flip 0.4))]
        [observe (normal g 5.0) 0.5] [assume k (sample (discrete [0.5 0.4 0.1]))] [observe (normal k 2.0) 1.0]
        [observe (normal (+ (* 0.5 g) (if (get [b0 b1 b0 b1] (+ g k)) 1.0 -1.0)) 0.5) -0.7]
        [predict g] [predict k]""",
    "structures inside of structures": """
        [assume xs (reduce (fn [acc i] (list (sample (normal 0.0 1.0)) acc)) nil (range 150))]
        [observe (normal (first xs) 1.0) 0.5] [predict (first xs)]""",
}
"""Programs that a careless trace would take for others: found by looking for such."""


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", share(DECEPTIVE, 4))
def test_programs_that_deceive(name: str, method: str) -> None:
    run, straight = compiled(DECEPTIVE[name]).plan, with_scripts(DECEPTIVE[name])
    for seed in range(8):
        if straight.scripts is not None:
            straight.scripts.attempts = straight.scripts.failures = 0
        assert_both(run, straight, method, seed, (2, 3, 5, 12)[seed % 4])


WRONG = {
    "too many arguments": "(sample (apply normal [0.0 1.0 5.0]))",
    "a call of a list": "((list x 2.0) 0)",
    "a call of a draw": "((sample (mvn [0.0] [[1.0]])) 0)",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    source = f"""
        [assume x (sample (normal 0.0 1.0))]
        [assume y {WRONG[name]}]
        [observe (normal y 1.0) 0.5] [predict x]"""
    with pytest.raises(ModelError):
        compile_text(source).infer("smc", particles=5, sweeps=20, seed=1)


ENDLESS = {
    "a loop": "(loop [i 0.0] (if (< i 1.0) (recur (- i 1.0)) i))",
    "a recursion": "(down -1.0)",
    "a long computation": "(loop [i 0 s 0.0] (if (< i 1000000) (recur (+ i 1) (+ s (sin s))) s))",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_side_that_no_lane_takes_is_not_run_forever(name: str) -> None:
    source = f"""
        [assume down (lambda (n) (if (< n 0.0) (+ 1.0 (down (- n 1.0))) n))]
        [assume x (sample (normal 0.0 1.0))]
        [observe (normal (if (< x 30.0) x {ENDLESS[name]}) 1.0) 0.5] [predict x]"""
    assert with_scripts(source).scripts is None


def test_structures_are_not_looked_through_again_and_again() -> None:
    """Shared parts are walked once, and large constants once in all: else these would take minutes."""
    shared = """
        [assume x (sample (normal 0.0 1.0))]
        [assume tree (reduce (fn [acc i] (list acc acc)) x (range 60))]
        [observe (normal x 1.0) 0.5] [predict (count tree)]"""
    assert with_scripts(shared).scripts is not None
    pairs = " ".join(f"(list {i} 0.5)" for i in range(3000))
    large = f"""
        [assume data (list {pairs})]
        [assume x (sample (normal 0.0 1.0))]
        [for [t (range 500)] [observe (normal (* x (nth (nth data t) 1)) 1.0) 0.5]] [predict x]"""
    assert with_scripts(large).scripts is not None


@pytest.mark.parametrize("name", ["lanes die", "lanes die and candidates too"])
def test_chains_are_the_same_whatever_fails(name: str) -> None:
    """After a sweep that the program itself did, the next is done by scripts again, from the same numbers."""
    source = DIES if name == "lanes die" else DECEPTIVE["an element of an older vector, and lanes that end"]
    found: list[Any] = []
    for program in (compile_text(source), compile_text(source)):
        with pytest.MonkeyPatch.context() as patch:
            if found:
                patch.setattr("pplc_runtime.running.driver.scripted", lambda plan: plan)
            found.append(program.infer("pgas", particles=4, sweeps=40, chains=3, seed=5).sweeps)
    assert_same(*found)


DIES = """
[assume x (sample (normal 0.0 1.0))]
[observe (normal x 1.0) 0.5]
[assume y (do (observe (uniform -3.0 (+ 1.5 x)) 0.2) (sample (normal x 1.0)))]
[observe (normal y 1.0) 0.5]
[predict (+ x y)]
"""
"""Now and then a lane dies before it draws."""


@pytest.mark.parametrize("method", METHODS)
def test_where_scripts_fail_the_program_is_run(method: str) -> None:
    straight = with_scripts(DIES)
    settings: dict[str, Any] = {"particles": 4, "sweeps": 60}
    assert_same(chain(compiled(DIES).plan, method, 2, **settings), chain(straight, method, 2, **settings))
    assert 0 < straight.scripts.failures < straight.scripts.attempts


def test_scripts_that_fail_too_often_are_given_up() -> None:
    straight = with_scripts(DIES.replace("1.5", "0.1"))
    chain(straight, "icsmc", 2, particles=10, sweeps=60)
    assert straight.scripts.attempts < 20


def test_an_error_is_that_of_the_program() -> None:
    source = """
        [assume x (sample (normal 0.0 1.0))]
        [observe (normal 0.0 (+ 1.5 x)) 1.0]
        [predict x]"""
    errors = []
    for run in (compiled(source).plan, with_scripts(source)):
        with pytest.raises(Exception, match="sd must be a positive number") as caught:
            chain(run, "smc", 1, particles=50, sweeps=9)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_tiny_programs_agree() -> None:
    """Every small program, whether it has a fixed course or not."""
    for program in (*(tiny.source for tiny in TINY.values()), *PROGRAMS.values()):
        run, straight = compiled(program).plan, with_scripts(program)
        if straight.scripts is not None:
            for method in METHODS:
                assert_same(*(chain(each, method, 1, particles=5, sweeps=8) for each in (run, straight)))
