"""How a thread that runs machine code is told to stop: by a field `halt` of its record, at which all that may go on
without end looks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_running: Final[dict[int, Any]] = {}
"""The record that a thread runs with."""


@contextmanager
def halting(record: Any) -> Iterator[None]:
    """What is run in here can be told to stop."""
    thread = threading.get_ident()
    _running[thread] = record
    try:
        yield
    finally:
        _running.pop(thread, None)


def halt(thread: int) -> None:
    """Tell a thread to stop, if it runs machine code now."""
    record = _running.get(thread)
    if record is not None and hasattr(record, "words"):
        record.words[record.names.index("halt")] = 1
