"""pplc infer, over a model that stands in for the engine."""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pplc.cli import main
from pplc_runtime.command.infer import OPTIONS
from pplc_runtime.inference import METHODS
from pplc_runtime.inference.base import Settings
from pplc_runtime.numerics.resampling import SCHEMES
from pplc_runtime.results import Posterior
from pplc_runtime.running.program import Program
from pplc_runtime.settings import CALLED_WITH, DEFAULT_METHOD, OFFERS, RESAMPLING, SETTINGS
from pplc_runtime.values import Map, ModelError

from .conftest import FakeModel

Captured = pytest.CaptureFixture[str]


def infer(path: Path, *options: str) -> int:
    """By importance, unless another method is asked for."""
    return main(["infer", str(path), "--seed", "1", "--method", "importance", *options])


def test_a_summary_is_shown(fake: FakeModel, model_file: Path, capsys: Captured) -> None:
    assert infer(model_file, "--particles", "50", "--sweeps", "4") == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("predict") and "log evidence -1" in captured.out
    assert captured.out.endswith("importance: 4 sweeps of 50 particles, seed 1\n")
    assert captured.err == ""


def test_defaults_and_options_reach_the_model(fake: FakeModel, model_file: Path) -> None:
    assert infer(model_file) == 0
    assert fake.called == {
        "method": "importance", "keep": True, "particles": 1000, "sweeps": 10, "seed": 1, "chains": 1,
        "cores": 1, "data": {},
    }  # fmt: skip
    options = "--method pgas --sweeps 3 --chains 2 --cores 2 --engine lanes --resampling systematic"
    more = "--ess-threshold 0.5 --burn-in 7 --max-depth 1000 --strict --quiet"
    assert infer(model_file, *options.split(), *more.split()) == 0
    assert fake.called == {
        "method": "pgas", "keep": False, "particles": 10, "sweeps": 3, "seed": 1, "chains": 2, "cores": 2,
        "data": {}, "engine": "lanes", "resampling": "systematic", "ess_threshold": 0.5, "burn_in": 7,
        "max_depth": 1000, "strict": True,
    }  # fmt: skip


def test_a_whole_number_may_be_written_with_an_exponent(fake: FakeModel, model_file: Path) -> None:
    assert infer(model_file, "--method", "pgas", "--particles", "1e3", "--burn-in", "0") == 0
    assert fake.called["particles"] == 1000 and isinstance(fake.called["particles"], int)


def test_what_changes_nothing_is_no_wrong_usage(fake: FakeModel, model_file: Path) -> None:
    assert infer(model_file, "--burn-in", "0", "--resampling", "multinomial", "--ess-threshold", "1") == 0


def test_a_run_without_a_seed_shows_the_one_it_took(fake: FakeModel, model_file: Path, capsys: Captured) -> None:
    assert main(["infer", str(model_file), "--method", "smc"]) == 0
    assert f"seed {fake.called['seed']}\n" in capsys.readouterr().out


