"""All engines draw the same from the same seed: lanes, straight code, and machine code of both kinds.

So the exactness of one, which kernels by enumeration show, is that of the others, on every program here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.share import share

from pplc import compile_text, load
from pplc_runtime.machine.machine import is_available
from pplc_runtime.native import engine as native_engine
from pplc_runtime.running import driver, general

PROGRAMS = Path(__file__).parents[2] / "programs"
FILES = sorted(PROGRAMS.glob("**/*.clj"))
SWEEPS = 4


def assert_same(one: Any, other: Any) -> None:
    """The first sweeps have the same weights and predicts: numbers to nine digits, all else exactly."""
    for a, b in zip(list(one)[:SWEEPS], list(other)[:SWEEPS], strict=True):
        np.testing.assert_allclose(a.log_weights, b.log_weights, rtol=1e-8, atol=1e-8)
        assert list(a.predicts) == list(b.predicts)
        for column, twin in zip(a.predicts.values(), b.predicts.values()):
            try:
                numbers = np.asarray(column, float), np.asarray(twin, float)
            except (TypeError, ValueError):
                assert [str(value) for value in column] == [str(value) for value in twin]
            else:
                np.testing.assert_allclose(*numbers, rtol=1e-8, atol=1e-8)


@pytest.mark.skipif(not is_available(), reason="there is no machine code")
@pytest.mark.slow
@pytest.mark.parametrize("method", ["importance", "smc", "icsmc", "pgas"])
@pytest.mark.parametrize("file", share(FILES, 8), ids=lambda file: file.stem)
def test_engines_draw_the_same(file: Path, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if file.stem == "reference_game" and method == "smc":
        pytest.skip("four particles may all end")
    monkeypatch.setattr(native_engine, "LEAST_WORK", 0)
    monkeypatch.setattr(general, "LEAST_WORK", 0)
    settings: dict[str, Any] = {"particles": 4, "sweeps": 12, "seed": 3, "progress": False}
    by_machine = load(file).infer(method, **settings).sweeps
    monkeypatch.setenv("PPLC_NATIVE", "off")
    monkeypatch.setattr(driver, "scripted", lambda plan: plan)
    assert_same(load(file).infer(method, **settings).sweeps, by_machine)


TEXTS = {
    "a global that may be nil": """
        [assume x (sample (normal 0 1))] [assume v (if (> x 0.3) nil x)]
        [observe (flip (if (nil? v) 0.9 0.1)) true] [predict (nil? v)]""",
    "what is no number among others": """
        [assume x (sample (normal 0 1))] [assume y (max (sqrt x) 0.1)]
        [observe (flip (if (= y y) 0.1 0.9)) true] [predict (> x 0)]""",
    "the same, of changing structure": """
        [assume x (sample (normal 0 1))] [assume y (min (sqrt (if (sample (flip 0.5)) x (sample (normal 0 1)))) 0.1)]
        [observe (flip (if (= y y) 0.1 0.9)) true] [predict (> x 0)]""",
    "whole numbers beyond those of machine code": """
        [assume n (sample (poisson 30))] [assume f (fn [n] (if (< n 2) 1 (* n (f (- n 1)))))]
        [assume g (if (sample (flip 0.5)) (f (+ 20 n)) (f (+ 21 n)))] [observe (normal (log g) 50) 100] [predict n]""",
    "a key that is a whole number, and real": """
        [assume m (mem (fn [k] (sample (normal 0 1))))] [assume x (sample (uniform-discrete 0 3))]
        [observe (normal (m (/ x 2)) 1) 0.5] [observe (normal (m x) 1) 0.7] [predict (m 1)]""",
}
"""Where one of the engines once drew otherwise, or ended with an error."""


@pytest.mark.skipif(not is_available(), reason="there is no machine code")
@pytest.mark.parametrize("method", ["importance", "smc", "icsmc", "pgas"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_where_engines_once_differed(text: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_engine, "LEAST_WORK", 0)
    monkeypatch.setattr(general, "LEAST_WORK", 0)
    settings: dict[str, Any] = {"particles": 4, "sweeps": 12, "seed": 3, "progress": False}
    by_machine = compile_text(text).infer(method, **settings).sweeps
    monkeypatch.setenv("PPLC_NATIVE", "off")
    monkeypatch.setattr(driver, "scripted", lambda plan: plan)
    assert_same(compile_text(text).infer(method, **settings).sweeps, by_machine)
