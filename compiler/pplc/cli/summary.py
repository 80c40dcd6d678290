"""pplc summary: show the summary of draws in a file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from pplc_runtime.command.draws import ENDINGS, read
from pplc_runtime.command.failures import OK


def parser() -> ArgumentParser:
    """The command line of `pplc summary`."""
    parser = ArgumentParser(
        "pplc summary",
        description="Show the summary of draws that `pplc infer --out FILE` has written.",
        allow_abbrev=False,
    )
    parser.add_argument("draws", metavar="FILE", help=f"the draws: {ENDINGS}")
    return parser


def run(arguments: Namespace) -> int:
    """Read and show."""
    from pplc_runtime.command.draws import show

    show(read(arguments.draws))
    return OK
