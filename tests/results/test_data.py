"""Data as users have them: arrays, series, frames, records, CSV, NPZ."""

from __future__ import annotations

import datetime
import json
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import pplc
from pplc.cli import OK, USAGE, main
from pplc_runtime.results.inputs import inputs_of
from pplc_runtime.results.json_values import from_python
from pplc_runtime.values import Map, ModelError, Symbol

SUM: Final = """[input x [0]] [input y [0]]
[assume mu (sample (normal 0 1))]
[for [v y] [observe (normal mu 1) v]]
[predict "x" x] [predict "y" y]
"""
RECORDS: Final = """[input rows]
[assume mu (sample (normal 0 1))]
[for [row rows] [observe (normal (* mu (:x row)) 1) (:y row)]]
[predict "ys" (map :y rows)] [predict "x" (get (first rows) "x")] [predict "none" (:z (first rows) 7)]
"""
ROWS: Final = [{"x": 1, "y": 2.5}, {"x": 2, "y": 0.5}]
Captured = pytest.CaptureFixture[str]


def predicted(text: str, data: Any, label: str) -> Any:
    value = pplc.compile_text(text).infer("importance", particles=2, sweeps=1, seed=1, data=data).values(label)[0][0]
    return value.tolist() if isinstance(value, np.ndarray) else value.item() if isinstance(value, np.generic) else value


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.array([1, 2], np.uint8), [1, 2]),
        (np.array([1.5, 2], np.float32), [1.5, 2.0]),
        (np.array([True, False]), (True, False)),
        (np.array(["a", "b"]), ("a", "b")),
        (np.array([2**64 - 1, 1], np.uint64), (2**64 - 1, 1)),
        (np.ma.array([1.0, 2.0], mask=[False, True]), (1.0, None)),
        (np.array(3), 3),
        (range(3), [0, 1, 2]),
    ],
)
def test_arrays(value: Any, plain: Any) -> None:
    found = from_python(value)
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == plain


def test_a_structured_array_is_records() -> None:
    rows = from_python(np.array([(1, 2.5), (2, 0.5)], [("x", np.int64), ("y", np.float64)]))
    assert rows == tuple(Map.of(row.items()) for row in ROWS)


@pytest.mark.parametrize("engine", ["lanes", "reference"])
def test_records_have_keywords(engine: str) -> None:
    posterior = pplc.compile_text(RECORDS).infer(
        "importance", particles=2, sweeps=1, seed=1, data={"rows": ROWS}, engine=engine
    )
    assert list(posterior.values("ys")[0][0]) == [2.5, 0.5]
    assert posterior.values("x")[0][0] == 1 and posterior.values("none")[0][0] == 7


def test_a_keyword_of_the_map_itself_comes_first() -> None:
    both = Map.of([("y", 1), (Symbol(":y"), 2)])
    assert both.get(Symbol(":y")) == 2 and both.get("y") == 1 and Map.of([("y", 1)]).get(Symbol("y")) is None


def test_a_list_of_records_is_a_table() -> None:
    assert predicted(SUM, [{"y": 2.5, "other": "a"}, {"y": 0.5, "other": "b"}], "y") == [2.5, 0.5]


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1, 2], "y": [2.5, 0.5], "name": ["a", "b"]})
    assert predicted(SUM, frame, "y") == [2.5, 0.5] and predicted(SUM, frame, "x") == [1, 2]
    assert predicted(SUM, {"y": frame["y"]}, "y") == [2.5, 0.5]
    assert predicted(RECORDS, {"rows": frame}, "x") == 1
    assert from_python(pandas.Series(["a", "b"])) == ("a", "b")
    assert from_python(pandas.Series(["a", "b"], dtype="category")) == ("a", "b")
    assert from_python(pandas.Series([True, False])) == (True, False)
    assert from_python(pandas.Series([1, None], dtype="Int64")) == (1, None)
    assert from_python(pandas.Series([1, 2], dtype="Int64")).tolist() == [1, 2]
    with pytest.raises(ValueError, match="the input 'y' has NaN at row 2 \\(counted from 1\\);"):
        predicted(SUM, pandas.DataFrame({"y": [1.0, None]}), "y")
    with pytest.raises(ValueError, match="the input 'rows' has nil at row 2, column \"y\" \\(counted"):
        predicted(RECORDS, {"rows": pandas.DataFrame({"x": [1, 2], "y": pandas.array([1, None], "Int64")})}, "x")
    with pytest.raises(TypeError, match="the input 'y' has a value of the type Timestamp at row 1"):
        predicted(SUM, {"y": pandas.Series(pandas.to_datetime(["2020-01-01"]))}, "y")


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(ValueError, match="none of the columns a, b is an input; the inputs are x, y"):
        inputs_of([{"a": 1, "b": 2}], ("x", "y"), False)
    with pytest.raises(ValueError, match="the model has no input 'z'; its inputs are x, y"):
        inputs_of({"z": 1}, ("x", "y"), False)
    with pytest.raises(
        TypeError,
        match=r"must map the names of inputs to their values, as in \{'x': \.\.\.\}, or be a table or the path",
    ):
        inputs_of(3, ("x", "y"), False)
    with pytest.raises(
        TypeError, match="a value of the type date at row 2 \\(counted from 1\\), which the language does not have"
    ):
        inputs_of({"x": [1, datetime.date(2020, 1, 1)]}, ("x", "y"), False)
    with pytest.raises(TypeError, match="a value of the type complex"):
        inputs_of({"x": np.array([1j])}, ("x", "y"), False)


