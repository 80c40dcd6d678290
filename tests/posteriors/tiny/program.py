"""A tiny program: its text, and a twin that can be enumerated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tests.posteriors.enumeration import Twin


@dataclass(frozen=True, slots=True)
class TinyProgram:
    """A program's text, and the same model as a Python function."""

    source: str
    twin: Twin


Programs: TypeAlias = dict[str, TinyProgram]


def entered_in(table: Programs) -> Callable[[str], Callable[[Twin], Twin]]:
    """The decorator that enters a twin in a table beside its source."""

    def program(source: str) -> Callable[[Twin], Twin]:
        def enter(twin: Twin) -> Twin:
            table[twin.__name__] = TinyProgram(source.strip() + "\n", twin)
            return twin

        return enter

    return program
