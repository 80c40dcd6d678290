"""The lane engine against the reference engine: densities, predicts and ancestor weights are the same.

Programs are those of programs/, the tiny ones, and random ones. More of the random ones: PPLC_LONG=1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.posteriors.tiny import TINY
from tests.share import share

from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.numerics.keys import Key
from pplc_runtime.regeneration.records import Tracker
from pplc_runtime.regeneration.suffix import Suffix
from pplc_runtime.running.driver import Driver

from .agreement import ancestor_weights_agree, densities_agree
from .generate import generate
from .interplay import INTERPLAY
from .sweeps import Compiled, Floats, close, compiled, lane_engine, quietly

LONG = bool(os.environ.get("PPLC_LONG"))
RANDOM = range(300 if LONG else 40)
SMALL: dict[str, tuple[tuple[str, str], ...]] = {
    "kalman": ((r"\[assume T 100\]", "[assume T 5]"),),
    "nonlinear_ssm": ((r"\(range 1 101\)", "(range 1 9)"), (r"\(x 50\)", "(x 5)"), (r"\(x 100\)", "(x 8)")),
    "hmm": ((r"\(range 0 16\)", "(range 0 6)"),),
    "stochastic_volatility": ((r"\(range 1 25\)", "(range 1 9)"), (r"\(h 24\)", "(h 8)")),
}
"""Programs with less data, so that the reference engine can follow."""


CORNERS = {
    "a list of lane values is observed": """
        [assume x (sample (normal 0 1))]
        [assume y (sample (normal 0 1))]
        [observe (normal x 1) 0.3]
        [observe (mvn [0 0] [[1 0] [0 1]]) (list x y)]
        [observe (mvn [0 0] [[1 0] [0 1]]) (if (> x 0) [1 2] (list 3 y))]""",
    "what is observed varies": """
        [assume x (sample (flip 0.5))]
        [observe (normal 0 1) 0.3]
        [observe (normal 0 1) (if x 1 2)]
        [observe (flip 0.3) (if x true (> 1 2))]
        [observe (if x (normal 0 1) (exponential 2)) 2]""",
    "processes of several kinds": """
        [assume a (sample (flip 0.5))]
        [observe (flip 0.5) true]
        [assume p (if a (crp 1.0) (beta-flip 1.0 1.0))]
        [assume x (sample p)]
        [observe (flip (if (= x true) 0.5 0.4)) true]""",
    "processes over numbers or vectors": """
        [assume a (sample (flip 0.5))]
        [observe (flip 0.5) true]
        [assume p (if a (dp 1.0 (normal 0 1)) (dp 1.0 (mvn [0 0] [[1 0] [0 1]])))]
        [assume x (sample p)]
        [observe (flip 0.5) true]""",
    "a process or a distribution": """
        [assume a (sample (flip 0.5))]
        [assume c (beta-flip 2.0 1.0)]
        [observe (flip 0.5) true]
        [assume x (sample (if a c (flip 0.3)))]
        [observe (if x c (flip 0.6)) true]""",
    "values without a meaning in lanes that have ended": """
        [assume a (sample (discrete [0.3 0.3 0.4]))]
        [observe (flip (nth [0.5 0.5 0.9] a)) true]
        [assume f (nth [(lambda () 1.0) (lambda () 2.0) (lambda () (sample (gamma 2 2)))] a)]
        [assume s (f)]
        [observe (flip 0.5) true]
        [observe (normal 0 s) 0.3]""",
    "entries that move to an earlier generation": """
        [assume m (mem (lambda (k) (sample (normal 0 1))))]
        [assume a (sample (discrete [0.3 0.3 0.4]))]
        [observe (normal (if (= a 0) (m 0) (if (= a 1) (m 1) 0.0)) 1.0) 0.5]
        [assume b (sample (discrete [0.3 0.3 0.4]))]
        [observe (normal (m (min b 1)) 1.0) 0.1]
        [observe (normal (+ (m 0) (m 1)) 1.0) -0.4]""",
    "memos over random values": """
        [assume f (let [x (sample (normal 0 1))] (mem (fn [k] (sample (normal x 1)))))]
        [observe (normal (f 2) 1) 1.0]
        [assume w (sample (normal (f 3) 1))]
        [observe (normal (+ w (f 2)) 1) 0.3]""",
    "memos of memos, and of partial procedures": """
        [assume x (sample (normal 0 1))]
        [assume f (mem (partial + x))]
        [assume g (mem (fn [i] (mem (fn [j] (sample (normal (* i x) 1))))))]
        [observe (normal (f 2) 1) 1.0]
        [observe (normal ((g 1) 2) 1) 0.4]
        [observe (normal (+ ((g 1) 2) ((g 2) 2)) 1) 0.3]""",
    "closures in lists and maps": """
        [assume fs (map (fn [i] (let [a (sample (normal i 1))] (fn [u] (* u a)))) (list 0 1))]
        [assume m (hash-map :a (let [x (sample (normal 0 1))] (fn [y] (+ x y))))]
        [observe (normal ((first fs) 2) 1) 1.0]
        [assume w (sample (normal ((get m :a) 1) 1))]
        [observe (normal (+ w ((second fs) 1)) 1) 0.3]""",
}
"""Programs in which one engine or the other was wrong once, or that are made to be hard."""


def _sources() -> Iterator[tuple[str, str]]:
    yield from CORNERS.items()
    yield from INTERPLAY.items()
    for path in sorted((Path(__file__).parents[2] / "programs").glob("*.clj")):
        text = path.read_text()
        for pattern, shorter in SMALL.get(path.stem, ()):
            text, found = re.subn(pattern, shorter, text)
            assert found, f"{path.stem} has no {pattern} any more"
        yield path.stem, text
    for name, program in TINY.items():
        yield name, program.source
    for seed in RANDOM:
        yield f"random {seed}", generate(seed, continuous=seed % 3 > 0)


SOURCES = dict(_sources())


@cache
def of(name: str) -> Compiled:
    return compiled(SOURCES[name], in_place=True)


def sweeps_of(name: str) -> int:
    return 20 if name in CORNERS else 3 if name.startswith("random") else 8 if name in TINY or name in INTERPLAY else 2


@pytest.mark.parametrize("lanes", [1, 6])
@pytest.mark.parametrize("name", share(SOURCES, 10))
def test_density_of_a_trace(name: str, lanes: int) -> None:
    densities_agree(of(name), lanes)


@pytest.mark.parametrize("strict", [False, True], ids=["relaxed", "strict"])
@pytest.mark.parametrize("name", share(SOURCES, 10))
def test_ancestor_weights(name: str, strict: bool) -> None:
    ancestor_weights_agree(of(name), sweeps_of(name), strict)


class Checked(Suffix):
    """Scores every suffix twice: what has changed, and then all of it."""

    checked = 0

    def __init__(self, run: Plan, values: Any, strict: bool = False) -> None:
        super().__init__(run, values, strict)
        self.all_dirty = False

    def changed(self, number: int, prefix: Tracker) -> Any:
        found = list(super().changed(number, prefix))
        return range(number + 1, len(self.plan.segments)) if self.all_dirty else found

    def rescore(self, number: int, prefix: Tracker, frame: Frame) -> Floats:
        incremental = super().rescore(number, prefix, frame).copy()
        self.all_dirty = True
        anew = super().rescore(number, prefix, frame)
        self.all_dirty = False
        # The total of many increments may be off by rounding, and by the constant part of what was executed.
        assert close(incremental, anew), f"boundary {number}: {incremental}, not {anew}"
        Checked.checked += 1
        return incremental


@pytest.mark.parametrize("name", share(SOURCES, 10))
def test_only_what_changed_needs_to_be_replayed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_engine, "Suffix", Checked)
    program = of(name)
    before = Checked.checked
    with quietly():
        driver = Driver.on_lanes(METHODS["pgas"].kernel, program.plan, Settings(6, 2 * sweeps_of(name)))
        for _ in driver.chain(Key.of(5)):
            pass
    assert len(program.plan.segments) == 1 or Checked.checked > before
