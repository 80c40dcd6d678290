"""Every way in which a command can end, as a message on stderr and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType

from pplc_runtime.suggestions import suggestion

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
DEBUG = "PPLC_DEBUG"


class UsageError(Exception):
    """The command was called wrongly: exit code 2."""


class RunError(Exception):
    """The run cannot go on, for a reason that is no fault of ours: exit code 1."""


def unrecognized(parser: ArgumentParser, unknown: list[str]) -> str:
    """What is said of arguments that a command line does not have."""
    known = [option for action in parser._actions for option in action.option_strings]
    return f"unrecognized arguments: {' '.join(unknown)}{suggestion(unknown[0], known)}"


def run_command(
    parser: ArgumentParser, run: Callable[[Namespace], int], arguments: list[str], *told: type[Exception]
) -> int:
    """Run a command. Nothing but an interrupt or a closed pipe comes out of here as an exception.

    `told` are errors that say themselves where and what they are, as those of a model do."""
    try:
        parsed, unknown = parser.parse_known_args(arguments)
        if unknown:
            parser.error(unrecognized(parser, unknown))
    except SystemExit as exit:  # argparse has said what was wrong, or shown the help.
        return exit.code if isinstance(exit.code, int) else USAGE
    try:
        return run(parsed)
    except UsageError as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        raise
    except Exception as error:
        is_told = isinstance(error, told) or _is_model_error(error)
        with suppress(OSError):  # the terminal may be gone
            print(str(error) if is_told else _message(parser.prog, error), file=sys.stderr)
        return FAILED


def leave_by_signals() -> None:
    """Where the terminal is closed or the process is told to end, end as by an error: what was drawn is kept."""
    if threading.current_thread() is not threading.main_thread():
        return
    for name, said in (("SIGHUP", "the terminal was closed"), ("SIGTERM", "told to end")):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, partial(_leave, said))


def _leave(said: str, number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise RunError(said)


def ended(cause: BaseException) -> int:
    """The exit code where an interrupt or a closed pipe has ended a command."""
    if isinstance(cause, KeyboardInterrupt):
        print("pplc: interrupted", file=sys.stderr)
        return INTERRUPTED
    # Whoever read our output has enough. What is still buffered must not be tried again at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def _message(prog: str, error: Exception) -> str:
    if isinstance(error, MemoryError):
        return f"{prog}: error: out of memory; use fewer particles, or --out with --quiet"
    if isinstance(error, RecursionError):
        return f"{prog}: error: the program or a value in it is nested too deeply"
    if isinstance(error, RunError):
        return f"{prog}: error: {error}"
    if isinstance(error, OSError) and error.strerror:
        place = f"{os.fspath(error.filename)}: " if isinstance(error.filename, str | os.PathLike) else ""
        return f"{prog}: error: {place}{error.strerror}"
    if os.environ.get(DEBUG, "0") not in ("", "0"):
        import traceback

        return "".join(traceback.format_exception(error)).rstrip()
    return (
        f"{prog}: internal error: {type(error).__name__}: {error}\n"
        f"Please report this, with the model; {DEBUG}=1 shows where it happened."
    )


def _is_model_error(error: Exception) -> bool:
    # Without the engine having been imported there is no such error (and no numpy to load).
    values = sys.modules.get("pplc_runtime.values")
    return values is not None and isinstance(error, values.ModelError)
