"""pplc lsp: a language server for editors, on standard input and output."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

from pplc_runtime.command.failures import OK, UsageError


def parser() -> ArgumentParser:
    """The command line of `pplc lsp`."""
    return ArgumentParser(
        "pplc lsp",
        description="Serve an editor by the language server protocol, on standard input and output: errors as you "
        "type, completion, hover, definitions, layout.",
        allow_abbrev=False,
    )


def run(arguments: Namespace) -> int:
    """Serve until the editor ends it."""
    if find_spec("pygls") is None:
        raise UsageError("it needs pygls: pip install 'pplc[lsp]'")
    from pplc.language_server import new_server

    # It closes what it is given; the command wants its own to stay open.
    new_server().start_io(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
    return OK
