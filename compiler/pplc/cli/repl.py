"""pplc repl: a program that is written in the terminal, and inferred as it grows."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pplc_runtime.command.failures import OK

FIRST, NEXT = "pplc> ", "  ... "
HISTORY = ".pplc_history"


def parser() -> ArgumentParser:
    """The command line of `pplc repl`."""
    parser = ArgumentParser(
        "pplc repl",
        description="Write a program in the terminal: statements are added to it, expressions are inferred from it.",
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="MODEL.clj", nargs="?", help="a model to begin with")
    return parser


def run(arguments: Namespace) -> int:
    """Read, and answer, until the input ends."""
    from pplc.cli.sources import read_source
    from pplc.session import Ended, Session

    session = Session()
    if arguments.model is not None:
        read_source(arguments.model)  # what cannot be read is told
        session.load(arguments.model)
    lines = _Lines(session.words)
    lines.say(":help lists what can be said; ctrl-d leaves")
    while True:
        try:
            text = lines.read(FIRST)
            while session.is_open(text):
                text += "\n" + lines.read(NEXT)
        except EOFError:
            lines.end()
            return OK
        except KeyboardInterrupt:
            lines.say("")
            continue
        if not text.strip():
            continue
        try:
            said = session.answer(text)
        except Ended:
            lines.end()
            return OK
        except KeyboardInterrupt:
            said = "interrupted"
        if said:
            print(said)


class _Lines:
    """Lines from a terminal, with its history and completion; or from a pipe, which is not talked to."""

    def __init__(self, words: Callable[[], list[str]]) -> None:
        self.talks = sys.stdin.isatty()
        self.history: Path | None = None
        if not self.talks:
            return
        try:
            import readline
        except ImportError:  # as on some systems
            return
        self.history = Path(os.path.expanduser("~")) / HISTORY
        with suppress(OSError):  # there is none yet
            readline.read_history_file(self.history)
        readline.set_completer_delims(" \t\n()[]{}\"';,")
        readline.set_completer(lambda start, nth: [*(each for each in words() if each.startswith(start)), None][nth])
        readline.parse_and_bind("tab: complete")

    def read(self, prompt: str) -> str:
        return input(prompt if self.talks else "")

    def say(self, text: str) -> None:
        if self.talks:
            print(text)

    def end(self) -> None:
        """Keep the history."""
        self.say("")
        if self.history is not None:
            import readline

            readline.set_history_length(1000)
            with suppress(OSError):
                readline.write_history_file(self.history)
