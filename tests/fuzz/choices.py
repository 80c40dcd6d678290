"""Chance that comes from bytes: what a fuzzer changes is what a generator of programs chooses."""

from __future__ import annotations

from random import Random


class Choices(Random):
    """Choices by two bytes each, in order; where there are no more, the first of all."""

    def __init__(self, content: bytes) -> None:
        super().__init__(0)
        self.content, self.place = content, 0

    def random(self) -> float:
        two = self.content[self.place : self.place + 2].ljust(2, b"\0")
        self.place += 2
        return int.from_bytes(two) / 65536

    def integers(self, low: int, high: int | None = None) -> int:
        """As numpy's generators have it."""
        low, high = (0, low) if high is None else (low, high)
        return low + int(self.random() * (high - low))

    def normal(self) -> float:
        """As numpy's generators have it; where it comes from does not matter."""
        return 4 * self.random() - 2
