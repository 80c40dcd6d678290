"""Reading models."""

from __future__ import annotations

import os
from argparse import ArgumentParser

from pplc.source import Source
from pplc_runtime.command.files import STANDARD, read_text


def read_source(path: str, query: str | None = None) -> Source:
    """A model's source, named as the user named it, and the query in it that is meant."""
    if path == STANDARD:
        return Source("<stdin>", read_text(path), query=query)
    return Source(path, read_text(path), os.path.dirname(path), query=query)


def add_query(parser: ArgumentParser) -> None:
    """The option that names a query."""
    parser.add_argument("--query", metavar="NAME", help="the defquery that is meant, in a file of several")
