"""Libraries that are not needed by all: what is absent is told by the extra that has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class MissingExtra(ImportError):
    """A library is not installed."""


@contextmanager
def extra(name: str, *libraries: str) -> Iterator[None]:
    """Imports of the libraries of an extra."""
    try:
        yield
    except ImportError as error:
        absent = next((each for each in libraries if (error.name or "").split(".")[0] == each), None)
        if absent is None:
            raise
        raise MissingExtra(f"this needs {absent}: pip install 'pplc[{name}]'", name=absent) from None
