"""pplc compile: translate a model to a Python module."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from pplc.cli.sources import add_query, read_source
from pplc_runtime.command.failures import OK, UsageError
from pplc_runtime.command.files import STANDARD, write_text
from pplc_runtime.command.infer import add_inputs


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
    parser.add_argument("--emit", choices=["llvm"], help="write the LLVM IR of its machine code instead")
    add_inputs(parser)
    add_query(parser)
    return parser


def run(arguments: Namespace) -> int:
    """Compile one model."""
    source = read_source(arguments.model, arguments.query)
    from pplc.pipeline import PASSES, compile_source, dump_after
    from pplc_runtime.suggestions import suggestion

    wanted = arguments.dump_after
    every = (*PASSES, "specialise", "native")
    if wanted is None and arguments.emit is None:
        text = compile_source(source).text
    elif wanted in PASSES:
        text = dump_after(source, wanted)
    elif wanted in (None, "specialise", "native"):
        from pplc.model import compile_text
        from pplc_runtime.command.inputs import read_inputs
        from pplc_runtime.values import ModelError

        program = compile_text(source.text, source.name).program
        data = read_inputs(arguments.data, arguments.settings, program.inputs, program.asks_for_missing, program.needed)
        if wanted == "specialise":
            text = program.specialised(data)
        else:
            found = program.machine_code(data)
            if not found.kind and arguments.emit:
                raise ModelError(f"{source.name}: error: {found.sentence()}")
            text = found.sentence() if not found.kind else found.llvm() if arguments.emit else found.own
    else:
        raise UsageError(f"no pass '{wanted}'{suggestion(wanted, every)}; the passes are {', '.join(every)}")
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
