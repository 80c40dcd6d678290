"""Kinds of option values, each with a message that says what is wanted."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Collection

from pplc.diagnostics import suggestion


def whole(least: int) -> Callable[[str], int]:
    """A whole number from `least` on."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ArgumentTypeError(f"must be a whole number, not '{text}'") from None
        if number < least:
            raise ArgumentTypeError(f"must be at least {least}, not {number}")
        return number

    return read


def share(text: str) -> float:
    """A number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        raise ArgumentTypeError(f"must be a number, not '{text}'") from None
    if not 0 <= number <= 1:
        raise ArgumentTypeError(f"must be between 0 and 1, not {text}")
    return number


def one_of(kind: str, names: Collection[str]) -> Callable[[str], str]:
    """One of a few names."""

    def read(text: str) -> str:
        if text not in names:
            close = suggestion(text, names) or f"; there are {', '.join(names)}"
            raise ArgumentTypeError(f"unknown {kind} '{text}'{close}")
        return text

    return read
