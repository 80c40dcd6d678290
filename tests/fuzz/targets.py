"""What is fuzzed: functions of bytes that return whatever they are given, or show that there is something to fix."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast
from unittest.mock import patch

import numpy as np
from tests.engine.generate import generated
from tests.engine.test_same_draws import assert_same
from tests.fuzz.choices import Choices
from tests.robustness import mutants

import pplc
from pplc.diagnostics import CompileError
from pplc.layout import formatted
from pplc.passes.read import read
from pplc.source import Source
from pplc_runtime.command.draws import read as read_draws
from pplc_runtime.command.failures import UsageError
from pplc_runtime.command.inputs import read_inputs
from pplc_runtime.native import engine as native_engine
from pplc_runtime.results.journal import JournalError, line_of
from pplc_runtime.running import driver, general
from pplc_runtime.values import ModelError

FOLDER: Final = Path(tempfile.gettempdir()) / f"pplc-fuzz-{os.getuid()}"
WORDS: Final = sorted({*mutants.WORDS, "NaN", "null", '": ', "\\\\u0000", "1e309", "chain", "predict", "log_weight"})
FIRST: Final = 4
"""So many sweeps are compared: numbers of machine code have other last digits, which grow in a chain."""
METHODS: Final = ("importance", "smc", "icsmc", "pgas", "lmh")
CHAIN: Final = "[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [predict x] [predict {:a [x]}]"


def text_of(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def reader(content: bytes) -> None:
    """A text is read, or the error points into it; its layout is read as the same, and is its own layout."""
    text = text_of(content)
    try:
        forms = read(Source("m.clj", text))
    except CompileError as error:
        assert all(0 <= d.span.start <= d.span.end <= len(text) for d in error.diagnostics)
        return
    once = formatted(text)
    assert formatted(once) == once
    assert len(read(Source("m.clj", once))) == len(forms)


def compiler(content: bytes) -> None:
    """A text is compiled, or the error has a place; so is a program in which other words stand."""
    rng = Choices(content)
    changed = rng.choice((mutants.with_wrong_tokens, mutants.with_wrong_forms, mutants.soup))(rng)
    for text in (text_of(content), changed):
        with contextlib.suppress(CompileError):
            pplc.compile_text(text, "m.clj")


def data(ending: str) -> Callable[[bytes], None]:
    """A file of data is read, or the error names it."""

    def target(content: bytes) -> None:
        with file_of(content, ending) as path:
            for given in (path, f"rows={path}"):
                try:
                    read_inputs([given], (), ("y", "rows", "x"), content[:1] < b"\x80")
                except UsageError as error:
                    assert "fuzzed" in str(error), error

    return target


def draws(ending: str) -> Callable[[bytes], None]:
    """A file of draws is read and summarised, or the error names it."""

    def target(content: bytes) -> None:
        with file_of(content, ending) as path:
            try:
                str(read_draws(path).summary())
            except UsageError as error:
                assert "fuzzed" in str(error), error

    return target


def journal(content: bytes) -> None:
    """A journal of any bytes, and one whose lines are any JSON with the right checksums: resumed, or refused."""
    model = chain()
    lines = []
    for line in content.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            lines.append(line_of(json.loads(line)).encode())
    for changed in (content, head() + content, head() + b"".join(lines)):
        with file_of(changed, ".journal") as path:
            try:
                model.infer("lmh", sweeps=3, resume=path, progress=False)
            except JournalError as error:
                assert "fuzzed" in str(error), error


def wrong(content: bytes) -> None:
    """Programs that nobody wrote: every engine has the same result, or none has one."""
    rng = Choices(content)
    make = rng.choice((mutants.with_wrong_tokens, mutants.with_wrong_forms, mutants.soup))
    engines_agree(make(rng), rng.choice(METHODS))


def engines(content: bytes) -> None:
    """Programs that are right: every engine draws the same."""
    rng = Choices(content)
    method = rng.choice(METHODS)
    text = generated(cast(np.random.Generator, rng))
    engines_agree(text, method)


def engines_agree(text: str, method: str) -> None:
    """Machine code, straight code and lanes have the same sweeps; the reference engine ends as well as they do."""
    by_machine = outcome(text, method)
    with patch.dict(os.environ, PPLC_NATIVE="off"):
        by_scripts = outcome(text, method)
        with patch.object(driver, "scripted", lambda plan: plan):
            by_lanes = outcome(text, method)
    if method != "lmh":
        outcome(text, method, engine="reference")
    if "limit" in (by_machine, by_scripts, by_lanes):
        return
    kinds = {type(each) for each in (by_machine, by_scripts, by_lanes)}
    assert len(kinds) == 1, (text, method, by_machine, by_scripts, by_lanes)
    if not isinstance(by_lanes, str):
        for others in (by_machine, by_scripts):
            for one, other in zip(list(by_lanes)[:FIRST], list(others)[:FIRST], strict=True):
                assert_same(one, other)


def outcome(text: str, method: str, **more: Any) -> Any:
    """The sweeps of a run, or the message that it ended with; "limit" where it was too long."""
    settings: dict[str, Any] = {"particles": 3, "sweeps": 6} if method != "lmh" else {"sweeps": 6}
    limits: dict[str, Any] = {"max_seconds": 5, "max_depth": 300, "max_memory": "4G"}
    with (
        patch.object(native_engine, "LEAST_WORK", 0),
        patch.object(general, "LEAST_WORK", 0),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        try:
            model = pplc.compile_text(text, "m.clj")
            inputs = dict.fromkeys(model.inputs, 1.0)
            found = model.infer(method, seed=3, progress=False, data=inputs, **settings, **limits, **more)
        except (CompileError, ModelError) as error:
            said = str(error)
            assert said.startswith("m.clj:") and "internal error" not in said, (text, said)
            return "limit" if "--max-" in said else said
        return "limit" if found.interrupted else found.sweeps


@contextlib.contextmanager
def file_of(content: bytes, ending: str) -> Iterator[str]:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"fuzzed-{os.getpid()}{ending}"
    path.write_bytes(content)
    yield str(path)


_kept: dict[str, Any] = {}


def chain() -> pplc.Model:
    if "chain" not in _kept:
        _kept["chain"] = pplc.compile_text(CHAIN)
    return cast(pplc.Model, _kept["chain"])


def written() -> bytes:
    """A journal of a run of the chain."""
    if "journal" not in _kept:
        FOLDER.mkdir(exist_ok=True)
        path = FOLDER / f"whole-{os.getpid()}.journal"
        path.unlink(missing_ok=True)
        chain().infer("lmh", sweeps=3, seed=1, checkpoint=path, progress=False)
        _kept["journal"] = path.read_bytes()
        path.unlink()
    return cast(bytes, _kept["journal"])


def head() -> bytes:
    return written().splitlines(keepends=True)[0]


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "reader": reader,
    "compiler": compiler,
    "json": data(".json"),
    "csv": data(".csv"),
    "npz": data(".npz"),
    "jsonl": draws(".jsonl"),
    "draws-csv": draws(".csv"),
    "journal": journal,
    "wrong": wrong,
    "engines": engines,
}


def seeds(name: str) -> list[bytes]:
    """What the fuzzing of a target starts from."""
    match name:
        case "reader" | "compiler":
            return [text.encode() for text in mutants.PROGRAMS]
        case "json":
            return [b'{"y": [1, 2.5, null], "x": {"a": true}}', b'[{"y": 1, "x": "t"}, {"y": NaN, "x": ""}]']
        case "csv":
            return [b"y,x\n1,true\n2.5,\n", b'y,"x"\nNA,"a ""b"""\n1e9,b\n']
        case "npz":
            return [_npz(compressed) for compressed in (False, True)]
        case "jsonl" | "draws-csv":
            ending = ".jsonl" if name == "jsonl" else ".csv"
            with file_of(b"", ending) as path:
                chain().infer("smc", particles=3, sweeps=2, seed=1, progress=False).save(path)
                return [Path(path).read_bytes()]
        case "journal":
            return [written(), b"\n".join(line[9:] for line in written().splitlines()[1:])]
        case _:
            rng = np.random.default_rng(0)
            return [rng.bytes(400) for _ in range(20)]


def _npz(compressed: bool) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, y=np.array([1.0, 2.0]), x=np.array(["a", "b"]))
    return buffer.getvalue()
