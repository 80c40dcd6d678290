"""What is costly to compute from an array, kept for as long as the same array comes back.

Arrays are recognised by identity. Each entry holds its array, so that its identity is not given to another.
Shared vectors and matrices of a program are read-only; one that is writable is compared with what it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from numpy.typing import NDArray

Fact = TypeVar("Fact")
_lock: Final = Lock()
if hasattr(os, "register_at_fork"):  # nobody holds it in a new process
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


class IdentityCache(Generic[Fact]):
    """A function of an array with a bounded memory: the oldest entries leave first. Threads may share it."""

    __slots__ = ("_bytes", "_compute", "_entries", "_most_bytes", "_most_entries")

    def __init__(self, compute: Callable[[NDArray[Any]], Fact], *, entries: int = 256, megabytes: int = 16) -> None:
        self._compute: Final = compute
        self._most_entries: Final = entries
        self._most_bytes: Final = megabytes * 2**20
        self._entries: Final[dict[int, tuple[NDArray[Any], bytes | None, Fact]]] = {}
        self._bytes = 0

    def __call__(self, array: NDArray[Any]) -> Fact:
        entry = self._entries.get(id(array))
        if entry is not None and (not array.flags.writeable or array.tobytes() == entry[1]):
            return entry[2]
        fact = self._compute(array)
        with _lock:
            self._forget(id(array))
            while self._entries and (
                len(self._entries) >= self._most_entries or self._bytes + array.nbytes > self._most_bytes
            ):
                self._forget(next(iter(self._entries)))
            self._entries[id(array)] = (array, array.tobytes() if array.flags.writeable else None, fact)
            self._bytes += array.nbytes
        return fact

    def __len__(self) -> int:
        return len(self._entries)

    def _forget(self, identity: int) -> None:
        entry = self._entries.pop(identity, None)
        self._bytes -= 0 if entry is None else entry[0].nbytes
