"""A resolved program with what `analyse` knows of it."""

from __future__ import annotations

from dataclasses import dataclass

from pplc.languages import core


@dataclass(frozen=True, slots=True)
class Analysis:
    """The program, and the globals that are closed procedures, constant, or random."""

    program: core.Program
    direct: dict[str, core.Lambda]
    constant: frozenset[str]
    random: frozenset[str]
