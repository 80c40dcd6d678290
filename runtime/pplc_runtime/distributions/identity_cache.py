"""What is costly to compute from an array, kept for as long as the same array comes back.

Arrays are recognised by identity. Each entry holds its array, so that its identity is not given to another.
Shared vectors and matrices of a program are read-only; one that is writable is compared with what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from numpy.typing import NDArray

Fact = TypeVar("Fact")


class IdentityCache(Generic[Fact]):
    """A function of an array with a bounded memory: the oldest entries leave first."""

    __slots__ = ("_bytes", "_compute", "_entries", "_most_bytes", "_most_entries")

    def __init__(self, compute: Callable[[NDArray[Any]], Fact], *, entries: int = 256, megabytes: int = 16) -> None:
        self._compute: Final = compute
        self._most_entries: Final = entries
        self._most_bytes: Final = megabytes * 2**20
        self._entries: Final[dict[int, tuple[NDArray[Any], bytes | None, Fact]]] = {}
        self._bytes = 0

    def __call__(self, array: NDArray[Any]) -> Fact:
        entry = self._entries.get(id(array))
        if entry is not None:
            if not array.flags.writeable or array.tobytes() == entry[1]:
                return entry[2]
            self._forget(id(array))
        fact = self._compute(array)
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
        self._bytes -= self._entries.pop(identity)[0].nbytes
