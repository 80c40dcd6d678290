"""Formulas agree to the last bit with the operations that they stand for, over lanes and alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pplc
from pplc_runtime.lanes.frames import Frame, run_in
from pplc_runtime.lanes.varying import Lane
from pplc_runtime.program.formulas import FUNCTIONS
from pplc_runtime.values import ModelError

UNARY = st.sampled_from([*FUNCTIONS, "-", "/", "+"])
BINARY = st.sampled_from(["+", "-", "*", "/"])
LEAVES = st.sampled_from(["a", "b", "c", "2", "0", "0.0", "-1.5", "3", "1e200", "(first l)"])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(UNARY, inner).map(lambda t: f"({t[0]} {t[1]})"),
        st.tuples(BINARY, inner, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(BINARY, inner, inner, inner).map(lambda t: f"({t[0]} {t[1]} {t[2]} {t[3]})"),
    ),
    max_leaves=12,
)
FRAME = Frame.first(3)
VALUES = st.sampled_from(
    [
        1.5, -2, 0, 0.0, True, 10**400,
        Lane(np.array([1.0, -0.5, 0.0]), FRAME),
        Lane(np.array([2, 0, 5]), FRAME),
        Lane(np.array([True, False, True]), FRAME),
        Lane(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), FRAME),
        np.array([1.0, 2.0]),
    ]
)  # fmt: skip


def _functions(expression: str) -> tuple[Any, Any]:
    """A formula and its careful form."""
    text = f"[assume f (lambda (a b c l) (list {expression} (sample (flip 0.5))))] [predict (f 1 2 3 '(1))]"
    module: dict[str, Any] = {"__name__": "formulas", "__file__": "formulas"}
    source = pplc.compile_text(text, "formulas").text
    exec(source, module)
    name = next((name for name in module if name.startswith("formula_")), None)
    if name is None:
        return None, None
    careful = source[source.index(f"def {name}(") :].split("\n\n")[0].replace(f"def {name}(", "def careful(")
    exec(careful, module)
    return module[name], module["careful"]


def _outcome(function: Any, arguments: tuple[Any, ...]) -> Any:
    run_in(FRAME)
    with np.errstate(all="ignore"):
        try:
            value = function(*arguments)
        except ModelError as error:
            return str(error)
    if type(value) is Lane:
        return "lane", value.data.dtype, value.data.tobytes()
    return type(value), value.tobytes() if type(value) is np.ndarray else repr(value)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS, st.data())
def test_as_careful(expression: str, data: st.DataObject) -> None:
    formula, careful = _functions(expression)
    if formula is None:
        return
    arguments = tuple(data.draw(VALUES) for _ in range(careful.__code__.co_argcount))
    assert _outcome(formula, arguments) == _outcome(careful, arguments)


@pytest.mark.parametrize("text, value", [("(sqrt 10.0)", "3.16227"), ("(/ 6 3)", "2"), ("(* 2 (/ pi 4))", "1.5707")])
def test_constants_are_folded(text: str, value: str) -> None:
    module = pplc.compile_text(f"[assume x (sample (normal 0 {text}))] [predict x]", "folded").text
    assert f"normal(0, {value}" in module


@pytest.mark.parametrize("text", ["(/ 1 0)", "(+ 1 (/ 2 (- 3 3)))"])
def test_errors_of_constants_are_told_by_the_run(text: str) -> None:
    model = pplc.compile_text(f"[assume x (sample (normal {text} 1))] [predict x]", "failing")
    with pytest.raises(ModelError, match="division by zero"):
        model.infer("importance", particles=2, sweeps=1, seed=1)


def test_an_error_has_the_place_of_its_operation() -> None:
    text = "[assume n (sample (poisson 0.0))]\n[assume x (+ 1.0 (* 2.0 (/ 1 n)))]\n[predict x]"
    with pytest.raises(ModelError) as caught:
        pplc.compile_text(text, "model.clj").infer("importance", particles=3, sweeps=1, seed=1)
    assert str(caught.value.rendered).startswith("model.clj:2:25: error: division by zero")
    assert "called from" not in str(caught.value.rendered)
