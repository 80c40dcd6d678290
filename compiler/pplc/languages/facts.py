"""A resolved program with what `analyse` knows of it."""

from __future__ import annotations

from dataclasses import dataclass

from pplc.languages import core
from pplc.source import Span


@dataclass(frozen=True, slots=True)
class Analysis:
    """The program, and what is known of its globals and predicts: see `analyse`."""

    program: core.Program
    direct: dict[str, core.Lambda]
    constant: frozenset[str]
    random: frozenset[str]
    shared: frozenset[str]
    acting: frozenset[Span]
    kept: dict[Span, tuple[str, ...]]
