"""A channel: hands the sweeps of one thread to another."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

_MOMENT = 0.05
_MOST_AT_ONCE = 64


class _Stopped(BaseException):
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
                raise _Stopped
            self.items.append(sweep)
            now = time.monotonic()
            if now - self.told > _MOMENT or len(self.items) > _MOST_AT_ONCE:
                self.told = now
                self.lock.notify()
            while len(self.items) > _MOST_AT_ONCE and not self.stopped:
                self.lock.wait(0.1)

    def end(self, error: BaseException | None) -> None:
        with self.lock:
            self.error = None if isinstance(error, _Stopped) else error
            self.ended = True
            self.lock.notify()

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            self.lock.notify_all()

    def __iter__(self) -> Iterator[Any]:
        while True:
            with self.lock:
                while not self.items and not self.ended:
                    self.lock.wait(0.5)
                items, self.items = self.items, []
                self.lock.notify_all()
                ended = self.ended and not items
            yield from items
            if ended:
                if self.error is not None:
                    raise self.error
                return
