"""Room to recur in: passes follow the nesting of a program, which may be deeper than Python's stack."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final, TypeVar

from pplc_runtime.running import deep_stack

Result = TypeVar("Result")

STACK: Final = 1 << 28
DEEPEST: Final = 200_000


def with_room(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises, run in a thread with a large stack."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def target() -> None:
        collecting = gc.isenabled()
        gc.disable()  # the passes make trees without cycles, which the collector would walk over and over
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            if collecting:
                gc.enable()

    deep_stack.start(target, STACK, DEEPEST).join()
    if errors:
        raise errors[0]
    return results[0]
