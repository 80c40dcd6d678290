"""Files that include others: statements in their places, errors in the file that they are in, and what is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import pplc
from pplc.cli import main
from pplc.diagnostics import CompileError
from pplc_runtime.values import ModelError


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "main.clj"


FILES = {
    "main.clj": '; main\n[assume x 1]\n[include "lib/a.clj"]\n[predict "main" (+ x (twice y))]\n(include "lib/a.clj")',
    "lib/a.clj": '; a\n(include "b.clj")\n[assume y (twice x)]\n[predict "a" y]\n',
    "lib/b.clj": "(defn twice [n]\n  (* 2 n))",
}


@pytest.mark.parametrize("engine", ["lanes", "reference"])
def test_statements_stand_where_they_are_included(tmp_path: Path, engine: str) -> None:
    posterior = pplc.load(write(tmp_path, FILES)).infer("importance", engine=engine, particles=2, sweeps=1, seed=1)
    assert posterior.labels == ("a", "main") or list(posterior.labels) == ["a", "main"]
    assert [float(posterior.mean(label)) for label in ("a", "main")] == [2.0, 5.0]


def message(files: dict[str, str], folder: Path) -> str:
    model = write(folder, files)
    try:
        pplc.load(model).infer("importance", particles=2, sweeps=1, seed=1)
    except (CompileError, ModelError) as error:
        return str(error).replace(str(folder) + os.sep, "")
    raise AssertionError("no error")


LONG = {"lib/b.clj": '(defn twice [n]\n  (* 2 n))\n[assume z (twice "t")]'}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (LONG, "lib/b.clj:2:3: error: '*' takes numbers, not \"t\"\n  2 |   (* 2 n))\n    |   ^^^^^^^\n"
         "  called from lib/b.clj:3:11"),
        ({"lib/b.clj": "\n(defn twice [n] (nomral n))"},
         "lib/b.clj:2:18: error: unknown name 'nomral'; did you mean 'normal'?\n"
         "  2 | (defn twice [n] (nomral n))\n    |                  ^^^^^^"),
        ({"lib/b.clj": "(defn twice [n] (* 2 n)"},
         "lib/b.clj:1:1: error: '(' is never closed\n  1 | (defn twice [n] (* 2 n)\n    | ^"),
        ({"lib/b.clj": '(include "a.clj")'},
         "lib/b.clj:1:1: error: this file includes itself, by way of others or not\n  1 | (include \"a.clj\")\n"
         "    | ^^^^^^^^^^^^^^^^^"),
        ({"main.clj": '[include "main.clj"]'},
         "main.clj:1:1: error: this file includes itself, by way of others or not\n  1 | [include \"main.clj\"]\n"
         "    | ^^^^^^^^^^^^^^^^^^^^"),
        ({"lib/a.clj": '[include "c.clj"]'},
         "lib/a.clj:1:10: error: lib/c.clj: no such file or directory\n  1 | [include \"c.clj\"]\n"
         "    |          ^^^^^^^"),
        ({"main.clj": "[include 1]"},
         "main.clj:1:1: error: expected [include \"file.clj\"]\n  1 | [include 1]\n    | ^^^^^^^^^^^"),
        ({"main.clj": '[for [i [1]] [include "lib/b.clj"]]'},
         "main.clj:1:14: error: include stands at the top level of a file, under no other form\n"
         "  1 | [for [i [1]] [include \"lib/b.clj\"]]\n    |              ^^^^^^^^^^^^^^^^^^^^^"),
        ({"lib/a.clj": '(include "b.clj")\n[assume y (twice x)]\n[input x]'},
         "lib/a.clj:3:8: error: 'x' is defined twice; the first time is in line 2\n  3 | [input x]\n    |        ^"),
    ],
)  # fmt: skip
def test_errors_are_in_the_file_that_they_are_in(files: dict[str, str], expected: str, tmp_path: Path) -> None:
    assert message({**FILES, **files}, tmp_path) == expected


DOWNWARDS = "a path goes from the file that includes it, downwards: no .. and no / in front"


@pytest.mark.parametrize(
    "path", ["../secret.clj", "/etc/passwd", "lib/../../secret.clj", "C:/x.clj", "..\\\\secret.clj"]
)
def test_nothing_outside_of_the_folder(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret.clj").write_text("[predict 1]")
    assert f"error: {DOWNWARDS}" in message({"main.clj": f'[include "{path}"]'}, tmp_path / "model")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_no_link_leads_outside(tmp_path: Path) -> None:
    (tmp_path / "secret.clj").write_text("[predict 1]")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "link.clj").symlink_to(tmp_path / "secret.clj")
    found = message({"main.clj": '[include "link.clj"]'}, tmp_path / "model")
    assert "only what is in the folder of the model, or below it, can be included" in found


def test_a_text_in_no_file_includes_nothing() -> None:
    with pytest.raises(CompileError, match="a text that is in no file cannot include one"):
        pplc.compile_text('[include "a.clj"]')


def test_check_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = write(tmp_path, {**FILES, "lib/b.clj": "(defn twice [n]\n  (let [u 1] (* 2 n)))"})
    assert main(["check", str(model)]) == 0
    assert f"{tmp_path / 'lib' / 'b.clj'}:2:9: warning: 'u' is never used" in capsys.readouterr().err


def test_a_change_in_an_included_file_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pplc.importer import compiled_text
    from pplc.include import gathered
    from pplc.source import Source

    model = write(tmp_path, FILES)

    def python() -> str:
        return compiled_text(model, gathered(Source(str(model), model.read_text(), str(tmp_path))))

    before = python()
    assert python() == before
    write(tmp_path, {"lib/b.clj": "(defn twice [n]\n  (* 3 n))"})
    assert python() != before
