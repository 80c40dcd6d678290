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
from pplc_runtime.results.journal import JournalError, line_of, lines_in
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


@pytest.mark.parametrize("name", ["gaussian_chain", "linear_regression", "crp_small"])
def test_auto_decides_the_same(name: str, tmp_path: Path) -> None:
    """Wherever a run of auto is cut off; while there is time it decides nothing by the clock."""
    model, file = load(PROGRAMS / f"{name}.clj"), tmp_path / "run.journal"
    wanted: dict[str, Any] = {"target_ess": 600 if name == "gaussian_chain" else 800, "seconds": 10000}
    whole = model.infer("auto", seed=2, **wanted)
    written = model.infer("auto", seed=2, checkpoint=file, **wanted)
    assert told(written) == told(whole) and written.remarks == whole.remarks
    lines = file.read_bytes().splitlines(keepends=True)
    notes = [place for place, line in enumerate(lines) if b'"noted"' in line]
    assert len(notes) >= (0 if name == "crp_small" else 2)
    for place in {0, *notes, *(note + 1 for note in notes), len(lines) // 3, len(lines) - 2}:
        if place >= 0:
            file.write_bytes(b"".join(lines[: place + 1]) + b'00000000 {"chain')
            again = model.infer("auto", resume=file, **wanted)
            assert told(again) == told(whole) and again.remarks == whole.remarks


def test_auto_keeps_what_the_clock_has_decided(tmp_path: Path) -> None:
    file = tmp_path / "run.journal"
    model = compile_text("[assume x (sample (normal 0 1))] [assume n (sample (poisson 2))]"
                         "[observe (normal (+ x n) 1) 1] [predict x]")  # fmt: skip
    wanted: dict[str, Any] = {"target_ess": 10**7, "seconds": 1}
    whole = model.infer("auto", seed=2, checkpoint=file, **wanted)
    notes = [line for _, line in lines_in(file) if "noted" in line]
    assert notes[-1]["is"] == 0 and notes[-1]["at"] > 1
    again = model.infer("auto", resume=file, **wanted)
    assert told(again) == told(whole) and again.remarks == whole.remarks
    with pytest.raises(JournalError, match="seconds = 1, and here it is 2"):
        model.infer("auto", resume=file, **{**wanted, "seconds": 2})


def test_notes_that_nobody_has_written(tmp_path: Path) -> None:
    """A journal with checksums that are right, and something else than what comes next."""
    file = tmp_path / "run.journal"
    model = load(PROGRAMS / "linear_regression.clj")
    wanted: dict[str, Any] = {"target_ess": 800, "seconds": 10000}
    model.infer("auto", seed=2, checkpoint=file, **wanted)
    lines = [line for _, line in lines_in(file)]
    first = next(place for place, line in enumerate(lines) if "noted" in line)
    wrong: list[tuple[int, Any]] = [
        (first, {"noted": "more", "is": 3, "at": 0}), (first, {"noted": "method", "is": 3, "at": 0}),
        (first, {"noted": "method", "at": "now"}), (first, 3), (first, ["noted"]), (first, "noted"),
        (first, {"noted": "method", "is": "pgas(", "at": 0}), (first, {"noted": "method", "is": "pgas", "at": 0}),
        (first + 30, {"noted": "more", "is": 3, "at": 0}), (first + 30, {**lines[-1], "chain": -1}),
    ]  # fmt: skip
    for place, line in wrong:
        file.write_text("".join(map(line_of, [*lines[:place], line, *lines[place + 1 :]])))
        with pytest.raises(JournalError, match="damaged"):
            model.infer("auto", resume=file, **wanted)


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


KILLED: list[tuple[str, str, dict[str, Any]]] = [
    ("gaussian_chain", "pgas", {"sweeps": 500, "particles": 5, "chains": 2}),
    ("crp_small", "lmh", {"sweeps": 3000}),
    ("gaussian_chain", "smc", {"sweeps": 100, "particles": 200, "chains": 2}),
    ("linear_regression", "nuts", {"sweeps": 2000, "burn_in": 20}),
    ("gaussian_chain", "pgas(x, 3) + rw", {"sweeps": 1000, "burn_in": 15}),
    ("linear_regression", "auto", {"target_ess": 3000, "seconds": 10000}),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, method, settings", KILLED)
def test_killed_at_twenty_moments(name: str, method: str, settings: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "run.journal"
    model = load(PROGRAMS / f"{name}.clj")
    begun = time.monotonic()
    whole = told(model.infer(method, seed=9, **settings))
    longest = min(1.0, time.monotonic() - begun)
    rng = random.Random(1)
    killed = 0

    def work() -> int:
        known: dict[str, Any] = {"resume": file} if file.exists() else {"checkpoint": file, "seed": 9}
        model.infer(method, every=0.01, **known, **settings)
        return 0

    for _ in range(20):
        killed += in_child(work, rng.uniform(0.02, max(0.15, longest / 3))) == -signal.SIGKILL
    assert killed > 3
    known: dict[str, Any] = {"resume": file} if file.exists() else {"seed": 9}
    assert told(model.infer(method, **known, **settings)) == whole


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
