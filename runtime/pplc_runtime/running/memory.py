"""Memory: Python's cyclic collector.

It looks at everything that is alive again and again, of which a run has much and throws almost nothing away in cycles:
while one runs, the collector is called more rarely.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pplc_runtime.running.deep_stack import process_wide

_RARE: Final = (100_000, 50, 100)
_before: Final[list[tuple[int, int, int]]] = []
"""The thresholds that each of those at work has found; the first is what it was before them."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Fewer calls of the cyclic collector, until all are done that want so."""
    with process_wide:
        _before.append(gc.get_threshold())
        gc.set_threshold(*_RARE)
    try:
        yield
    finally:
        with process_wide:
            first = _before[0]
            _before.pop()
            if not _before:
                gc.set_threshold(*first)
