"""What is missing in an input is found before the run, wherever it is given and however deep it is."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import pplc
from pplc.cli import USAGE, main

NAN: Final = math.nan
ADVICE: Final = "; leave out what is missing, or let the model ask for it with missing?"
MODEL: Final = """[input y]
[assume mu (sample (normal 0 1))]
[for [v y] [observe (normal mu 1) v]]
[predict mu]
"""

PLACES: Final[tuple[tuple[Any, str], ...]] = (
    ([NAN, 1.0], "has NaN at row 1 (counted from 1)"),
    ([1, 2, NAN, NAN], "has NaN at row 3 (counted from 1)"),
    ([[1.0, 2.0], [3.0, NAN]], "has NaN at row 2, column 2 (counted from 1)"),
    ([[1.0, 2.0], [NAN]], "has NaN at row 2, column 1 (counted from 1)"),
    ([1.0, "a", NAN, None], "has NaN at row 3 (counted from 1)"),
    ([1.0, None, "a", NAN], "has nil at row 2 (counted from 1)"),
    ([{"x": 1, "y": 2}, {"x": 1, "y": None}], 'has nil at row 2, column "y" (counted from 1)'),
    ({"a": None}, 'has nil at "a"'),
    ([[[1.0, NAN]]], "has NaN at row 1, column 1, element 2 (counted from 1)"),
    ({"a": 1, "b": [1.0, NAN]}, 'has NaN at "b", row 2 (counted from 1)'),
    ([{"a": [[NAN]]}], 'has NaN at row 1, "a", column 1, element 1 (counted from 1)'),
    (NAN, "is NaN"),
)


@pytest.mark.parametrize(("value", "where"), PLACES)
@pytest.mark.parametrize("engine", ["lanes", "reference"])
def test_from_python(value: Any, where: str, engine: str) -> None:
    with pytest.raises(ValueError, match=r"has|is NaN") as caught:
        pplc.compile_text(MODEL).infer("importance", particles=2, sweeps=1, data={"y": value}, engine=engine)
    assert str(caught.value) == f"data: the input 'y' {where}{ADVICE}"


@pytest.mark.parametrize(
    "value", [np.array([1.0, NAN]), np.array([1, NAN], np.float32), [np.float64(1), np.float32(NAN)]]
)
def test_from_numpy(value: Any) -> None:
    with pytest.raises(ValueError, match="the input 'y' has NaN at row 2 \\(counted from 1\\);"):
        pplc.compile_text(MODEL).infer("importance", particles=2, sweeps=1, data={"y": value})


def test_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, data = tmp_path / "m.clj", tmp_path / "d.json"
    model.write_text(MODEL)
    data.write_text('{"y": [0.5, NaN]}')
    assert main(["infer", str(model), "--data", str(data)]) == USAGE
    assert (
        capsys.readouterr().err
        == f"pplc infer: error: {data}: the input 'y' has NaN at row 2 (counted from 1){ADVICE}\n"
    )
    assert main(["infer", str(model), "--set", "y=[[1, 2], [NaN, 3]]"]) == USAGE
    assert (
        capsys.readouterr().err
        == f"pplc infer: error: --set: the input 'y' has NaN at row 2, column 1 (counted from 1){ADVICE}\n"
    )


@pytest.mark.parametrize("asks", ["missing?", "nil?"])
@pytest.mark.parametrize("gap", [None, NAN])
def test_what_is_missing_is_nil_for_a_model_that_asks(asks: str, gap: Any) -> None:
    """An observe that is certain adds nothing to the evidence, and the others count as without it."""
    text = MODEL.replace("[observe (normal mu 1) v]", f"[observe (if ({asks} v) (dirac nil) (normal mu 1)) v]")
    with_gap, without = (
        pplc.compile_text(text).infer("importance", particles=50, sweeps=1, seed=1, data={"y": y})
        for y in ([0.5, gap], [0.5])
    )
    assert with_gap.log_evidence == without.log_evidence
