"""The handler: who answers a running program, as generated code, primitives and parted lanes see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from pplc_runtime.lanes.addresses import At
from pplc_runtime.values import Memo, Value


class Handler(Protocol):
    """What a sample, an observe, a look-up or a memoised call comes to in a run."""

    # Asked by the program

    def read(self, name: str) -> Value:
        """The value of a global."""

    def sample(self, at: At, source: Value) -> Value:
        """A draw from a distribution or process."""

    def observe(self, at: At, source: Value, value: Value) -> Value:
        """Weigh an observe inside of an expression, whose value is the result."""

    def entry(self, memo: Memo, at: At, arguments: tuple[Value, ...]) -> Value:
        """The entry of a memo for arguments that lanes agree on."""

    def entries(self, memo: Memo, argument: Value) -> Value:
        """The entries of a memo for whole numbers that vary by lane."""

    def nested(self, query: Value, settings: Any) -> Value:
        """The distribution of what a procedure gives, given its observes."""

    # Asked where lanes part

    deaths: int
    """How often lanes were found dead: who has parted lanes looks whether it was meanwhile."""

    def decided(self, truth: Any) -> Any:
        """Told of every predicate: true, false, or an array of booleans where lanes disagree."""

    def bury(self) -> None:
        """Go on with the lanes of the running frame whose weight is not zero."""

    # Asked by primitives and formulas

    call: Callable[..., Value]
    """How procedures that are handed to a primitive are called."""
    formulas: dict[Any, Any] | None
    """The last value of every formula, where segments are run more than once."""


class Weighing(Protocol):
    """What a stochastic value with a state of its own asks of a handler: where it is kept, draws and densities."""

    def load(self, at: At, default: Value) -> Value:
        """What is kept under an address, in the lanes of the running frame."""

    def save(self, at: At, value: Value) -> None:
        """Keep a value under an address, in the lanes of the running frame."""

    def draw(self, at: At, source: Value) -> Value:
        """A value of a distribution."""

    def score(self, at: At, source: Value, value: Value) -> Value:
        """The log density of a value."""
