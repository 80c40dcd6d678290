"""Roots of covariances that are computed once, with the covariance: exact kernels, and the sweeps of other engines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.engine.sweeps import compiled, quietly
from tests.native.sweeping import bias
from tests.native.test_sweeps import assert_equal, both

from pplc import compile_text
from pplc_runtime.machine.machine import is_available
from pplc_runtime.native import engine as native_engine
from pplc_runtime.native.roots import ROOT, with_roots
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.specialise.ir import Compute, Specialised
from pplc_runtime.values import ModelError

FOLLOWS = """
[assume a (sample (flip 0.4))]
[observe (flip (if a 0.6 0.5)) true]
[assume k (* (if a 1.0 2.5) [[1.0 0.3] [0.3 2.0]])]
[assume b (sample (flip (if a 0.7 0.2)))]
[assume m (* (if b 1.0 0.4) k)]
[observe (mvn [0.1 (if b 0.2 1.2)] k) [0.5 -0.4]]
[observe (mvn [0.0 0.2] m) [1.5 0.3]]
[observe (mvn [0.0 0.0] k) [1.1 0.9]]
[predict (if a 1.0 0.0)]
"""
"""A covariance that a segment computes from what an earlier one draws, and one that depends on its own draw too."""
DRAWN = """
[assume q (sample (gamma 10 10))]
[assume k (* q COVARIANCE)]
[assume x (mem (lambda (t) (sample (mvn (if (< t 1) ZERO (x (dec t))) k))))]
[for [t (range 6)] [observe (normal (sum (x t)) 1) 0.4]]
[predict q] [predict (sum (x 5))] [predict k]
"""
SIZES = {
    1: "[[0.7]]",
    2: "[[1.0 0.3] [0.3 2.0]]",
    3: "[[1.0 0.3 0.1] [0.3 2.0 0.2] [0.1 0.2 1.5]]",
    4: "[[1.0 0.3 0.1 0.0] [0.3 2.0 0.2 0.1] [0.1 0.2 1.5 0.4] [0.0 0.1 0.4 1.0]]",
}
WRONG = """
[assume z (sample (normal 0 1))]
[observe (normal z 1) 0.2]
[assume k [[1.0 z] [OTHER 1.0]]]
[assume y (sample (normal z 1))]
[observe (normal y 1) 0.4]
[assume x (sample (mvn [y 0.0] k))]
[observe (normal (sum x) 1) 0.3]
[observe (normal (sum x) 1) 0.5]
[predict z]
"""


def roots(program: Specialised) -> int:
    operations = [each for segment in program.segments for each in segment.forward]
    return sum(isinstance(each, Compute) and each.name == ROOT for each in operations)


@pytest.mark.parametrize("method", ["icsmc", "pgas"])
def test_the_posterior_is_invariant(method: str) -> None:
    with quietly():
        assert roots(with_roots(scripted(compiled(FOLLOWS).plan).scripts.program)) == 2
    assert bias(FOLLOWS, method, 2) < 1e-13


def test_a_root_that_does_not_follow_its_covariance_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def stale(program: Specialised) -> Specialised:
        found = with_roots(program)
        computed = [each for segment in found.segments for each in segment.forward if isinstance(each, Compute)]
        cells = {found.cell_of[each.result] for each in computed if each.name == ROOT}
        segments = [
            replace(
                segment,
                follows=tuple(each for each in segment.follows if each[0] not in cells),
                renews=tuple(cell for cell in segment.renews if cell not in cells),
            )
            for segment in found.segments
        ]
        return replace(found, segments=segments)

    monkeypatch.setattr("pplc_runtime.native.sweep_code.with_roots", stale)
    assert bias(FOLLOWS, "pgas", 2) > 1e-3


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("method", ["smc", "pgas"])
@pytest.mark.parametrize("size", SIZES)
def test_the_same_sweeps_as_by_scripts(size: int, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is predicted may be a covariance whose root is taken, too."""
    zero = "[" + "0.0 " * size + "]"
    model = compile_text(DRAWN.replace("COVARIANCE", SIZES[size]).replace("ZERO", zero))
    one, other = both(model, method, monkeypatch, particles=4, sweeps=20)
    assert_equal(one, other)


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("other", ["z", "(* 1.0000001 z)"])
@pytest.mark.parametrize("method", ["smc", "pgas"])
def test_what_is_no_covariance_is_told(other: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is used, by those particles that use it; it may not be positive, or not symmetric."""
    model, told = compile_text(WRONG.replace("OTHER", other)), set()
    for least in (0, 10**12):
        monkeypatch.setattr(native_engine, "LEAST_WORK", least)
        with pytest.raises(ModelError) as found:
            model.infer(method, particles=4, sweeps=60, seed=4)
        told.add(str(found.value))
    assert len(told) == 1 and "symmetric positive definite" in told.pop()