def test_draws_are_written(fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "draws.jsonl"
    assert infer(model_file, "--particles", "3", "--sweeps", "2", "--out", str(out), "--quiet") == 0
    assert capsys.readouterr().out == ""
    *draws, last = map(json.loads, out.read_text().splitlines())
    assert len(draws) == 6 and draws[-1]["sweep"] == 1 and draws[-1]["particle"] == 2
    assert last["log_evidence"] == pytest.approx(-1.0)
    assert infer(model_file, "--particles", "3", "--sweeps", "2", "--out", "-") == 0
    assert capsys.readouterr().out == out.read_text()
    assert infer(model_file, "--method", "pgas", "--sweeps", "2", "--out", str(out)) == 0
    assert "log_evidence" not in out.read_text()


def test_a_picture_is_drawn(fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured) -> None:
    assert infer(model_file, "--plot", str(tmp_path / "p.png"), "--quiet") == 0
    assert (tmp_path / "p.png").exists()
    assert infer(model_file, "--plot", str(tmp_path / "p.doc")) == 2
    assert "must end in .png, .svg, .pdf" in capsys.readouterr().err


def test_a_genealogy_is_drawn(tmp_path: Path, capsys: Captured) -> None:
    model = tmp_path / "model.clj"
    model.write_text("[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [observe (normal x 1) 2] [predict x]")
    for method in ("smc", "icsmc", "pgas"):
        picture = tmp_path / f"{method}.svg"
        options = f"--method {method} --particles 3 --sweeps 2 --genealogy {picture} --quiet"
        assert infer(model, *options.split()) == 0
        assert f"{method}, sweep 1: " in picture.read_text()
    assert capsys.readouterr().out == ""


def test_an_interrupt_before_the_last_sweep_leaves_no_genealogy(
    fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured
) -> None:
    fake.fail_at = {3: KeyboardInterrupt()}
    picture = tmp_path / "g.png"
    assert infer(model_file, "--method", "pgas", "--sweeps", "5", "--genealogy", str(picture)) == 130
    assert fake.called["genealogy"] == 1 and not picture.exists()
    assert "no genealogy is drawn: that is of the last sweep" in capsys.readouterr().err


def test_a_picture_that_cannot_be_written_in_the_end(
    fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Posterior, path: str) -> None:
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr(Posterior, "genealogies", lambda self: {(0, 0): None})
    monkeypatch.setattr(Posterior, "plot_genealogy", full)
    assert infer(model_file, "--method", "pgas", "--sweeps", "2", "--genealogy", str(tmp_path / "g.png")) == 1
    assert "g.png: No space left on device" in capsys.readouterr().err


def test_data_and_settings(fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured) -> None:
    data = tmp_path / "data.json"
    data.write_text('{"y": [1, 2.5], "sigma": {"a": [true]}}')
    assert infer(model_file, "--data", str(data)) == 0
    given = fake.called["data"]
    assert given["y"].dtype == np.float64 and given["sigma"] == Map.of(iter([("a", (True,))]))
    assert set(given) == {"y", "sigma"}
    data.write_text('{"y": [1, 2.5], "sigmaa": 1}')
    assert infer(model_file, "--data", str(data)) == 2
    assert f"{data}: the model has no input 'sigmaa'; did you mean 'sigma'?" in capsys.readouterr().err
    data.write_text('{"y": 1}')
    assert infer(model_file, "--data", str(data), "--set", "sigma=2", "--set", "y=a=b") == 0
    assert fake.called["data"] == {"y": "a=b", "sigma": 2}
    assert infer(model_file, "--set", "y=[[1,2],[3,4]]", "--set", 'sigma="2"') == 0
    assert fake.called["data"]["y"].shape == (2, 2) and fake.called["data"]["sigma"] == "2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"y": [1,\n 2,]}', "data.json:2:4: not JSON: "),
        ("[1, 2]", "the data must be an object"),
        ('{"y": 1, "y": 2}', "'y' is given twice"),
        ("[" * 100_000, "nested too deeply"),
        ("", "data.json:1:1: not JSON"),
        ("1" * 5000, "data.json: "),
    ],
)
def test_data_that_is_none(
    fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured, text: str, message: str
) -> None:
    (tmp_path / "data.json").write_text(text)
    assert infer(model_file, "--data", str(tmp_path / "data.json")) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--method impotance", "unknown method 'impotance'; did you mean 'importance'?"),
        ("--method zzz", "unknown method 'zzz'; there are importance, smc, icsmc, pgas"),
        ("--particles 0", "argument --particles: must be at least 1, not 0"),
        ("--particles ten", "must be a whole number, not 'ten'"),
        ("--sweeps -3", "must be at least 1"),
        ("--seed -1", "must be at least 0"),
        ("--ess-threshold 2", "must be between 0 and 1"),
        ("--ess-threshold nan", "must be between 0 and 1"),
        ("--resampling systemtic", "did you mean 'systematic'?"),
        ("--engine x", "unknown engine 'x'; there are lanes, reference"),
        ("--set sigm=1", "the model has no input 'sigm'; did you mean 'sigma'?"),
        ("--set q=1", "the model has no input 'q'; its inputs are sigma, y"),
        ("--set sigma", "--set takes name=value, not 'sigma'"),
        ("--set =3", "--set takes name=value"),
        ("--data none.json", "cannot read none.json: No such file"),
        ("--out none/draws.jsonl", "cannot write none/draws.jsonl: there is no directory"),
        ("--out .", "it is a directory"),
        ("--plot none/p.png", "there is no directory"),
        ("--method pgas --genealogy none/g.png", "cannot write none/g.png: there is no directory"),
        ("--method pgas --genealogy g.doc", "--genealogy g.doc: the file must end in .png, .svg, .pdf"),
        ("--genealogy g.png", "--genealogy: importance has none; use smc, icsmc, pgas or pimh"),
        ("--particles 10.5", "must be a whole number, not 10.5"),
        ("--particles nan", "must be a whole number, not nan"),
        ("--burn-in 5", "pplc infer: error: --burn-in: importance has none; use icsmc, pgas, lmh, rw"),
        ("--method smc --burn-in 5", "--burn-in: smc has none; use icsmc, pgas, lmh, rw"),
        ("--method icsmc --strict", "--strict: icsmc has none; use pgas"),
        ("--resampling systematic", "--resampling: importance has none; use smc, icsmc, pgas, pimh, pmmh or ipmcmc"),
        ("--ess-threshold 0.5", "--ess-threshold: importance has none; use smc, icsmc, pgas, pimh, pmmh or ipmcmc"),
        ("--method pgas(a", "the bracket after 'pgas' is not closed\n  pgas(a\n  ^^^^"),
        ("--method pgas+lhm", "unknown method 'lhm'; did you mean 'lmh'?\n  pgas+lhm\n       ^^^"),
        ("--method pgas+smc", "smc is no chain, so that it cannot be part of a cycle or have targets"),
        ("--method rw --engine reference", "--method: the reference engine has no rw; use the engine lanes"),
        ("--method pgas+lmh --genealogy g.png", "--genealogy: pgas + lmh has none; use smc, icsmc, pgas or pimh"),
        ("--particels 3", "unrecognized arguments: --particels 3; did you mean '--particles'?"),
    ],
)
def test_wrong_usage(fake: FakeModel, model_file: Path, capsys: Captured, options: str, message: str) -> None:
    assert infer(model_file, *options.split()) == 2
    captured = capsys.readouterr()
    assert message in captured.err and "Traceback" not in captured.err and captured.out == ""
    assert fake.called == {}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            ModelError("model.clj:1:1: error: sd must be positive"),
            "model.clj:1:1: error: sd must be positive\n",
        ),
        (MemoryError(), "out of memory"),
        (RecursionError("maximum recursion depth exceeded"), "nested too deeply"),
        (OSError(28, "No space left on device", "draws"), "draws: No space left on device"),
        (KeyError("ouch"), "internal error: KeyError: 'ouch'\nPlease report"),
    ],
)
def test_a_run_that_fails(
    fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured, error: Exception, message: str
) -> None:
    out = tmp_path / "draws.jsonl"
    out.write_text("earlier\n")
    fake.fail_at = {0: error}
    assert infer(model_file, "--out", str(out)) == 1
    captured = capsys.readouterr()
    assert message in captured.err and "Traceback" not in captured.err and captured.out == ""
    assert out.read_text() == "earlier\n" and sorted(os.listdir(tmp_path)) == ["draws.jsonl", "model.clj"]
    fake.fail_at = {2: error}
    assert infer(model_file, "--out", str(out), "--particles", "5") == 1
    assert f"the 2 sweeps done are in {out}.part" in capsys.readouterr().err
    assert out.read_text() == "earlier\n" and len(Path(f"{out}.part").read_text().splitlines()) == 10


