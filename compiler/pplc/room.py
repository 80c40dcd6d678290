"""Room to recur in: passes follow the nesting of a program, which may be deeper than Python's stack."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import Final, TypeVar

Result = TypeVar("Result")

STACK: Final = 1 << 28
DEEPEST: Final = 200_000


def with_room(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises, run in a thread with a large stack."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def target() -> None:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, DEEPEST))
        collecting = gc.isenabled()
        gc.disable()  # the passes make trees without cycles, which the collector would walk over and over
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            sys.setrecursionlimit(limit)
            if collecting:
                gc.enable()

    size = threading.stack_size(STACK)
    try:
        thread = threading.Thread(target=target, daemon=True)
        thread.start()
    finally:
        threading.stack_size(size)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
