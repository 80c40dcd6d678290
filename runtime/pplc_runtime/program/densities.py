"""Densities as numbers: what a program asks of a distribution besides a draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pplc_runtime.lanes.varying import settle
from pplc_runtime.program.stochastic import log_density


def logpdf(source: Any, value: Any) -> Any:
    """(logpdf d x): the log density, or log mass, of a value; -inf where that is impossible."""
    return log_density(settle(source), value, "logpdf takes a distribution")


OF_DISTRIBUTIONS: Final[dict[str, tuple[Callable[..., Any], int, int]]] = {"logpdf": (logpdf, 2, 2)}
"""The procedures that ask, with the least and the largest number of their arguments."""
