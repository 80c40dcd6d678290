"""No text of any kind ends in anything but a result, a CompileError or a ModelError."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pplc
from pplc.cli import main
from pplc.diagnostics import CompileError
from pplc_runtime.command.failures import FAILED, OK, USAGE
from pplc_runtime.lanes.addresses import At
from pplc_runtime.values import ModelError

from . import mutants

LONGEST = 20_000
"""Addresses that a run may make: the mutants include endless loops."""
KINDS = (mutants.with_wrong_tokens, mutants.with_wrong_forms, mutants.with_wrong_forms, mutants.soup)
quickly = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=100)


@pytest.fixture(autouse=True)
def no_endless_runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    made = [0]
    make = At.__missing__

    def counted(self: At, site: object) -> At:
        made[0] += 1
        if made[0] > LONGEST:
            raise ModelError("this run is long enough")
        return make(self, site)

    monkeypatch.setattr(At, "__missing__", counted)
    yield made


def survives(text: str, method: str = "importance") -> str:
    """What became of a program; a failure must have a place."""
    try:
        model = pplc.compile_text(text, "m.clj")
        inputs = dict.fromkeys(model.inputs, 1.0)
        model.infer(method, particles=2, sweeps=2, seed=1, max_depth=300, data=inputs)
    except CompileError as error:
        assert str(error).startswith("m.clj:")
        return "rejected"
    except ModelError as error:
        assert str(error).startswith("m.clj:")
        assert "cannot compute this" not in str(error), str(error)
        return "failed"
    return "ran"


@pytest.mark.parametrize("seed", range(24))
def test_mutants(seed: int, no_endless_runs: list[int]) -> None:
    became = set()
    for number in range(25):
        rng = Random(1000 * seed + number)
        no_endless_runs[0] = 0
        became.add(survives(KINDS[rng.randrange(4)](rng), rng.choice(["importance", "smc"])))
    assert became <= {"rejected", "failed", "ran"}


@quickly
@given(st.text())
def test_any_text(text: str) -> None:
    survives(text)


@quickly
@given(st.lists(st.sampled_from(mutants.WORDS)).map(" ".join))
def test_any_words(text: str) -> None:
    survives(text)


INFER = ["infer", "--method", "importance", "--particles", "2", "--sweeps", "1"]


@quickly
@given(st.binary(max_size=60))
def test_any_bytes_through_the_command(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "bytes.clj"
    path.write_bytes(content)
    for arguments in (["check"], ["compile", "-o", os.devnull], INFER):
        assert main([arguments[0], str(path), *arguments[1:]]) in (OK, FAILED, USAGE)


@pytest.mark.parametrize("verb", ["check", "compile", "infer"])
def test_what_is_not_utf8_is_said_to_be(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "latin.clj"
    path.write_bytes(b'[assume x 1]\n[predict "caf\xe9"]\n')
    assert main([verb, str(path)]) == USAGE
    assert capsys.readouterr().err == f"pplc {verb}: error: {path}:2:14: not UTF-8 text (byte 0xe9)\n"


def test_a_byte_order_mark_is_no_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "latin.clj"
    path.write_bytes(b'\xef\xbb\xbf[predict "caf\xe9"]\n')
    assert main(["check", str(path)]) == USAGE
    assert f"{path}:1:14: not UTF-8 text (byte 0xe9)" in capsys.readouterr().err
    with pytest.raises(pplc.CompileError, match=r"latin\.clj:1:14: error: not UTF-8 text \(byte 0xe9\)"):
        pplc.load(path)


@pytest.mark.parametrize("seed", range(4))
def test_mutants_through_the_command(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str], no_endless_runs: list[int]
) -> None:
    path = tmp_path / "mutant.clj"
    for number in range(10):
        rng = Random(7000 + 10 * seed + number)
        no_endless_runs[0] = 0
        path.write_text(KINDS[rng.randrange(4)](rng), encoding="utf-8")
        code = main(
            [
                "infer",
                str(path),
                "--method",
                "importance",
                "--particles",
                "2",
                "--sweeps",
                "1",
                "--max-depth",
                "300",
                "--seed",
                "1",
            ]
        )
        shown = capfd.readouterr().err
        assert code in (OK, FAILED, USAGE)
        assert "Traceback" not in shown and "internal error" not in shown, shown


# Nothing of Python can be reached


@pytest.mark.parametrize(
    "name",
    [
        "__import__", "open", "eval", "exec", "compile", "globals", "locals", "getattr", "input_",
        "__builtins__", "os", "sys", "numpy", "np", "here", "PROGRAM", "_STEPS", "__file__", "at", "Procedure",
        "branch", "agreed", "choose", "call", "primitive", "breakpoint", "exit", "no_such",
    ],
)  # fmt: skip
def test_python_is_out_of_reach(name: str) -> None:
    for text in (f"[predict {name}]", f'[predict ({name} "x")]', f"[predict ((fn [x] ({name} x)) 1)]"):
        with pytest.raises(CompileError, match=f"unknown name '{name}'"):
            pplc.compile_text(text)


@pytest.mark.parametrize("name", ["x.__class__", "x.__class__.__mro__", ".append", "os/system"])
def test_names_with_points_are_names(name: str) -> None:
    with pytest.raises(CompileError, match="unknown name"):
        pplc.compile_text(f"[assume x 1]\n[predict ({name} 1)]")
    *_, column = (
        pplc.compile_text(f"[predict (let [{name} 3] {name})]")
        .infer("importance", particles=1, sweeps=1, seed=1)
        .sweeps[0]
        .predicts.values()
    )
    assert list(column) == [3]


@pytest.mark.parametrize(
    "text", ['"\\") or __import__(\\"os\\").system(\\"true\\") or (\\""', "\"'''\"", '"\\u2028\\n#"']
)
def test_strings_stay_strings(text: str) -> None:
    model = pplc.compile_text(f"[predict {text} 1]\n[predict {text}]", 'a"""b\n.clj')
    assert "__import__" not in model.module.__dict__
    first, _ = model.infer("importance", particles=1, sweeps=1, seed=1).sweeps[0].predicts
    assert pplc.compile_text(f"[predict (= {text} {text})]")
    assert isinstance(first, str)
