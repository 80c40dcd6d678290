"""Suggestions: the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


def suggestion(name: Any, known: Iterable[str]) -> str:
    """`; did you mean 'normal'?`, or nothing when no known name is close."""
    close = get_close_matches(str(name), list(known), n=1, cutoff=0.65)
    return f"; did you mean '{close[0]}'?" if close else ""
