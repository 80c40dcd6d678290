"""Operations that are alike share their code: what is written once, with rows of constants, is what is written out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.engine import fixed
from tests.share import share

from pplc import compile_text, load
from pplc_runtime.engine.plan import Plan
from pplc_runtime.machine.machine import Interpreted
from pplc_runtime.native.alike import pattern
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.modes import Mode
from pplc_runtime.native.sweep_code import Code
from pplc_runtime.native.values import Unsupported
from pplc_runtime.specialise.ir import NoFixedCourse, Specialised
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced
from pplc_runtime.values import ModelError

from .test_joint import STATIC

PROGRAMS = Path(__file__).parents[2] / "programs"
ODD = """
[assume a (sample (normal 0 1))] [assume b (sample (gamma 2 2))] [assume k (sample (flip 0.3))]
[for [[x y] [[1.5 2] [0 1.0] [-0.0 3] [2 -1] [7 0]]]
  [observe (normal (+ (* a x) (/ b (+ 1 (* x x)))) b) y]]
[for [x [0 1 2.5 0.0]] [observe (normal (if (< a x) (/ x b) (* x a)) (+ 1 b)) 0.5]]
[for [x [0.5 -1 2]] [observe (normal (/ a x) 1) x]]
[for [row [[1 0 2] [0.5 1 1] [3 2 1]]] [observe (normal (dot row [a b 1]) 1) (first row)]]
[for [p [0 1 2]] [observe (normal (nth [a b 1.5] p) 1) 0.3]]
[for [t [true false true]] [observe (flip (if (= k t) 0.2 0.7)) t]]
[for [n [3 4]] [assume c (* a n)] [observe (poisson (exp (* 0.1 c))) n]]
[predict a]
"""


def written(program: Specialised) -> list[Any]:
    """All that is written for a program, by CPython."""
    found: list[Any] = []
    for options in ((False, False), (True, True)):
        try:
            joint = Joint(program, Interpreted, *options)
            tables = [joint.whole, joint.real, joint.arrays, *joint.places]
            found.append((joint.text, [table.tolist() for table in tables], joint.forms.messages))
        except Unsupported as reason:
            found.append(str(reason))
    for mode in (Mode(), Mode(kept=True, rescored=True)):
        try:
            code = Code(program, mode, None, Interpreted)
            rows = {name: np.asarray(table).tolist() for name, table in code.tables.items()}
            found.append((code.text, rows, code.forward.messages, code.replays.messages))
        except Unsupported as reason:
            found.append(str(reason))
    return found


def assert_written_alike(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    with np.errstate(all="ignore"):
        program = specialised(traced(plan))
        once = written(program)
        for module in ("joint", "sweep_code"):
            monkeypatch.setattr(f"pplc_runtime.native.{module}.pattern", lambda *_: None)
        assert written(program) == once


@pytest.mark.parametrize("name", share(STATIC, 3))
def test_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_written_alike(load(PROGRAMS / f"{name}.clj").program.plan({}), monkeypatch)


def test_numbers_and_branches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros, whole numbers, truths, vectors, places in them, and tests of what a loop runs over."""
    assert_written_alike(compile_text(ODD).program.plan({}), monkeypatch)


@pytest.mark.parametrize("seed", share(range(40), 10))
def test_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        assert_written_alike(compile_text(fixed.program(seed)).program.plan({}), monkeypatch)
    except (NoFixedCourse, ModelError) as reason:
        pytest.skip(str(reason))


def test_rows_of_a_regression_are_alike() -> None:
    model = compile_text("""
        [assume a (sample (normal 0 1))] [assume s (sample (gamma 2 2))]
        [for [[x y] [[1 2] [2 2.5] [3.5 4]]] [observe (normal (* a x) s) y]]""")
    with np.errstate(all="ignore"):
        program = specialised(traced(model.program.plan({})))
    keys = [found and found.key for segment in program.segments[1:] if (found := pattern(segment.forward, ()))]
    assert len(keys) == 2 and keys[0] == keys[1]
