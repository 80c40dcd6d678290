"""Values of options, as the settings of a run have them."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from pplc_runtime.settings import Check


def reading(check: Check) -> Callable[[str], Any]:
    """How argparse reads an option: its text, as a number where it is one, is checked as from Python; 1e3 is 1000."""

    def read(text: str) -> Any:
        try:
            return check(_number_in(text))
        except (TypeError, ValueError) as error:
            raise ArgumentTypeError(str(error)) from None

    return read


def seconds(value: Any) -> float:
    """A time: a number of seconds, or one with a unit, 30s or 5m or 2h."""
    units = {"s": 1, "m": 60, "h": 3600}
    text = str(value)
    scale = units.get(text[-1:], 1)
    try:
        found = float(text[:-1] if text[-1:] in units else text) * scale
    except ValueError:
        found = -1.0
    if not 0 <= found < 1e9:
        raise ValueError(f"must be a time such as 30s, 5m or 2h, not {text!r}")
    return found


def _number_in(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return int(number) if number % 1 == 0 else number
    return text
