"""The kernel of scripts: enumerated, and traps that show that errors would be seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.share import share

from pplc_runtime.distributions.base import Family
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.specialise.ir import Var
from pplc_runtime.specialise.numpy_code import ReplayWriter
from pplc_runtime.specialise.slices import _Slicer
from pplc_runtime.specialise.suffix import ScriptedSweep

from .kernels import Kernel, bias, distance
from .scripts import with_scripts
from .sweeps import compiled
from .test_chains import laws
from .test_traps import CHAIN, LONG_RANGE

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
        if type(value) is not Var or value not in self.cell_of:
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
    right = _Slicer.segment
    patch.setattr(_Slicer, "segment", lambda self: replace(right(self), follows=()))


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
