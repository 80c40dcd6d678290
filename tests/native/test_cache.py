"""Code is kept in a folder of the user's own; what is damaged or not the user's own there is not run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pplc_runtime.machine.machine import Machine, is_available

SOURCE = "def f(x: int) -> int:\n    return x + 41\n"

pytestmark = pytest.mark.skipif(not is_available(), reason="no llvmlite")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("PPLC_CACHE", raising=False)
    return tmp_path / "pplc" / "native"


def answer() -> int:
    return int(Machine(SOURCE, frozenset({"f"}))["f"](1))


def test_code_is_kept_for_the_user_only(folder: Path) -> None:
    assert answer() == 42
    assert folder.stat().st_mode & 0o777 == 0o700
    kept = [path for path in folder.iterdir() if path.name != "key"]
    assert len(kept) == 1 and all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())
    written = kept[0].stat().st_mtime_ns
    assert answer() == 42
    assert kept[0].stat().st_mtime_ns == written


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "signed by another"])
def test_damaged_code_is_not_run(folder: Path, damage: str) -> None:
    answer()
    (kept,) = (path for path in folder.iterdir() if path.name != "key")
    content = kept.read_bytes()
    if damage == "signed by another":
        (folder / "key").write_bytes(bytes(32))
    else:
        broken = {"cut": content[:-8], "changed": content[:80] + bytes([content[80] ^ 1]) + content[81:], "empty": b""}
        kept.write_bytes(broken[damage])
    assert answer() == 42
    assert len(kept.read_bytes()) == len(content)


def test_a_folder_of_others_is_not_used(folder: Path) -> None:
    answer()
    before = {path: path.read_bytes() for path in folder.iterdir()}
    os.chmod(folder, 0o777)
    for path in before:
        path.write_bytes(b"not code")
    assert answer() == 42


def test_there_may_be_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    assert answer() == 42
