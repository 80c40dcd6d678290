"""Deep stacks: threads with room to recur in.

Python's limit of recursion is one for all threads. It is as high as the highest that anybody wants who is at work, and
back to what it was when all are done: threads do not take it from each other.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

process_wide: Final = threading.Lock()
"""Held for a moment by who changes what is one for the whole process; not while it is forked."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=process_wide.acquire, after_in_parent=process_wide.release, after_in_child=process_wide.release
    )
_wanted: Final[list[int]] = []
"""What those at work want; the first is what it was before them."""


@contextmanager
def recursion(limit: int) -> Iterator[None]:
    """Recursion may go this deep."""
    with process_wide:
        if not _wanted:
            _wanted.append(sys.getrecursionlimit())
        _wanted.append(limit)
        sys.setrecursionlimit(max(_wanted))
    try:
        yield
    finally:
        with process_wide:
            _wanted.remove(limit)
            sys.setrecursionlimit(max(_wanted))
            if len(_wanted) == 1:
                _wanted.clear()


def start(work: Callable[[], None], stack: int, limit: int) -> threading.Thread:
    """Work in a thread of its own, with a stack of so many bytes, where recursion may go this deep."""

    def target() -> None:
        with suppress(BaseException), recursion(limit):  # errors are handed over; a thread may be told twice to end
            work()

    with process_wide:  # the size is one for all threads that start
        size = threading.stack_size(stack)
        try:
            thread = threading.Thread(target=target, daemon=True)
            thread.start()
        finally:
            threading.stack_size(size)
    return thread
