"""Limits of a run: how long it may take, and how much memory the process may have.

A thread looks at the clock and at the memory while another one runs the program. Where a limit is reached, an exception
is raised in the running thread, wherever it stands, so that the message has the line; machine code that may go on
without end looks at a word of memory. What was drawn before is kept. A limit does not end a single operation on arrays
before it is done.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pplc_runtime.machine.halting import halt
from pplc_runtime.program.errors import Reached

_MOMENT: Final = 0.1
_SHARE: Final = 0.9
"""Unless told otherwise, a run may have so much of the memory of the machine."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run has to end by the monotonic clock, and how many bytes the process may have."""

    seconds: float | None
    end: float | None
    memory: int | None

    def reached(self) -> str | None:
        """What the run has come to, in words."""
        if self.end is not None and time.monotonic() >= self.end:
            return f"the run has taken {self.seconds:g} s, its limit by --max-seconds or max_seconds="
        if self.memory is not None and (used := memory_used()) > self.memory:
            limit = f"its limit, by --max-memory or max_memory=, is {self.memory >> 20} MB"
            return f"the run has {used >> 20} MB of memory; {limit}"
        return None


_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


@contextmanager
def limited(seconds: float | None, memory: int | None) -> Iterator[None]:
    """Runs in here are limited; one inside of another keeps the limits that it has."""
    outer = _limits.get()
    if outer is not None and seconds is None and memory is None:
        yield
        return
    end = None if seconds is None else time.monotonic() + seconds
    token = _limits.set(Limits(seconds, end, most_memory() if memory is None else memory))
    try:
        yield
    finally:
        _limits.reset(token)


def for_another() -> Limits | None:
    """The limits of here for another process, whose clock is its own: its end is what is left of the time."""
    limits = _limits.get()
    if limits is None or limits.end is None:
        return limits
    return replace(limits, end=limits.end - time.monotonic())


@contextmanager
def of_another(limits: Limits | None) -> Iterator[None]:
    """Runs in here have the limits that another process has handed over."""
    if limits is not None and limits.end is not None:
        limits = replace(limits, end=time.monotonic() + limits.end)
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


def watch(thread: threading.Thread) -> None:
    """Hold a thread to the limits of whoever started it."""
    limits = _limits.get()
    if limits is not None:
        threading.Thread(target=_watch, args=(thread, limits), daemon=True).start()


def _watch(thread: threading.Thread, limits: Limits) -> None:
    while thread.is_alive():
        said = limits.reached()
        if said is not None:
            end(thread, type("Reached", (Reached,), {"said": said}))
            return
        thread.join(_MOMENT)


def end(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raise an error in a thread, wherever it stands, and tell machine code to stop, until the thread is at its end.

    One that has come in is handled, which may take a while; it is raised again only if nothing comes of it."""
    ident = thread.ident or 0
    patience = _MOMENT
    while thread.is_alive():
        raised = threading.Event()
        own: Any = type(error.__name__, (error,), {"__init__": lambda self, *given, raised=raised: raised.set()})
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(own))
        while thread.is_alive() and not raised.is_set():
            halt(ident)
            raised.wait(_MOMENT)
        patience *= 2
        thread.join(10 * patience)


def memory_used() -> int:
    """The bytes of memory that the process has now; where that is not told, the most that it has had."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def most_memory() -> int | None:
    """What a run may have unless told otherwise: most of what the machine has, or the group that it runs in."""
    try:
        sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (ValueError, OSError):
        return None
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            sizes.append(int(Path(path).read_text()))
        except (OSError, ValueError):
            continue
    return int(_SHARE * min(sizes))
