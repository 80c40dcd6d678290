"""The progress of a run, shown on a terminal or in a notebook."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from typing import Any

DELAY = 1.0
"""Seconds before the bar appears: short runs show none."""


class Progress:
    """Counts sweeps, under a bar if standard error is a terminal, or this is a notebook."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self.total = total
        self.done = 0
        self.interrupted = False
        self._bar: Any = None
        if not quiet and (sys.stderr.isatty() or "ipykernel" in sys.modules):
            with warnings.catch_warnings():  # a notebook without widgets has a bar of text
                warnings.simplefilter("ignore")
                from tqdm.auto import tqdm

            self._bar = tqdm(total=total, unit=" sweeps", delay=DELAY, leave=False, dynamic_ncols=True)

    def step(self, count: int = 1) -> None:
        """Some sweeps more."""
        self.done += count
        if self._bar is not None:
            self._bar.update(count)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def say(self, message: str) -> None:
        """A line on standard error, below the bar."""
        with suppress(OSError):  # the terminal may be gone
            self.close()
            print(message, file=sys.stderr)
