"""A channel: hands the sweeps of one thread, which has a stack for deep recursion, to another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from pplc_runtime.program.errors import Limited, Reached
from pplc_runtime.running import deep_stack
from pplc_runtime.running.limits import end, watch
from pplc_runtime.running.memory import rare_collections

Item = TypeVar("Item")
_MOMENT = 0.05
_PATIENCE, _PATIENCE_IF_INTERRUPTED = 30.0, 1.0
"""Seconds that a sweep has to be done when nobody wants it any more; then it is ended where it stands."""
_MOST_AT_ONCE = 64


class Stopped(BaseException):
    """Nobody wants the sweeps of a thread any more."""


class Channel:
    """Hands sweeps from one thread to another, those of a moment together: waking it costs as much as a sweep."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.items: list[Any] = []
        self.ended = False
        self.stopped = False
        self.error: BaseException | None = None
        self.told = 0.0

    def put(self, sweep: Any) -> None:
        with self.lock:
            if self.stopped:
                raise Stopped
            self.items.append(sweep)
            now = time.monotonic()
            if now - self.told > _MOMENT or len(self.items) > _MOST_AT_ONCE:
                self.told = now
                self.lock.notify()
            while len(self.items) > _MOST_AT_ONCE and not self.stopped:
                self.lock.wait(0.1)

    def end(self, error: BaseException | None) -> None:
        with self.lock:
            self.error = None if isinstance(error, Stopped) else error
            self.ended = True
            self.lock.notify()

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            self.lock.notify_all()

    def of(self, thread: threading.Thread) -> Iterator[Any]:
        """What a thread hands over; its error, if it ends with one."""
        while True:
            with self.lock:
                while not self.items and not self.ended:
                    self.lock.wait(0.5)
                    if not thread.is_alive() and not self.ended:  # it was ended while it was ending
                        self.ended, self.error = True, Limited("the run has come to one of its limits")
                items, self.items = self.items, []
                self.lock.notify_all()
                ended = self.ended and not items
            yield from items
            if ended:
                if self.error is not None:
                    raise self.error
                return


def handed_over(work: Callable[[], Iterator[Item]], stack: int, limit: int) -> Generator[Item]:
    """Sweeps or other results, one by one; computed in a thread with such a stack, where recursion may go so deep."""
    channel = Channel()

    def target() -> None:
        with suppress(Reached, Stopped):  # which may come again while the first is told
            try:
                with rare_collections():
                    for sweep in work():
                        channel.put(sweep)
                channel.end(None)
            except BaseException as error:
                channel.end(Limited(error.said) if isinstance(error, Reached) else error)

    thread = deep_stack.start(target, stack, limit)
    watch(thread)
    patience = _PATIENCE
    try:
        yield from channel.of(thread)
    except KeyboardInterrupt:
        patience = _PATIENCE_IF_INTERRUPTED
        raise
    finally:
        channel.stop()
        thread.join(patience)
        end(thread, Stopped)
