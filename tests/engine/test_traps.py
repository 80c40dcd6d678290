"""Each trap on the way to exact particle Gibbs, sprung on purpose, and caught.

A wrong variant of the engine is made by patching it. The exact transition kernel then shows how far one sweep takes
the retained particle from the posterior: not at all for the right engine, visibly for the wrong one. See
docs/design.md for why each rule is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.reference.test_kernels import OBSERVE_AFTER_THE_LAST
from tests.reference.test_regenerate import BRANCH, MEMO, SAME_SAMPLES
from tests.share import share

from pplc_runtime.engine.cells import MISSING
from pplc_runtime.engine.forward import Forward
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import Lane, raw
from pplc_runtime.numerics.resampling import SCHEMES, Scheme
from pplc_runtime.processes.crp import Crp
from pplc_runtime.program import control
from pplc_runtime.program.stochastic import Dist
from pplc_runtime.regeneration.records import Recorder, Tracker
from pplc_runtime.regeneration.replay import Replay
from pplc_runtime.regeneration.suffix import Suffix
from pplc_runtime.values import Memo, key_of

from .kernels import Enumerating, Kernel, bias, distance
from .sweeps import Floats, compiled, lane_engine

Patch = pytest.MonkeyPatch
CHAIN = """
[assume x (sample (flip 0.5))]
[observe (flip (if x 0.9 0.2)) true]
[assume y (sample (flip (if x 0.8 0.3)))]
[observe (flip (if y 0.3 0.7)) true]
[assume z (sample (flip (if y 0.7 0.1)))]
[observe (flip (if z 0.8 0.4)) true]
"""
LONG_RANGE = """
[assume x (sample (flip 0.5))]
[observe (flip (if x 0.6 0.4)) true]
[assume y (sample (flip 0.5))]
[observe (flip (if y 0.3 0.7)) true]
[observe (flip (if x 0.9 0.1)) true]
"""
CRP_TABLES = """
[assume c (crp 1.0)]
[assume x (sample c)]
[assume y (sample c)]
[observe (flip (if (= x y) 0.4 0.6)) true]
[assume z (sample c)]
[observe (flip (if (= z 2) 0.9 0.2)) true]
"""


# Resampling


def _paste(ancestors: Any, kept: int) -> Any:
    ancestors = np.array(ancestors)
    ancestors[0] = kept
    return ancestors


def pasted_systematic(chance: Enumerating, weights: Floats, number: int, kept: int) -> Any:
    """Textbook systematic resampling, with the retained index written over slot 0."""
    ends = np.cumsum(weights) / weights.sum()
    cuts = sorted({0.0, 1.0, *(float(c * number - i) for c in ends for i in range(number))})
    cuts = [cut for cut in cuts if 0.0 <= cut <= 1.0]
    cell = chance.decide([high - low for low, high in pairwise(cuts)])
    u = (cuts[cell] + cuts[cell + 1]) / 2
    return _paste(np.searchsorted(ends, (u + np.arange(number)) / number, "right"), kept)


def pasted_sorted_multinomial(chance: Enumerating, weights: Floats, number: int, kept: int) -> Any:
    """All ancestors drawn at once and sorted, with the retained index written over the smallest."""
    return _paste(sorted(chance.decide(weights.tolist()) for _ in range(number)), kept)


def _with_scheme(conditional: Any) -> Callable[[Patch], None]:
    def draw(chance: Enumerating, weights: Floats, number: int) -> Any:
        return np.array([chance.decide(weights.tolist()) for _ in range(number)])

    def spring(patch: Patch) -> None:
        patch.setitem(SCHEMES, "enumerated", Scheme("enumerated", draw, conditional))  # type: ignore[arg-type]

    return spring


# The density of the suffix


def samples_not_scored(patch: Patch) -> None:
    """The density of the retained samples is left out."""

    def replay(self: Replay, at: At, source: Dist) -> Any:
        value = self.suffix.values.get(at, MISSING)
        if value is MISSING:
            self.reject()
        self.use()
        self.drawn_here.append(at)
        return value

    patch.setattr(Replay, "draw", replay)


def superfluous_values_ignored(patch: Patch) -> None:
    """Values that are not drawn after the new prefix are dropped: a branch not taken, a memo entry that is there."""

    class Wrong(Suffix):
        @property
        def total_uses(self) -> Any:
            return len(self.values) + len(self.events)

        @total_uses.setter
        def total_uses(self, uses: Any) -> None:
            pass

    patch.setattr(lane_engine, "Suffix", Wrong)


def missing_values_drawn(patch: Patch) -> None:
    """Values that the suffix lacks after the new prefix are drawn afresh, and not scored."""

    def replay(self: Replay, at: At, source: Dist) -> Any:
        if at in self.suffix.values:
            return replayed(self, at, source)
        return self.drawn(at, here.frame, source.sample(self.chance.at(at, here.frame)))

    def drawn(self: Forward, at: At, frame: Frame, data: Any) -> Any:
        if self.retained is not None and frame.kept and at not in self.retained[0]:
            self.retained[0][at] = self.chance.at(at, frame).decide([0.5, 0.5]) == 0
        return was_drawn(self, at, frame, data)

    replayed, was_drawn = Replay.draw, Forward.drawn
    patch.setattr(Replay, "draw", replay)
    patch.setattr(Forward, "drawn", drawn)


def stale_scores(patch: Patch) -> None:
    """Scores stay where they are when lanes are resampled."""

    class Wrong(Suffix):
        def rescore(self, number: int, prefix: Tracker, frame: Frame) -> Floats:
            scores = [part for score in self.scores.values() for part in score]
            for value in (*scores, *self.uses, self.total, self.impossible, self.total_uses):
                if isinstance(value, Lane):
                    value.frame, value._frame = frame, None
            return super().rescore(number, prefix, frame)

    patch.setattr(lane_engine, "Suffix", Wrong)


def one_generation_late(patch: Patch) -> None:
    """The suffix begins after the generation that is about to be drawn."""

    class Wrong(Suffix):
        def rescore(self, number: int, prefix: Tracker, frame: Frame) -> Floats:
            scores = super().rescore(number, prefix, frame)
            run_in(frame)
            score, bad = self.scores.get(number, (0.0, None))
            own = raw(score) if bad is None else np.where(raw(bad) > 0, -np.inf, raw(score))
            with np.errstate(invalid="ignore"):
                later = scores - own
            return np.where(np.isnan(later), -np.inf, later)

    patch.setattr(lane_engine, "Suffix", Wrong)


def nested_observes_left_out(patch: Patch) -> None:
    """An observe inside of an expression does not count in the suffix."""

    def observe(self: Forward, at: At, source: Any, value: Any) -> Any:
        return value if isinstance(self, Recorder | Replay) else observed(self, at, source, value)

    observed = Forward.observe
    patch.setattr(Forward, "observe", observe)


# Processes


def state_of_the_retained_run(patch: Patch) -> None:
    """What processes draw in the suffix is scored with the state that the retained lane has."""

    def block(self: Crp, state: Any, values: Any, *parameters: Any) -> Any:
        return right(self, self.gather(state, np.zeros(len(state[1]), np.intp)), values, *parameters)

    right = Crp.block
    patch.setattr(Crp, "block", block)


def labels_in_any_order(patch: Patch) -> None:
    """Any label that nobody has is taken for a new table."""

    def block(self: Crp, state: Any, values: Any, *parameters: Any) -> Any:
        total = np.zeros(len(state[1]))
        for lane in range(len(total)):
            counts = {label: float(count) for label, count in enumerate(state[0][:, lane]) if count > 0}
            for value in values:
                weight = counts.get(value, parameters[0])
                total[lane] += np.log(weight / (sum(counts.values()) + parameters[0]))
                counts[value] = counts.get(value, 0.0) + 1.0
        return total

    patch.setattr(Crp, "block", block)


# The retained particle


def offspring_follow(patch: Patch) -> None:
    """All children of the retained particle's ancestor take the retained values."""

    def drawn(self: Forward, at: At, frame: Frame, data: Any) -> Any:
        result = right(self, at, frame, data)
        top = frame.top
        if frame.kept and self.retained is not None and top.index is not None and isinstance(result, Lane):
            lanes = np.arange(top.size) if frame.to_top is None else frame.to_top
            result.data[..., top.index[lanes] == top.index[0]] = result.data[..., 0]
        return result

    right = Forward.drawn
    patch.setattr(Forward, "drawn", drawn)


