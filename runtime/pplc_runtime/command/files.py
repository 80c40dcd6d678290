"""Reading and writing files, with a usage error for every file that cannot be."""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8
from pathlib import Path

from pplc_runtime.command.failures import UsageError

STANDARD = "-"


def read_bytes(path: str) -> bytes:
    """The content of a file, or of standard input for `-`."""
    try:
        return sys.stdin.buffer.read() if path == STANDARD else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:  # A name with a NUL in it.
        raise UsageError(f"cannot read {path!r}: not a file name") from None


def check_readable(path: str) -> None:
    """Say that a file cannot be read."""
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise UsageError(f"cannot read {path!r}: not a file name") from None


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`."""
    content = read_bytes(path)
    try:
        return decode(content)
    except NotUtf8 as error:
        line = error.before.count("\n") + 1
        column = len(error.before) - error.before.rfind("\n")
        raise UsageError(f"{path}:{line}:{column}: {error}") from None


class NotUtf8(ValueError):
    """Bytes that are no text in UTF-8; `before` is the text up to there."""

    def __init__(self, before: str, byte: int) -> None:
        super().__init__(f"not UTF-8 text (byte {byte:#04x})")
        self.before = before


def decode(content: bytes) -> str:
    """Bytes as text, without a byte order mark."""
    content = content.removeprefix(BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8(content[: error.start].decode("utf-8"), content[error.start]) from None


def check_writable(path: str) -> None:
    """Say before a long run, rather than after it, that its result could not be written."""
    target = Path(os.path.realpath(path))
    if os.path.isdir(target):  # which has an answer too where a folder may not be looked into, unlike Path's
        raise UsageError(f"cannot write {path}: it is a directory")
    if not os.path.isdir(target.parent):
        raise UsageError(f"cannot write {path}: there is no directory {target.parent}")
    if not os.access(target if os.path.exists(target) else target.parent, os.W_OK):
        raise UsageError(f"cannot write {path}: permission denied")


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    check_writable(path)
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():  # A pipe or a device is written to, not replaced.
        target.write_text(text, encoding="utf-8", newline="\n")
        return
    part = target.with_name(target.name + ".part")
    part.write_text(text, encoding="utf-8", newline="\n")
    os.replace(part, target)
