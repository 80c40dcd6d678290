"""Mixing: what the diagnostics of conditional sweeps say."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import pplc
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.regeneration.records import Tracker
from pplc_runtime.regeneration.suffix import Suffix
from pplc_runtime.results.mixing import mixing_of
from pplc_runtime.results.sweeps import Sweep

CHAIN = """
[assume x (mem (lambda (t) (if (< t 1) 0.0 (sample (normal (x (- t 1)) 1.0)))))]
[for [t (range 1 31)] [observe (normal (x t) 0.2) (* 0.3 t)]]
[predict (x 1)]
"""

FIXED = """
[assume k (sample (uniform-discrete 0 40))]
[assume z (mem (lambda (i) (sample (normal 0.0 1.0))))]
[observe (normal (z k) 0.05) 1.0]
[observe (normal (z (+ k 1)) 0.05) 1.0]
[observe (normal (z (+ k 2)) 0.05) 1.0]
[predict k]
"""


def test_icsmc_is_stuck_where_pgas_is_not() -> None:
    model = pplc.compile_text(CHAIN)
    stuck = model.infer("icsmc", particles=3, sweeps=60, seed=1).mixing()
    free = model.infer("pgas", particles=3, sweeps=60, seed=1).mixing()
    assert stuck is not None and free is not None
    assert stuck.renewed[0] < 0.02 < 0.2 < free.renewed[0]
    assert stuck.ancestors[0] < 1.5 and free.moved is not None and free.moved > 0.2
    assert "use more particles, or pgas" in stuck.sentences()[0]
    assert free.sentences() == [] and free.replays is not None and free.replays <= 2 * 30 + 10


def test_the_line_that_drops_the_ancestors_is_named() -> None:
    mixing = pplc.compile_text(FIXED).infer("pgas", particles=3, sweeps=40, seed=1).mixing()
    assert mixing is not None
    assert max(mixing.dropped, key=lambda line: mixing.dropped[line]) in (5, 6)


def test_methods_without_a_retained_particle_have_no_mixing() -> None:
    sweep = Sweep(0, 0, np.zeros(2), {"x": np.zeros(2)}, 0.0)
    assert mixing_of([sweep]) is None


BRANCHES = """
[assume b (mem (lambda (i) (sample (flip 0.5))))]
[assume s (mem (lambda (i) (if (b i) (if (b (+ i 1)) 1.0 2.0) (if (b (+ i 2)) 3.0 4.0))))]
[for [i (range 8)] [observe (normal (+ (s i) (s (+ i 1))) 1.0) 4.0]]
[predict (s 0)]
"""


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("chains", [1, 3])
@pytest.mark.parametrize("text", [FIXED, BRANCHES])
def test_a_dropped_candidate_counts_once(text: str, chains: int, strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each lane at each boundary is one candidate, however many statements it fails at.

    Densities are positive here, so a candidate of weight zero is one that the suffix does not fit; the place where that
    showed is known but where the suffix has values left over."""
    impossible = candidates = 0
    rescore = Suffix.rescore

    def counted(self: Suffix, number: int, prefix: Tracker, frame: Frame) -> NDArray[np.float64]:
        nonlocal impossible, candidates
        before = sum(self.dropped.values())
        scores = rescore(self, number, prefix, frame)
        here = int(np.count_nonzero(scores == -np.inf))
        assert sum(self.dropped.values()) - before <= here
        impossible += here
        candidates += len(scores)
        return scores

    monkeypatch.setattr(Suffix, "rescore", counted)
    model = pplc.compile_text(text)
    mixing = model.infer("pgas", particles=10, sweeps=20, seed=1, chains=chains, strict=strict).mixing()
    assert mixing is not None and candidates > 0
    assert 0.5 * impossible / candidates <= sum(mixing.dropped.values()) <= impossible / candidates + 1e-12 <= 1 + 1e-12