TRAPS: dict[str, tuple[Callable[[Patch], None], str, str, int]] = {
    "unconditional systematic resampling": (_with_scheme(pasted_systematic), CHAIN, "icsmc", 2),
    "the same in pgas": (_with_scheme(pasted_systematic), LONG_RANGE, "pgas", 2),
    "sorted multinomial ancestors": (_with_scheme(pasted_sorted_multinomial), CHAIN, "icsmc", 2),
    "samples of the suffix not scored": (samples_not_scored, SAME_SAMPLES, "pgas", 2),
    "a memo entry that the prefix has": (superfluous_values_ignored, MEMO, "pgas", 2),
    "values that are superfluous": (superfluous_values_ignored, BRANCH, "pgas", 2),
    "values that are missing": (missing_values_drawn, BRANCH, "pgas", 2),
    "stale scores": (stale_scores, LONG_RANGE, "pgas", 2),
    "the suffix one generation late": (one_generation_late, SAME_SAMPLES, "pgas", 2),
    "observes inside of expressions left out": (nested_observes_left_out, OBSERVE_AFTER_THE_LAST, "pgas", 2),
    "process state of the retained run": (state_of_the_retained_run, CRP_TABLES, "pgas", 2),
    "labels in any order": (labels_in_any_order, CRP_TABLES, "pgas", 2),
    "offspring of the retained particle": (offspring_follow, SAME_SAMPLES, "icsmc", 3),
}


