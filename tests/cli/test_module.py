"""`python model.py`: a compiled module has the command line of `pplc infer`, by the runtime alone."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pplc.cli import main

MODEL = "[input y [1 2]] [assume x (sample (normal 0 1))] [for [v y] [observe (normal x 1) v]] [predict x]"
ALONE = """
import runpy, sys
sys.modules["pplc"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], None, "__main__")
"""


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("module")
    (folder / "model.clj").write_text(MODEL)
    assert main(["compile", str(folder / "model.clj"), "-o", str(folder / "model.py")]) == 0
    return folder / "model.py"


def command(module: Path, *options: str) -> list[str]:
    """The module run without the compiler, which cannot be imported."""
    return [sys.executable, "-c", ALONE, str(module), *options]


def run(module: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(module, *options), capture_output=True, text=True, cwd=module.parent)


def test_it_does_what_the_verb_does(
    module: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (module.parent / "data.json").write_text('{"y": [4, 5]}')
    given = "--method pgas --particles 5 --sweeps 20 --seed 3 --chains 2 --burn-in 2 --data data.json"
    options = given.split()
    done = run(module, *options, "--out", "draws.jsonl")
    assert done.returncode == 0 and done.stderr == ""
    monkeypatch.chdir(module.parent)
    assert main(["infer", "model.clj", *options, "--out", "others.jsonl"]) == 0
    assert done.stdout == capsys.readouterr().out
    draws = (module.parent / "draws.jsonl").read_text()
    assert draws == (module.parent / "others.jsonl").read_text() and len(draws.splitlines()) == 201
    few = ("--method", "importance", "--particles", "3", "--sweeps", "1")
    drawn = run(module, "--set", "y=[4,5]", "--seed", "1", *few, "--out", "-").stdout
    assert [set(json.loads(line)) >= {"predict"} for line in drawn.splitlines()] == [True] * 3 + [False]


def test_help(module: Path) -> None:
    done = run(module, "--help")
    assert done.returncode == 0 and done.stdout.startswith("usage: model.py [-h] [--method METHOD]")
    assert "--engine" not in done.stdout, "the reference engine needs the compiler"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--particels 3", "model.py: error: unrecognized arguments: --particels 3; did you mean '--particles'?"),
        ("--particles ten", "model.py: error: argument --particles: must be a whole number, not 'ten'"),
        ("--method pgas+lmh(xx)", "--method: the program does not assume 'xx'; did you mean 'x'?\n  pgas+lmh(xx)\n"),
        ("--method smc --burn-in 3", "model.py: error: --burn-in: smc has none; use icsmc, pgas, lmh, rw"),
        ("--set z=1", "model.py: error: --set: the model has no input 'z'; its inputs are y"),
        ("--out none/x", "model.py: error: cannot write none/x: there is no directory"),
        ("extra", "model.py: error: unrecognized arguments: extra"),
    ],
)
def test_wrong_usage(module: Path, options: str, message: str) -> None:
    done = run(module, *options.split())
    assert done.returncode == 2 and done.stdout == "" and message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_of_the_model(module: Path) -> None:
    done = run(module, "--set", 'y=["a"]')
    assert done.returncode == 1 and "model.clj:1:61: error: normal: a value of it is a number" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_enough(module: Path) -> None:
    started = command(module, "--method", "importance", "--sweeps", "200", "--out", "-")
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_control_c(module: Path, tmp_path: Path) -> None:
    out = tmp_path / "draws.jsonl"
    started = command(module, "--method", "importance", "--sweeps", "1000000", "--out", str(out))
    with subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        while not Path(f"{out}.part").exists() or Path(f"{out}.part").stat().st_size < 1_000_000:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        error = process.stderr.read()
    assert process.returncode == 130 and "interrupted after" in error and "Traceback" not in error
