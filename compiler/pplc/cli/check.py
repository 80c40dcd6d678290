"""pplc check: report the errors and warnings of models."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from pplc.cli.sources import add_query, read_source
from pplc.source import Source
from pplc_runtime.command.failures import FAILED, OK, USAGE, UsageError
from pplc_runtime.command.infer import add_inputs


def parser() -> ArgumentParser:
    """The command line of `pplc check`."""
    parser = ArgumentParser(
        "pplc check",
        description="Report all errors and warnings of models. Warnings alone leave the exit code at 0.",
        allow_abbrev=False,
    )
    parser.add_argument("models", metavar="MODEL.clj", nargs="+", help="the models, or - for standard input")
    parser.add_argument(
        "--native", action="store_true", help="say also whether each runs as machine code, and why one does not"
    )
    add_query(parser)
    add_inputs(parser)
    return parser


def run(arguments: Namespace) -> int:
    """Check every model; a file that cannot be read does not keep the others from being checked."""
    from pplc.diagnostics import CompileError, render_all
    from pplc.include import gathered
    from pplc.pipeline import check

    if (arguments.data or arguments.settings) and not arguments.native:
        raise UsageError("--data and --set are for --native: errors and warnings do not depend on data")
    errors = warnings = 0
    code = OK
    for path in arguments.models:
        try:
            source = gathered(read_source(path, arguments.query))
        except UsageError as error:
            print(f"pplc check: error: {error}", file=sys.stderr)
            code = USAGE
            continue
        except CompileError as error:
            print(error, file=sys.stderr)
            errors += len(error.diagnostics)
            continue
        found = check(source)
        if found:
            print(render_all(source, found), file=sys.stderr)
        severe = sum(diagnostic.severity == "error" for diagnostic in found)
        if arguments.native and not severe:
            print(f"{path}: {_native(source, arguments)}")
        errors += severe
        warnings += len(found) - severe
    if errors + warnings > 1:
        print(f"{_count(errors, 'error')}, {_count(warnings, 'warning')}", file=sys.stderr)
    return code or (FAILED if errors else OK)


def _native(source: Source, arguments: Namespace) -> str:
    """How a program is run on the data at hand: what is given, and the defaults of other inputs."""
    from pplc.model import compile_text
    from pplc_runtime.command.inputs import read_inputs
    from pplc_runtime.values import ModelError

    program = compile_text(source.text, source.name).program
    data = read_inputs(arguments.data, arguments.settings, program.inputs, program.asks_for_missing)
    try:
        return program.machine_code(data).sentence()
    except ModelError as error:
        return f"not known, since it cannot be run: {error}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