def test_a_traceback_on_request(
    fake: FakeModel, model_file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPLC_DEBUG", "1")
    fake.fail_at = {0: KeyError("ouch")}
    assert infer(model_file) == 1
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_keeps_what_was_done(fake: FakeModel, model_file: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "draws.jsonl"
    fake.fail_at = {3: KeyboardInterrupt()}
    assert infer(model_file, "--out", str(out), "--particles", "5") == 130
    captured = capsys.readouterr()
    assert "importance: 3 sweeps of 5 particles" in captured.out
    assert captured.err == "pplc: interrupted after 3 of 10 sweeps\n"
    assert len(out.read_text().splitlines()) == 16
    fake.fail_at = {0: KeyboardInterrupt()}
    assert infer(model_file, "--out", str(out)) == 130
    assert len(out.read_text().splitlines()) == 16, "an interrupt before the first sweep destroys nothing"


def test_a_terminal_that_knows_only_ascii(
    fake: FakeModel, model_file: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(sys.stdout), "encoding", "ascii", raising=False)
    assert infer(model_file) == 0
    assert capsys.readouterr().out.isascii()


def test_the_tables_agree() -> None:
    """What is offered is what there is; it stands apart so that the command's help needs no numpy."""
    assert {name: method.offer for name, method in METHODS.items()} | {"auto": OFFERS["auto"]} == OFFERS
    assert tuple(SCHEMES) == RESAMPLING
    parameters = inspect.signature(Program.infer).parameters
    assert parameters["method"].default == DEFAULT_METHOD
    fields = {field.name: field.default for field in dataclasses.fields(Settings)}
    assert set(SETTINGS) <= {*fields, *parameters, *OFFERS["auto"].own}
    own = {name for offer in OFFERS.values() if offer.name != "auto" for name in offer.own}
    assert {name: SETTINGS[name].default for name in own} == {name: fields[name] for name in own}
    assert set(OPTIONS) <= {*SETTINGS, *CALLED_WITH}


SCRIPT = """
import sys
from types import ModuleType
sys.path.insert(0, {tests!r})
from cli.conftest import FakeModel
module = ModuleType("pplc.model")
module.load = lambda path, query: FakeModel()
sys.modules["pplc.model"] = module
from pplc.cli import main
sys.exit(main())
"""


def test_a_reader_that_has_enough(model_file: Path) -> None:
    script = SCRIPT.format(tests=str(Path(__file__).parents[1]))
    command = [
        sys.executable,
        "-c",
        script,
        "infer",
        str(model_file),
        "--method",
        "smc",
        "--sweeps",
        "200",
        "--out",
        "-",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_control_c(model_file: Path, tmp_path: Path) -> None:
    script = SCRIPT.format(tests=str(Path(__file__).parents[1]))
    out = tmp_path / "draws.jsonl"
    command = [
        sys.executable,
        "-c",
        script,
        "infer",
        str(model_file),
        "--method",
        "importance",
        "--sweeps",
        "1000000",
        "--out",
        str(out),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        while not Path(f"{out}.part").exists() or Path(f"{out}.part").stat().st_size < 1_000_000:  # several sweeps
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        error = process.stderr.read()
    assert process.returncode == 130 and "interrupted after" in error and "Traceback" not in error
    assert "log_evidence" in out.read_text().splitlines()[-1]
