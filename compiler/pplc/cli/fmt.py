"""pplc fmt: write models in one layout."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from pplc.cli.sources import read_source
from pplc_runtime.command.failures import FAILED, OK
from pplc_runtime.command.files import STANDARD, write_text


def parser() -> ArgumentParser:
    """The command line of `pplc fmt`."""
    parser = ArgumentParser(
        "pplc fmt",
        description="Write models in one layout: indentation, and blanks beside brackets. Comments stay as they are, "
        "and so do the places where lines break.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "models",
        metavar="MODEL.clj",
        nargs="+",
        help="the models, to be written over; - for standard input and output",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a model has another layout")
    return parser


def run(arguments: Namespace) -> int:
    """Write those that are not in the layout yet."""
    from pplc.layout import formatted
    from pplc.passes.read import read

    others = 0
    for path in arguments.models:
        source = read_source(path)
        read(source)  # what cannot be read is told, and left alone
        text = formatted(source.text)
        if path == STANDARD and not arguments.check:
            sys.stdout.write(text)
        elif text != source.text:
            others += 1
            if arguments.check:
                print(f"{source.name}: not in the layout of pplc fmt", file=sys.stderr)
            else:
                write_text(path, text)
    return FAILED if others and arguments.check else OK