@pytest.mark.parametrize("trap", share(TRAPS, 3))
def test_the_trap_is_caught(trap: str, monkeypatch: Patch) -> None:
    spring, source, method, size = TRAPS[trap]
    run = compiled(source).plan
    assert bias(run, method, size) < 1e-13, "the right engine"
    spring(monkeypatch)
    wrong = bias(run, method, size)
    assert wrong > 0.005, "the wrong one"


TWO_SITES = """
[assume m (mem (lambda (k) (sample (flip 0.3))))]
[observe (flip (if (m 0) 0.9 0.2)) true]
[observe (flip (if (m 0) 0.4 0.8)) true]
[predict (m 0)]
"""


def test_memo_entries_by_call_site_are_caught(monkeypatch: Patch) -> None:
    """Then they are several variables, and their posterior is another one: found by its exact value."""
    run = compiled(TWO_SITES).plan
    yes, no = 0.3 * 0.9 * 0.4, 0.7 * 0.2 * 0.8
    exact = {(("(m 0)", key_of(True)),): yes / (yes + no), (("(m 0)", key_of(False)),): no / (yes + no)}

    def predicted() -> dict[Any, float]:
        kernel = Kernel(run)
        _, after = kernel.after("pgas", 2)
        law: dict[Any, float] = {}
        for (_, predicts), probability in after.items():
            law[predicts] = law.get(predicts, 0.0) + probability
        return law

    assert distance(predicted(), exact) < 1e-13

    def call(at: At, operator: Any, *arguments: Any) -> Any:
        if type(operator) is Memo:
            operator = Memo(at["memo"], operator.procedure)
        return right(at, operator, *arguments)

    right = control.call
    for function in [step.function for segment in run.segments for step in segment]:
        monkeypatch.setitem(function.__globals__, "call", call)
    assert distance(predicted(), exact) > 0.02
