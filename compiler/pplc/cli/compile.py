"""pplc compile: translate a model to a Python module."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from pplc.cli.sources import add_query, read_source
from pplc_runtime.command.failures import OK, UsageError
from pplc_runtime.command.files import STANDARD, write_text


def parser() -> ArgumentParser:
    """The command line of `pplc compile`."""
    parser = ArgumentParser(
        "pplc compile",
        description="Translate a model to a Python module that imports only pplc_runtime.",
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="MODEL.clj", help="the model, or - for standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: standard output)")
    parser.add_argument(
        "--dump-after", metavar="PASS", help="write the program as it is after a pass of the compiler instead"
    )
    add_query(parser)
    return parser


def run(arguments: Namespace) -> int:
    """Compile one model."""
    source = read_source(arguments.model, arguments.query)
    from pplc.pipeline import PASSES, compile_source, dump_after
    from pplc_runtime.suggestions import suggestion

    wanted = arguments.dump_after
    if wanted is None:
        text = compile_source(source).text
    elif wanted in PASSES:
        text = dump_after(source, wanted)
    else:
        raise UsageError(f"no pass '{wanted}'{suggestion(wanted, PASSES)}; the passes are {', '.join(PASSES)}")
    if not text.endswith("\n"):
        text += "\n"
    if arguments.output in (None, STANDARD):
        # As bytes: the module is UTF-8 whatever the terminal is.
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        return OK
    if os.path.realpath(arguments.output) == os.path.realpath(arguments.model):
        raise UsageError(f"{arguments.output} is the model itself")
    write_text(arguments.output, text)
    return OK
