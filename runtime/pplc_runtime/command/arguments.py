"""Values of options, as the settings of a run have them."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import Any

from pplc_runtime.settings import Check


def reading(check: Check) -> Callable[[str], Any]:
    """How argparse reads an option: its text, as a number where it is one, is checked as from Python."""

    def read(text: str) -> Any:
        try:
            return check(_number_in(text))
        except (TypeError, ValueError) as error:
            raise ArgumentTypeError(str(error)) from None

    return read


def _number_in(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
