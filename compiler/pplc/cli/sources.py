"""Reading models."""

from __future__ import annotations

import os

from pplc.source import Source
from pplc_runtime.command.files import STANDARD, read_text


def read_source(path: str) -> Source:
    """A model's source, named as the user named it."""
    if path == STANDARD:
        return Source("<stdin>", read_text(path))
    return Source(path, read_text(path), os.path.dirname(path))
