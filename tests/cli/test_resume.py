"""--checkpoint and --resume; and ends from outside: the draws so far are kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pytest

from pplc.cli import main

TEXT = "[assume x (sample (normal 0 1))] [observe (normal x 1) 1] [predict x]"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "m.clj"
    file.write_text(TEXT, encoding="utf-8")
    return file


def test_resumed(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["infer", str(model), "--method", "lmh", "--sweeps", "20", "--quiet"]
    journal, first, second = (str(tmp_path / name) for name in ("j", "a.jsonl", "b.jsonl"))
    assert main([*run, "--checkpoint", journal, "--every", "1m", "--seed", "4", "--out", first]) == 0
    lines = Path(journal).read_bytes().splitlines(keepends=True)
    Path(journal).write_bytes(b"".join(lines[:9]) + lines[9][:-5])
    assert main([*run, "--resume", journal, "--out", second]) == 0
    assert Path(first).read_bytes() == Path(second).read_bytes()
    assert main([*run, "--resume", journal, "--sweeps", "30"]) == 1
    assert "sweeps = 20, and here it is 30" in capsys.readouterr().err
    assert main([*run, "--checkpoint", journal]) == 2
    assert main([*run, "--checkpoint", str(tmp_path / "none" / "j")]) == 2
    assert main([*run, "--resume", str(tmp_path / "none")]) == 2
    assert main([*run, "--every", "2s"]) == 2
    assert main([*run, "--checkpoint", journal + "2", "--every", "soon"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_auto_resumed(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["infer", str(model), "--target-ess", "500", "--seconds", "1000"]
    journal, first, second = (str(tmp_path / name) for name in ("j", "a.jsonl", "b.csv"))
    assert main([*run, "--checkpoint", journal, "--seed", "4", "--out", first]) == 0
    told = capsys.readouterr().out
    lines = Path(journal).read_bytes().splitlines(keepends=True)
    Path(journal).write_bytes(b"".join(lines[:9]) + lines[9][:-5])
    assert main([*run, "--resume", journal, "--out", second]) == 0
    assert capsys.readouterr().out == told
    assert main([*run, "--resume", journal, "--method", "nuts"]) == 2  # which has no --target-ess
    assert main([*run[:2], "--resume", journal, "--method", "nuts"]) == 1
    assert "it was written with method = auto" in capsys.readouterr().err


def test_a_read_only_folder(model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What cannot be written is told before the run, by an end of 2; whoever may write everywhere is somebody else."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.parent.is_relative_to(tempfile.gettempdir()):
            folder.chmod(0o755)
    assert main(["check", str(model)]) == 0  # which imports what the other may not read
    run = ["infer", str(model), "--method", "lmh", "--sweeps", "5", "--seed", "1"]
    for option in (["--out", str(closed / "d.jsonl")], ["--checkpoint", str(closed / "j")]):
        child = os.fork()
        if not child:
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            os._exit(main([*run, *option]))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
        assert capfd.readouterr().err == f"pplc infer: error: cannot write {option[1]}: permission denied\n"


def test_auto_writes_to_what_is_no_file(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["infer", str(model), "--seed", "4", "--quiet", "--out", os.devnull]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_told_to_end(model: Path, tmp_path: Path, number: int) -> None:
    out, journal = tmp_path / "d.jsonl", tmp_path / "j"
    command = [sys.executable, "-m", "pplc", "infer", str(model), "--method", "lmh", "--sweeps", "10000000",
               "--quiet", "--seed", "1", "--out", str(out), "--checkpoint", str(journal), "--every", "0s"]  # fmt: skip
    heard = partial(signal.signal, number, signal.SIG_DFL)  # whatever the shell has told the tests to ignore
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, env={**os.environ, "PPLC_DEBUG": "0"}, preexec_fn=heard
    ) as process:
        try:
            part = Path(f"{out}.part")
            while not (part.exists() and part.stat().st_size > 1000):
                time.sleep(0.05)
                assert process.poll() is None
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 1
    assert b"sweeps done are in" in said and b"Traceback" not in said and b"internal" not in said
    assert part.stat().st_size > 1000 and journal.stat().st_size > 1000
