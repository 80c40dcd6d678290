"""Every way in which a verb can fail, as a message on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import Protocol

from pplc.cli import FAILED, USAGE

DEBUG = "PPLC_DEBUG"


class UsageError(Exception):
    """The command was called wrongly: exit code 2."""


class RunError(Exception):
    """The run cannot go on, for a reason that is no fault of ours: exit code 1."""


class Verb(Protocol):
    """What a verb's module has."""

    def parser(self) -> ArgumentParser:
        """The verb's command line."""

    def run(self, arguments: Namespace) -> int:
        """Do it; returns the exit code."""


def run_verb(name: str, verb: Verb, arguments: list[str]) -> int:
    """Run a verb. Nothing but an interrupt or a closed pipe comes out of here as an exception."""
    try:
        parsed = verb.parser().parse_args(arguments)
    except SystemExit as exit:  # argparse has said what was wrong, or shown the help.
        return exit.code if isinstance(exit.code, int) else USAGE
    try:
        return verb.run(parsed)
    except UsageError as error:
        print(f"pplc {name}: error: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        raise
    except Exception as error:
        print(_message(name, error), file=sys.stderr)
        return FAILED


def _message(name: str, error: Exception) -> str:
    from pplc.diagnostics import CompileError

    if isinstance(error, CompileError) or _is_model_error(error):
        return str(error)
    if isinstance(error, MemoryError):
        return f"pplc {name}: error: out of memory; use fewer particles, or --out with --quiet"
    if isinstance(error, RecursionError):
        return f"pplc {name}: error: the program or a value in it is nested too deeply"
    if isinstance(error, RunError):
        return f"pplc {name}: error: {error}"
    if isinstance(error, OSError) and error.strerror:
        place = f"{os.fspath(error.filename)}: " if isinstance(error.filename, str | os.PathLike) else ""
        return f"pplc {name}: error: {place}{error.strerror}"
    if os.environ.get(DEBUG, "0") not in ("", "0"):
        import traceback

        return "".join(traceback.format_exception(error)).rstrip()
    return (
        f"pplc {name}: internal error: {type(error).__name__}: {error}\n"
        f"Please report this, with the model; {DEBUG}=1 shows where it happened."
    )


def _is_model_error(error: Exception) -> bool:
    # Without the runtime having been imported, by the verb, there is no such error (and no numpy to load).
    values = sys.modules.get("pplc_runtime.values")
    return values is not None and isinstance(error, values.ModelError)
