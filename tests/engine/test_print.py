"""print: what it writes, for whom, how much, and that it changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

import pplc
from pplc_runtime.primitives import printing

TEXT = """
[assume x (sample (uniform-discrete 0 3))]
[assume y (do (print "x" x) (print :shared [1 2]) (* 2 x))]
[observe (flip 0.5) true]
[observe (flip (if (< (print "late" y) 3) 0.9 0.1)) true]
[predict y]
"""
QUIET = TEXT.replace('(print "x" x) (print :shared [1 2])', "").replace('(print "late" y)', "y")


def lines(
    capsys: pytest.CaptureFixture[str], method: str, engine: str = "lanes", text: str = TEXT, **settings: Any
) -> list[str]:
    capsys.readouterr()
    pplc.compile_text(text).infer(method, engine=engine, seed=1, **settings)
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("engine", ["lanes", "reference"])
@pytest.mark.parametrize("method", ["importance", "smc", "pgas", "icsmc"])
def test_every_particle_is_shown(engine: str, method: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, method, engine, particles=3, sweeps=2)
    for sweep in (1, 2):
        for particle in (1, 2, 3):
            mark = f"print: sweep {sweep}, particle {particle}: "
            late = [line for line in found if line.startswith(mark + "late")]
            assert len(late) == 1, found  # a suffix that is scored again is not shown again
    assert sum("shared" in line and "sweep" in line for line in found) == (2 if engine == "lanes" else 6)


def test_values_are_those_of_the_particle(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "importance", particles=4, sweeps=1)
    first = {line.split(": ")[1]: int(line.rsplit(" ", 1)[1]) for line in found if ": x " in line}
    late = {line.split(": ")[1]: int(line.rsplit(" ", 1)[1]) for line in found if ": late " in line}
    assert len(first) == 4 and late == {who: 2 * x for who, x in first.items()}


def test_in_a_branch_those_are_shown_that_take_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = '[assume x (sample (uniform-discrete 0 3))]\n[assume y (print x)]\n[assume z (if (= x 1) (print "one" x) 0)]'
    found = lines(capsys, "importance", text=text + "\n[predict z]", particles=8, sweeps=1)
    ones = [line.split(": ")[1] for line in found if line.endswith(": 1")]
    assert ones and [line.split(": ")[1] for line in found if "one" in line] == ones


def test_it_has_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "importance", particles=50, sweeps=1)
    assert "print: sweep 1, 40 more particles: ..." in found
    found = lines(capsys, "smc", particles=10, sweeps=100)
    assert len(found) == printing.MOST_LINES + 1
    assert found[-1] == "print: 1000 lines are printed; the rest is not"
    long = lines(capsys, "smc", text="[predict (print (vec (range 10000)))]", particles=1, sweeps=1)
    assert len(long[0]) < 1100


@pytest.mark.parametrize("method", ["smc", "pgas", "icsmc"])
def test_it_changes_nothing(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same draws from the same seed, though a program that prints has no scripts."""
    runs = [pplc.compile_text(text).infer(method, particles=4, sweeps=20, seed=5) for text in (TEXT, QUIET)]
    assert runs[0].mean("y") == pytest.approx(runs[1].mean("y"), rel=1e-12)


def test_constants_are_shown_before_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    found = lines(capsys, "smc", text='[assume c (print "c" (+ 1 2))]\n[predict c]', particles=5, sweeps=3)
    assert found == ["print: before the run, particle 1: c 3"]