def test_a_table_that_lacks_a_column_is_told_with_those_that_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = '[input x] [input y] [input scale 1] [predict "y" y]'
    said = "there is no column for the input 'y'; the columns are x, z"
    with pytest.raises(ValueError, match=f"^data: {said}$"):
        predicted(text, [{"x": 1, "z": 2}], "y")
    table = tmp_path / "t.csv"
    table.write_text("x,z\n1,2\n")
    assert run(tmp_path, text, "--data", str(table)) == 2
    assert capsys.readouterr().err == f"pplc infer: error: {table}: {said}\n"
    assert run(tmp_path, text, "--data", str(table), "--set", "y=3") == 0 and drawn(tmp_path) == {"y": 3}


@pytest.mark.parametrize("engine", ["lanes", "reference"])
@pytest.mark.parametrize("over", ["x y", "y x", "x y x"])
def test_inputs_side_by_side_are_of_one_length(over: str, engine: str) -> None:
    model = pplc.compile_text(f"[input x [1 2 3]]\n[input y]\n[for [row (map vector {over})] [predict (first row)]]")
    run = partial(model.infer, "smc", particles=1, sweeps=1, engine=engine)
    assert len(run(data={"y": [4, 5, 6]}).labels) == 3
    with pytest.raises(ModelError, match=r"<text>:3:1: error: the input 'x' has 3 elements and 'y' has 2, and a for"):
        run(data={"y": [4, 5]})
    with pytest.raises(
        ModelError, match=r"the input 'y' has 4 elements and 'x' has 3, .* write \(take \(count x\) y\)"
    ):
        run(data={"y": [4, 5, 6, 7]})
    shorter = "[input x]\n[input y]\n[for [row (map vector x (rest y))] [predict (first row)]]"
    assert len(pplc.compile_text(shorter).infer("prior", particles=1, data={"x": [1, 2], "y": [1, 2]}).labels) == 1


