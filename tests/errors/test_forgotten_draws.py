"""A distribution in the place of a value: every engine asks whether a draw was meant, and where."""

from __future__ import annotations

from typing import Any, Final

import pytest

import pplc
from pplc_runtime.values import ModelError

from .forgotten_draws import FINE, FORGOTTEN
from .test_errors import described
from .wrong_programs import Wrong

RUNS: Final[dict[str, dict[str, Any]]] = {
    "lanes": {"method": "importance", "particles": 3, "sweeps": 1},
    "one particle": {"method": "importance", "particles": 1, "sweeps": 1},
    "scripts": {"method": "pgas", "particles": 2, "sweeps": 12},
    "reference": {"method": "importance", "particles": 2, "sweeps": 1, "engine": "reference"},
}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("wrong", FORGOTTEN, ids=[text for text, *_ in FORGOTTEN])
def test_a_forgotten_draw(wrong: Wrong, run: str) -> None:
    text, *expected = wrong
    with pytest.raises(ModelError) as caught:
        pplc.compile_text(text, "m.clj").infer(seed=1, **RUNS[run])
    assert described(caught.value) == tuple(expected)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("text", FINE)
def test_a_distribution_as_such(text: str, run: str) -> None:
    pplc.compile_text(text, "m.clj").infer(seed=1, **RUNS[run])


LANES: Final = "[assume x (sample (normal 0 1))]\n"
"""With seed 3 the draws are -0.52 and 0.89."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[predict (sample (normal [x :a] 1))]", "normal: mean must be a finite number, not [-0.522659177472486 :a]"),
        ("[predict (sample (normal 0 (- x)))]", "normal: sd must be a positive number, not -0.8933005094780501"),
        ("[predict (sample (normal (> x 0) 1))]", "normal: mean must be a finite number, not false"),
        ("[predict (sample (crp [x 1]))]",
         "crp: alpha must be a positive finite number, not [-0.522659177472486 1.0]"),
        ("[predict (first x)]", "'first' takes a list or vector, not -0.522659177472486"),
        ("[predict (sqrt (list x :a))]", "'sqrt' takes numbers, not (-0.522659177472486 :a)"),
        ("[predict (x 1)]", "-0.522659177472486 is not a procedure and cannot be called"),
        ("[predict ((list x) 1)]", "(-0.522659177472486) is not a procedure and cannot be called"),
        ("[predict (mem [x 1])]", "mem takes a procedure, not [-0.522659177472486 1.0]"),
        ("[observe x 3]", "observe takes a distribution or a process, not -0.522659177472486"),
        ("[predict (sample [x 2])]", "sample takes a distribution or a process, not [-0.522659177472486 2.0]"),
        ("[observe (flip 0.5) [x 2]]", "flip: a value of it is true or false, not [-0.522659177472486 2.0]"),
        ("[observe (flip 0.5) (list x :a)]", "flip: a value of it is true or false, not (-0.522659177472486 :a)"),
        ("[observe (dirac 3) x]",
         "all weights are zero: in no particle is its value possible here; that of the first is -0.522659177472486"),
        ("[predict (sample (dp 1.0 (list x :a)))]",
         "dp: the base must be a distribution or a procedure, not (-0.522659177472486 :a)"),
        ("[predict (sample ((gp (fn [t] 0) (fn [s t] (list x))) 1))]",
         "gp: the kernel must give a number, not (-0.522659177472486)"),
        ("[predict (sample ((gp (fn [t] 0) (fn [s t] (- x))) x))]",
         "gp: the kernel of 0.8933005094780501 with itself must be positive"),
        ("[predict (range 0 (* 1e18 x) 1)]",
         "'range' from 0 to 8.9330050947805e+17 by 1 is too long"),
        ("[assume b (> x 0)]\n[predict (abs (if b x (str x)))]", "'abs' takes numbers, not \"-0.522659177472486\""),
    ],
)  # fmt: skip
def test_one_particle_is_shown(text: str, message: str) -> None:
    """The one that is wrong, where only some are."""
    with pytest.raises(ModelError) as caught:
        pplc.compile_text(LANES + text, "m.clj").infer("importance", particles=2, sweeps=1, seed=3)
    assert described(caught.value)[2] == message
