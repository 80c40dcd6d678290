"""The command itself, and the verbs that compile and check."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pplc.cli import HELP, VERBS, main

from .conftest import FakeModel

Captured = pytest.CaptureFixture[str]


def test_help_lists_every_verb(capsys: Captured) -> None:
    for arguments in (["--help"], ["-h"], ["help"]):
        assert main(arguments) == 0
        assert capsys.readouterr().out == HELP
    assert all(f"\n  {verb} " in HELP for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str, capsys: Captured) -> None:
    assert main([verb, "--help"]) == 0
    assert f"usage: pplc {verb}" in capsys.readouterr().out


def test_version(capsys: Captured) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("pplc 0.")


def test_no_verb_and_unknown_verbs(capsys: Captured) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == HELP
    assert main(["infre", "m.clj"]) == 2
    assert "unknown verb 'infre'; did you mean 'infer'?" in capsys.readouterr().err
    assert main(["--frobnicate"]) == 2
    assert "unknown option '--frobnicate'" in capsys.readouterr().err


HEAVY = {"numpy", "scipy", "tqdm", "sexpdata", "matplotlib", "pplc_runtime.exports", "pplc.pipeline"}
NOT_FOR_HELP = {*HEAVY, "re", "typing", "argparse", "dataclasses", "enum", "functools", "pathlib", "difflib", "inspect"}


def imported(code: str) -> set[str]:
    """What a fresh Python has imported after some code, beside what it has without."""

    def modules(code: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
        )
        return set(done.stdout.splitlines()[-1].split())

    return modules(code) - modules("")


@pytest.mark.parametrize(
    ("code", "not_wanted"),
    [
        ("from pplc.cli import main; main(['--help'])", NOT_FOR_HELP),
        ("import pplc", NOT_FOR_HELP),
        ("import pplc_runtime", NOT_FOR_HELP),
        ("from pplc.cli import main; main(['infer', '--help'])", HEAVY),
        ("from pplc.cli import main; main(['compile', '--help'])", HEAVY),
        ("from pplc.cli import main; main(['check', '--help'])", HEAVY),
    ],
)
def test_what_is_not_needed_is_not_imported(code: str, not_wanted: set[str]) -> None:
    assert imported(code) & not_wanted == set()


def test_the_command_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "pplc", "--help"], capture_output=True, text=True, check=True)
    assert run.stdout == HELP


def test_compile_to_standard_output_and_to_a_file(
    fake: FakeModel, model_file: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["compile", str(model_file)]) == 0
    module = capsysbinary.readouterr().out
    assert module == "# compiled: '[predict x]\\n' é\n".encode()
    target = model_file.with_name("out.py")
    assert main(["compile", str(model_file), "-o", str(target)]) == 0
    assert target.read_bytes() == module
    assert sorted(os.listdir(model_file.parent)) == ["model.clj", "out.py"]


def test_dump_after(fake: FakeModel, model_file: Path, capsys: Captured) -> None:
    assert main(["compile", str(model_file), "--dump-after", "expand"]) == 0
    assert capsys.readouterr().out == "after expand: [predict x]\n"
    assert main(["compile", str(model_file), "--dump-after", "expnad"]) == 2
    assert "no pass 'expnad'; did you mean 'expand'?" in capsys.readouterr().err


def test_compile_does_not_overwrite_the_model(fake: FakeModel, model_file: Path, capsys: Captured) -> None:
    assert main(["compile", str(model_file), "-o", str(model_file)]) == 2
    assert "is the model itself" in capsys.readouterr().err
    assert model_file.read_text() == "[predict x]\n"


def test_a_compile_error_is_shown_with_its_line(fake: FakeModel, model_file: Path, capsys: Captured) -> None:
    model_file.write_text("\n [error]\n")
    assert main(["compile", str(model_file)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"{model_file}:2:3: error: a planted error\n  2 |  [error]\n    |   ^^^^^\n"


def test_check_reports_all(fake: FakeModel, tmp_path: Path, capsys: Captured) -> None:
    good, warned, bad = tmp_path / "good.clj", tmp_path / "warned.clj", tmp_path / "bad.clj"
    good.write_text("x")
    warned.write_text("warning")
    bad.write_text("error warning")
    assert main(["check", str(good)]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["check", str(warned)]) == 0
    assert "warned.clj:1:1: warning: a planted warning" in capsys.readouterr().err
    assert main(["check", str(bad), str(warned), str(good)]) == 1
    assert capsys.readouterr().err.endswith("1 error, 2 warnings\n")
    assert main(["check", str(tmp_path / "none.clj"), str(bad)]) == 2
    error = capsys.readouterr().err
    assert "cannot read" in error and "a planted error" in error


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("repl", "lsp", "play")])
def test_files_that_are_no_models(fake: FakeModel, verb: str, tmp_path: Path, capsys: Captured) -> None:
    assert main([verb, str(tmp_path / "none.clj")]) == 2
    assert "none.clj: No such file or directory" in capsys.readouterr().err
    assert main([verb, str(tmp_path)]) == 2
    assert "Is a directory" in capsys.readouterr().err
    (tmp_path / "latin.clj").write_bytes(b"; all well\n; caf\xe9\n")
    assert main([verb, str(tmp_path / "latin.clj")]) == 2
    said = "the file must end in" if verb in ("summary", "plot") else "latin.clj:2:6: not UTF-8 text (byte 0xe9)"
    assert said in capsys.readouterr().err
    assert main([verb, "a\0b"]) == 2
    assert "not a file name" in capsys.readouterr().err
    assert main([verb]) == 2


def test_machine_code_to_be_read(tmp_path: Path, capsys: Captured) -> None:
    """What runs as machine code is said, and shown; what does not is said with its line."""
    static, typed, neither = (tmp_path / f"{name}.clj" for name in ("static", "typed", "neither"))
    static.write_text("[assume x (sample (normal 0 1))]\n[observe (normal x 1) 0.5]\n[predict x]\n")
    typed.write_text(
        "[assume x (if (sample (flip 0.5)) (sample (normal 0 1)) 2)]\n[observe (normal x 1) 0.5]\n[predict x]\n"
    )
    neither.write_text(
        "[assume d (conditional (lambda () (sample (flip 0.5))))]\n"
        "[assume x (if (sample d) (sample (normal 0 1)) 2)]\n[observe (normal x 1) 0.5]\n[predict x]\n"
    )
    assert main(["check", "--native", str(static), str(typed)]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("static.clj: machine code, static structure")
    assert "typed.clj: machine code, typed (executions differ:" in second
    assert main(["compile", str(static), "--dump-after", "native"]) == 0
    assert "def forward_0(s: Sweeps" in capsys.readouterr().out
    assert main(["compile", str(static), "--emit", "llvm"]) == 0
    assert "define i64 @sweep_block(ptr %s" in capsys.readouterr().out
    given = tmp_path / "given.clj"
    given.write_text("[input ys]\n[assume m (sample (normal 0 1))]\n[for [y ys] [observe (normal m 1) y]]\n")
    assert main(["check", "--native", str(given), "--set", "ys=[1, 2]"]) == 0
    assert "given.clj: machine code, static structure" in capsys.readouterr().out
    assert main(["check", "--native", str(given)]) == 0
    assert "the input 'ys' has no value" in capsys.readouterr().out
    assert main(["check", str(given), "--set", "ys=[1, 2]"]) == 2
    assert "--data and --set are for --native" in capsys.readouterr().err
    assert main(["check", "--native", str(neither)]) == 0
    assert "no machine code: 'conditional', line 1" in capsys.readouterr().out
    assert main(["compile", str(neither), "--emit", "llvm"]) == 1
    assert "neither.clj: error: no machine code: 'conditional'" in capsys.readouterr().err