def test_a_table_for_an_input_of_records_is_told_how(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[input rows] [predict "y" (:y (first rows))]'
    with pytest.raises(ValueError, match=r'the whole table is given to it by data=\{"rows": \.\.\.\}$'):
        predicted(text, [{"y": 1}], "y")
    table = tmp_path / "t.csv"
    table.write_text("y\n1\n")
    assert run(tmp_path, text, "--data", str(table)) == 2
    assert capsys.readouterr().err.endswith(f"; the whole table is given to it by --data rows={table}\n")
    assert run(tmp_path, text, "--data", f"rows={table}") == 0


def test_data_from_python_may_be_the_path_of_a_file(tmp_path: Path) -> None:
    table, values, arrays = tmp_path / "t.csv", tmp_path / "v.json", tmp_path / "a.npz"
    table.write_text("y,z\n1,2\n3,4\n")
    values.write_text('{"y": [1, 3]}')
    np.savez(arrays, y=np.array([1, 3]))
    for path in (table, values, arrays):
        for given in (path, str(path)):
            assert list(predicted(SUM, given, "y")) == [1, 3]
    assert predicted('[input rows] [predict "z" (:z (last rows))]', f"rows={table}", "z") == 4
    table.write_text("z\n1\n")
    for given, said in (
        (table, f"data: {table}: none of the columns z is an input"),
        (tmp_path / "none.csv", "data: cannot read .*none.csv: No such file"),
    ):
        with pytest.raises(ValueError, match=said):
            predicted(SUM, given, "y")


def test_missing_values_reach_a_model_that_asks() -> None:
    text = '[input y] [predict "y" y] [predict "gaps" (map missing? y)]'
    assert list(predicted(text, {"y": [[1.0, np.nan], [2.0, 3.0]]}, "y")[0]) == [1.0, None]
    assert list(predicted(text, {"y": [1.0, None, np.nan]}, "gaps")) == [False, True, True]
    without = '[input y] [predict "y" y]'
    with pytest.raises(ValueError, match="has nil at row 2"):
        predicted(without, {"y": [1.0, None]}, "y")


def run(tmp_path: Path, text: str, *options: str) -> int:
    model = tmp_path / "m.clj"
    model.write_text(text)
    fast = ("--method", "importance", "--particles", "2", "--sweeps", "1", "--seed", "1")
    return main(["infer", str(model), *fast, "--out", str(tmp_path / "out.jsonl"), "--quiet", *options])


def drawn(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["predict"]
    return found


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("d.csv", 'x,y,"a, b"\n1,2.5,t\n\n2,.5,"u ""v"""\n'),
        ("d.tsv", "x\ty\n1\t2.5\n2\t5e-1\n"),
        ("d.json", '[{"x": 1, "y": 2.5}, {"x": 2, "y": 0.5}]'),
        ("e.json", '{"x": [1, 2], "y": [2.5, 0.5]}'),
    ],
)
def test_tables_for_the_command(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert run(tmp_path, SUM, "--data", str(tmp_path / name)) == OK
    assert drawn(tmp_path) == {"x": [1, 2], "y": [2.5, 0.5]}
    if name != "e.json":
        assert run(tmp_path, RECORDS, "--data", f"rows={tmp_path / name}") == OK
        assert drawn(tmp_path) == {"ys": [2.5, 0.5], "x": 1, "none": 7}


def test_arrays_for_the_command(tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", x=np.array([1, 2]), y=np.array([2.5, 0.5]))
    assert run(tmp_path, SUM, "--data", str(tmp_path / "d.npz"), "--set", "x=[3]") == OK
    assert drawn(tmp_path) == {"x": [3], "y": [2.5, 0.5]}


def test_kinds_of_columns(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("x,y\ntrue,1\nFalse,2\n")
    assert run(tmp_path, SUM, "--data", str(tmp_path / "d.csv")) == OK and drawn(tmp_path)["x"] == [True, False]
    (tmp_path / "d.csv").write_text("x,y\n1_0,1\n2,2\n")
    assert run(tmp_path, SUM, "--data", str(tmp_path / "d.csv")) == OK and drawn(tmp_path)["x"] == ["1_0", "2"]
    (tmp_path / "d.csv").write_text("x,y\nNA,1\nNamibia,2\n")
    assert run(tmp_path, SUM, "--data", str(tmp_path / "d.csv")) == OK and drawn(tmp_path)["x"] == ["NA", "Namibia"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.csv", "x,y\n1,2\n3,\n", "d.csv: the input 'y' has nil at row 2 (counted from 1); leave out"),
        ("d.csv", "x,y\n1,2\n3,NA\n", "d.csv: the input 'y' has nil at row 2 (counted from 1); leave out"),
        ("d.csv", "x,y\n1,2\n3\n", "d.csv:3: 1 cells, where the first line has 2"),
        ("d.csv", "x,x\n1,2\n", "d.csv:1: there are two columns 'x'"),
        ("d.csv", "", "d.csv: it is empty; the first line has the names of the columns"),
        ("d.csv", "a,b\n1,2\n", "d.csv: none of the columns a, b is an input; the inputs are x, y"),
        ("d.json", '{"yy": [1]}', "d.json: the model has no input 'yy'; did you mean 'y'?"),
        ("d.json", "[1, 2]", "or a list of records"),
        ("d.npz", "PK", "d.npz: not an NPZ file of NumPy's"),
    ],
)
def test_what_is_wrong_with_a_file(name: str, content: str, message: str, tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / name).write_text(content)
    assert run(tmp_path, SUM, "--data", str(tmp_path / name)) == USAGE
    assert message in capsys.readouterr().err


def test_nothing_is_unpickled(tmp_path: Path, capsys: Captured) -> None:
    np.savez(tmp_path / "d.npz", y=np.array([{"a": 1}], object))
    assert run(tmp_path, SUM, "--data", str(tmp_path / "d.npz")) == USAGE
    assert "it has an array of Python objects" in capsys.readouterr().err


def test_an_unknown_name_is_told_as_from_python(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "d.json").write_text('{"yy": 1}')
    run(tmp_path, SUM, "--data", str(tmp_path / "d.json"))
    said = capsys.readouterr().err.strip().split(": ", 3)[-1]
    with pytest.raises(ValueError, match="yy") as caught:
        pplc.compile_text(SUM).infer("importance", data={"yy": 1})
    assert str(caught.value) == f"data: {said}"
