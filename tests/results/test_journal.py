"""A run that was cut off is resumed from its journal, and ends with the same draws, bit for bit; or it is refused."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pplc.model import Model, compile_text, load
from pplc_runtime.lanes.addresses import At
from pplc_runtime.results.codec import Decoder, Encoder, decoded, encoded
from pplc_runtime.results.journal import JournalError, lines_in
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import List, Map, Symbol

PROGRAMS = Path(__file__).parents[2] / "programs"
RUNS: list[tuple[str, str, dict[str, Any]]] = [
    ("hmm", "pgas", {"particles": 4}),
    ("crp_small", "pgas", {"particles": 4, "chains": 2}),
    ("lazy_memo", "lmh", {"burn_in": 3}),
    ("gaussian_chain", "rw", {"burn_in": 40, "sweeps": 1100}),
    ("gaussian_chain", "pgas(x, 3) + lmh(x, 2)", {}),
    ("gaussian_chain", "pgas(x, 3) + rw", {"burn_in": 15}),
    ("linear_regression", "nuts", {"burn_in": 30, "sweeps": 60}),
    ("gaussian_chain", "smc", {"particles": 8, "chains": 2}),
    ("dp_mixture", "icsmc", {"particles": 8}),
]
TEXT = "[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [predict x] [predict (sample (normal x 1))]"


class Stopped(Exception):
    """The run ends here."""


def told(posterior: Posterior) -> list[Any]:
    """All that a run has given, to the last bit."""
    return [[json.dumps(line) for line in Encoder().lines(sweep)] for sweep in posterior.sweeps]


def stopped_at(model: Model, method: str, file: Path, count: int, **settings: Any) -> None:
    """A run that is cut off after so many sweeps."""
    done = 0

    def on_sweep(sweep: Sweep) -> None:
        nonlocal done
        done += 1
        if done == count:
            raise Stopped

    with pytest.raises(Stopped):
        model.infer(method, on_sweep=on_sweep, **settings)


@pytest.mark.parametrize("name, method, more", RUNS)
def test_the_same_draws(name: str, method: str, more: dict[str, Any], tmp_path: Path) -> None:
    model, file = load(PROGRAMS / f"{name}.clj"), tmp_path / "run.journal"
    settings: dict[str, Any] = {"sweeps": 12, "seed": 5, **more}
    whole = model.infer(method, **settings)
    count = settings["sweeps"] * settings.get("chains", 1)
    stopped_at(model, method, file, count // 3, checkpoint=file, every=0, **settings)
    stopped_at(model, method, file, count // 2, resume=file, **settings)
    with open(file, "ab") as left:
        left.write(b'00000000 {"chain": 0')
    del settings["seed"]
    again = model.infer(method, resume=file, **settings)
    assert told(again) == told(whole)
    assert str(again.summary()) == str(whole.summary())
    assert told(model.infer(method, resume=file, **settings)) == told(whole)  # a run that was finished


def test_another_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.journal"
    model = compile_text("[input y 1]" + TEXT.replace(" 1]", " y]", 1))
    model.infer("lmh", sweeps=5, seed=1, checkpoint=file)
    refused: list[tuple[Model, dict[str, Any], str]] = [
        (compile_text(TEXT), {}, "another model"),
        (model, {"data": {"y": 2}}, "other data"),
        (model, {"sweeps": 6}, "sweeps = 5, and here it is 6"),
        (model, {"seed": 2}, "seed = 1, and here it is 2"),
        (model, {"burn_in": 3}, "burn_in"),
    ]
    for other, settings, said in refused:
        with pytest.raises(JournalError, match=said):
            other.infer("lmh", resume=file, **{"sweeps": 5, **settings})
    with pytest.raises(JournalError, match="exists"):
        model.infer("lmh", sweeps=5, checkpoint=file)
    text = file.read_text().replace('"version":"', '"version":"0.0.')
    file.write_text(text)
    with pytest.raises(JournalError, match="damaged: line 1"):
        model.infer("lmh", sweeps=5, resume=file)
    with pytest.raises(JournalError, match="cannot read"):
        model.infer("lmh", sweeps=5, resume=tmp_path / "none")
    with pytest.raises(JournalError, match="cannot write"):
        model.infer("lmh", sweeps=5, checkpoint=tmp_path / "none" / "run")
    with pytest.raises(ValueError, match="auto, which ends by the clock, writes no"):
        model.infer("auto", checkpoint=tmp_path / "new")


def test_damage_is_found(tmp_path: Path) -> None:
    """Whatever byte is changed, and wherever the file is cut: the same draws, or a message."""
    file = tmp_path / "run.journal"
    model = compile_text(TEXT)
    whole = told(model.infer("lmh", sweeps=6, seed=1, checkpoint=file))
    content = file.read_bytes()
    rng = random.Random(3)
    refused = 0
    for _ in range(40):
        place = rng.randrange(len(content))
        changed = bytearray(content)
        if rng.random() < 0.5:
            changed[place] = rng.randrange(256)
        else:
            del changed[place:]
        file.write_bytes(changed)
        try:
            assert told(model.infer("lmh", sweeps=6, seed=1, resume=file)) == whole
        except JournalError:
            refused += 1
    assert refused > 5


def test_a_full_disk(tmp_path: Path) -> None:
    """What was written before is a journal to go on with."""
    file = tmp_path / "run.journal"
    model = compile_text(TEXT)
    whole = told(model.infer("lmh", sweeps=40, seed=1))

    def child() -> int:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
        try:
            model.infer("lmh", sweeps=40, seed=1, checkpoint=file, every=0)
        except JournalError as error:
            return 7 if "can be resumed" in str(error) else 1
        return 0

    assert in_child(child) == 7
    assert 0 < len(list(lines_in(file))) < 41
    assert told(model.infer("lmh", sweeps=40, resume=file)) == whole


def in_child(work: Any, seconds: float | None = None) -> int:
    """The exit code of some work in a forked process; that is killed after some time."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = work()
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.slow
def test_killed_at_twenty_moments(tmp_path: Path) -> None:
    file = tmp_path / "run.journal"
    model = load(PROGRAMS / "gaussian_chain.clj")
    settings: dict[str, Any] = {"sweeps": 500, "seed": 9, "particles": 5, "chains": 2}
    whole = told(model.infer("pgas", **settings))
    rng = random.Random(1)
    killed = 0

    def work() -> int:
        known: dict[str, Any] = {"resume": file} if file.exists() else {"checkpoint": file}
        model.infer("pgas", every=0.01, **known, **settings)
        return 0

    for _ in range(20):
        killed += in_child(work, rng.uniform(0.02, 0.15)) == -signal.SIGKILL
    assert killed > 10
    known: dict[str, Any] = {"resume": file} if file.exists() else {}
    assert told(model.infer("pgas", **known, **settings)) == whole


def test_values_there_and_back() -> None:
    root = At()
    values = [
        None, True, 3, 2**80, "a\n\u2028'\"", 1.5, float("inf"), Symbol(":k"), List([1, "x"]), (1, (2.0, List([]))),
        Map.of([(Symbol("a"), 1), (2, (3,))]), frozenset([1, "b"]), np.array([[1.0, np.nan]]), np.array([True]),
        np.array([1, 2], np.uint8),
    ]  # fmt: skip
    for value in values:
        text = json.dumps(encoded(value), allow_nan=False)
        back = decoded(json.loads(text), root)
        assert type(back) is type(value)
        assert json.dumps(encoded(back)) == text
    assert decoded(encoded(root[1]["a"]), root) is root[1]["a"]
    for wrong in ({"record": "Path", "fields": ["/"]}, {"array": "!", "kind": "|O", "shape": []}, {"x": 1}, [1]):
        with pytest.raises((ValueError, KeyError)):
            decoded(wrong, root)
    with pytest.raises(KeyError):
        Decoder().line({"kept": None})
