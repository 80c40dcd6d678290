"""pplc repl: statements are added, expressions are inferred, errors are told as everywhere."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from pplc.cli import main
from pplc.session import COMMANDS, Session


def said(*lines: str) -> list[str]:
    session = Session()
    session.settings = {"seed": 1, "particles": 500, "sweeps": 2}
    return [session.answer(line) for line in lines]


def test_expressions_and_statements() -> None:
    answers = said("(+ 1 2)", "[assume x (sample (normal 0 1))]", "[observe (normal x 1) 2]", "x", '"a"', "[1 2] nil")
    assert answers[:3] == ["3", "", ""]
    assert answers[3].startswith("predict") and "importance: 2 sweeps of 500 particles, seed 1" in answers[3]
    assert answers[4] == '"a"' and answers[5] == "[1, 2]\nnil"


def test_a_statement_that_is_wrong_is_not_added() -> None:
    wrong, listed, unknown, ran = said("[assume x (nomral 0 1)]", ":list", "y", "(nth [1] 5)")
    assert wrong.startswith("<repl>:1:12: error: unknown name 'nomral'; did you mean 'normal'?") and "^^^^^^" in wrong
    assert listed == ""
    assert "unknown name 'y'" in unknown and "Traceback" not in ran and "error" in ran


def test_a_procedure_and_a_predict() -> None:
    answers = said("(defn twice [x] (* 2 x))", "(twice 4)", "[predict (twice 1)]", "(twice 5)", ":list")
    assert answers == ["", "8", "", "10", "(defn twice [x] (* 2 x))\n[predict (twice 1)]"]


def test_commands(tmp_path: Path) -> None:
    path = tmp_path / "m.clj"
    answers = said(
        "[assume a 1]", "[assume b 2]", ":undo", f":save {path}", ":clear", ":list", f":load {path}", ":list",
        ":method smc", ":ess-threshold 0.5", ":settings", ":methd smc", ":particles many", ":load none.clj",
        ":undo", ":undo", ":help",
    )  # fmt: skip
    assert answers[2] == "without [assume b 2]" and path.read_text() == "[assume a 1]\n"
    assert answers[5:8] == ["", "1 statements", "[assume a 1]"]
    assert answers[10] == "method smc, seed 1, particles 500, sweeps 2, ess_threshold 0.5"
    assert answers[11] == "error: no ':methd'; did you mean 'method'?"
    assert answers[12].startswith("error: :particles: must be a whole number") and "none.clj" in answers[13]
    assert answers[15] == "there is no statement" and ":quit" in answers[16]


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("(f", True),
        ("(f)", False),
        ('"a', True),
        ('(f "a(")', False),
        ("; (", False),
        ("[a (b", True),
        (":load (", False),
    ],
)
def test_what_goes_on_in_the_next_line(text: str, is_open: bool) -> None:
    assert Session().is_open(text) == is_open


def test_through_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("[assume x\n  3]\n\n(* x\n\n 2)\n:quit\n(never)\n"))
    assert main(["repl"]) == 0
    assert capsys.readouterr().out == "6\n"


def test_it_begins_with_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.clj").write_text("[assume x 3]\n")
    command = [sys.executable, "-m", "pplc", "repl", str(tmp_path / "m.clj")]
    ran = subprocess.run(command, input="(+ x 1)\n", capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("4\n", 0)
    assert main(["repl", str(tmp_path / "none.clj")]) == 2
    assert "No such file or directory" in capsys.readouterr().err


def test_methods_are_composed_and_settings_are_named_in_errors() -> None:
    session = Session()
    assert session.answer(":method pgas + lmh*2") == "" and "pgas + lmh*2" in session.answer(":settings")
    assert "method" in session.answer(":method pgsa") or "pgas" in session.answer(":method pgsa")
    assert session.answer(":particles ten").startswith("error: :particles: must be a whole number")


def test_words_are_completed() -> None:
    session = Session()
    session.answer("[assume my-value (let [hidden 1] hidden)]")
    found = session.words()
    assert {"my-value", "normal", "assume", ":list", ":method", ":burn-in"} <= set(found) and "hidden" not in found


def test_commands_are_all_there() -> None:
    session = Session()
    for command in COMMANDS:
        if command not in ("load", "save", "quit"):
            assert not session.answer(f":{command}").startswith("error"), command
