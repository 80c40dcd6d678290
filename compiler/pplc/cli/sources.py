"""Reading models."""

from __future__ import annotations

from pplc.source import Source
from pplc_runtime.command.files import STANDARD, read_text


def read_source(path: str) -> Source:
    """A model's source, named as the user named it."""
    return Source("<stdin>" if path == STANDARD else path, read_text(path))
