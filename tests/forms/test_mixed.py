"""Programs that mix forms have the exact posterior of their twins in every engine; lmh leaves it invariant, and machine
code does the sweeps of lanes."""

from __future__ import annotations

import math

import pytest
from tests.engine.test_lmh import bias
from tests.engine.test_places import lane_law, reference_law
from tests.general.test_engines import assert_same, by_both
from tests.posteriors.test_exactly import off
from tests.share import share

from pplc import compile_text
from pplc_runtime.running import general

from . import mixed_too as mixed_too
from .mixed import MIXED


@pytest.mark.parametrize("name", MIXED)
def test_exact(name: str) -> None:
    text, twin = MIXED[name]
    assert off(compile_text(text).infer("enumerate"), twin) < 1e-11


@pytest.mark.parametrize("name", share(MIXED, 4))
def test_one_law(name: str) -> None:
    text, _ = MIXED[name]
    found = reference_law(text)
    assert math.fsum(found.values()) > 0.0
    assert found == pytest.approx(lane_law(text), rel=1e-11)
    assert bias(text) < 1e-11


@pytest.mark.parametrize("name", share(MIXED, 4))
def test_one_sweep(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(general, "LEAST_WORK", 0)
    for method in ("smc", "pgas"):
        assert_same(*by_both(MIXED[name][0], method, monkeypatch, particles=12, sweeps=4))
