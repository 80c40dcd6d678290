"""A model is data: nothing in a program, its data, labels or names of files runs, opens files, or reaches Python."""

from __future__ import annotations

import io
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pplc.cli import main
from pplc.diagnostics import CompileError
from pplc.model import compile_text

HOSTILE = [
    '"""', "'' '", "\n[predict 1]", '");open("pwned","w");("', "{0.__class__.__mro__}", "%(x)s %n %s", "\\", "a\r\nb",
    "</script><img src=x onerror=alert(1)>", "\u2028\u2029", "\u202eabc", "\\x41\\N{DIGIT ONE}", "&lt;&amp;<b>", "",
    "$(touch pwned)`touch pwned`", "=cmd|' /C calc'!A0", "__import__('os')", "#{x} ${x}", "é漢字🙂",
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Whatever is run must leave the folder as it is."""
    monkeypatch.chdir(tmp_path)
    yield
    assert not (tmp_path / "pwned").exists()


def quoted(text: str) -> str:
    """A text as the language writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@pytest.mark.parametrize("text", HOSTILE)
def test_labels_and_strings(text: str, tmp_path: Path) -> None:
    """They come out as they went in: in draws, files and Python; and the report shows them as text."""
    program = f'[assume x (sample (categorical [[{quoted(text)} 0.5] ["other" 0.5]]))] [predict {quoted(text)} x]'
    model = compile_text(program)
    posterior = model.infer("lmh", sweeps=12, seed=1)
    assert list(posterior.labels) == [text]
    assert {str(value) for value in posterior.values(text)[0]} <= {text, "other"}
    posterior.save(tmp_path / "draws.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "draws.jsonl").read_text("ascii").splitlines()]
    assert lines[0]["predict"].keys() == {text}
    posterior.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<img" not in page and "alert(1)</script>" not in page and "</script><" not in page
    str(posterior.summary())


def test_control_characters_are_refused() -> None:
    with pytest.raises(CompileError, match="unexpected character"):
        compile_text('[predict "\x1b[31m" 1]')


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_files(name: str) -> None:
    """The generated module has the name of its source in it, as text only."""
    model = compile_text("[assume x (sample (normal 0 1))] [predict (+ x 1)]", name or "<text>")
    assert len(model.infer("lmh", sweeps=3, seed=1).sweeps) == 3
    with pytest.raises(Exception) as found:
        compile_text("[assume x (sample (normal 0 1))] [predict (first x)]", name or "<text>").infer("lmh", sweeps=3)
    assert "'first'" in str(found.value)


@pytest.mark.parametrize("name", [
    "__class__", "__builtins__", "__import__", "x.__class__", "(.__class__ 1)", "(. 1 __class__)", "(.-x 1)", "open",
    "(eval '(+ 1 2))", "(read-string \"1\")", "(slurp \"/etc/passwd\")", "(getattr 1 \"real\")", "here", "self",
    "sample.__globals__", "(new File)", "(System/exit 0)", "(python \"1\")", "PROGRAM", "_STEPS", "at", "exec",
])  # fmt: skip
def test_python_has_no_names_here(name: str) -> None:
    with pytest.raises(CompileError):
        compile_text(f"[predict {name}]")


def test_keys_are_no_attributes() -> None:
    text = '[predict [(get {} :__class__) (get {} "__class__") (:__dict__ {:a 1}) (get [1 2] 5)]]'
    posterior = compile_text(text).infer("importance", particles=1, sweeps=1)
    (value,) = posterior.values('[(get {} :__class__) (get {} "__class__") (:__dict__ {:a 1}) (get [1 2] 5)]')[0]
    assert list(value) == [None] * 4


class Runs:
    """What runs a command where it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch pwned",)


MODEL = "[input y] [assume x (sample (normal 0 1))] [predict y]"


def test_files_of_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is unpickled, whatever the file calls itself; formulas of spreadsheets are text."""
    model = tmp_path / "m.clj"
    model.write_text(MODEL, encoding="utf-8")
    objects = io.BytesIO()
    np.savez(objects, y=np.array([Runs()], object))
    plain = pickle.dumps(Runs())
    for name, content in (("a.npz", objects.getvalue()), ("b.npz", plain), ("c.json", plain), ("d.csv", plain),
                          ("e.npz", b"PK\x03\x04" + plain)):  # fmt: skip
        (tmp_path / name).write_bytes(content)
        assert main(["infer", str(model), "--data", str(tmp_path / name), "--quiet"]) in (1, 2)
        assert "Traceback" not in capsys.readouterr().err
    (tmp_path / "f.csv").write_text("y\n=1+1\n@SUM(A1)\n", encoding="utf-8")
    run = ["infer", str(model), "--data", str(tmp_path / "f.csv"), "--quiet", "--particles", "1", "--sweeps", "1"]
    assert main([*run, "--out", "-"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["predict"]["y"] == ["=1+1", "@SUM(A1)"]


def test_files_that_are_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Draws and journals that are pickles, or speak of Python, are refused."""
    model = tmp_path / "m.clj"
    model.write_text(MODEL.replace("[input y] ", "").replace("y", "x"), encoding="utf-8")
    for name in ("d.jsonl", "d.csv"):
        (tmp_path / name).write_bytes(pickle.dumps(Runs()))
        assert main(["summary", str(tmp_path / name)]) in (1, 2)
    (tmp_path / "j").write_bytes(pickle.dumps(Runs()))
    assert main(["infer", str(model), "--method", "pgas", "--resume", str(tmp_path / "j")]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_includes_stay_in_their_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    secret = tmp_path / "secret.clj"
    secret.write_text("[predict 42]", encoding="utf-8")
    (folder / "link.clj").symlink_to(secret)
    outside = ("../secret.clj", "a/../../secret.clj", "..\\\\secret.clj", "/dev/stdin", "file:///etc/passwd")
    for target in (*outside, str(secret), "link.clj"):
        (folder / "m.clj").write_text(f'[include "{target}"] [predict 1]', encoding="utf-8")
        assert main(["check", str(folder / "m.clj")]) == 1, target
        assert "42" not in capsys.readouterr().err
