"""A session of `pplc repl`: a program that grows, statement by statement, and expressions that are inferred from it.

    pplc> [assume x (sample (normal 0 1))]
    pplc> [observe (normal x 1) 2]
    pplc> x
    mean 1.002, sd 0.7059, ...

A statement that cannot be compiled is told and is no part of the program. An expression is predicted after all of it.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pplc.diagnostics import CompileError
from pplc.editing import names_at
from pplc.languages.forms import STATEMENTS, Form, Group, Name
from pplc.layout import open_brackets
from pplc.model import Model, compile_text, read_text
from pplc.passes.read import read
from pplc.source import Source
from pplc.vocabulary import words
from pplc_runtime.command.arguments import reading
from pplc_runtime.composed import method_in, offer_of
from pplc_runtime.composition import Composition
from pplc_runtime.results.columns import shown
from pplc_runtime.settings import SETTINGS
from pplc_runtime.suggestions import suggestion
from pplc_runtime.values import ModelError

NAME = "<repl>"
HELP = """[assume x (sample (normal 0 1))]   a statement: it is added to the program
x                                  an expression: its posterior, given all observes
:list                              the program
:undo                              without its last statement
:clear                             begin anew
:load FILE                         the program in a file; :save FILE writes it
:method pgas                       how to infer; also :particles, :sweeps, :seed, ... of `pplc infer`
:settings                          how it is inferred now
:quit                              leave (also ctrl-d)"""


COMMANDS = ("help", "list", "undo", "clear", "load", "save", "settings", "quit")


class Ended(Exception):
    """The session is over."""


class Session:
    """What was said so far."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.method: str | Composition = "importance"
        self.settings: dict[str, Any] = {}

    def is_open(self, text: str) -> bool:
        """Whether a text goes on in the next line: a bracket or a string is not closed yet."""
        return not text.lstrip().startswith(":") and open_brackets(text) > 0

    def answer(self, text: str) -> str:
        """What is said to a text: nothing to a statement, a summary to an expression, a message to what is wrong."""
        try:
            if text.strip().startswith(":") and len(text.split()[0]) > 1 and "(" not in text:
                return self.command(text.strip()[1:])
            return "\n".join(filter(None, [self.form(text, form) for form in read(Source(NAME, text))]))
        except (CompileError, ModelError) as error:
            return str(error)
        except (ArgumentTypeError, TypeError, ValueError, OSError) as error:
            return f"error: {error}"

    def form(self, text: str, form: Form) -> str:
        """A statement or an expression of a text."""
        own = text[form.start : form.end]
        head = form.items[0] if isinstance(form, Group) and form.items else None
        if not isinstance(head, Name) or head.text not in STATEMENTS:
            return self.inferred(own)
        self.compiled([*self.statements, own])
        self.statements.append(own)
        return ""

    def compiled(self, statements: list[str]) -> Model:
        """A program of statements, as errors show it."""
        return compile_text("\n".join(statements) + "\n", NAME)

    def inferred(self, expression: str) -> str:
        """The posterior of an expression, or its value where it has only one."""
        others = [own for own in self.statements if not own[1:].lstrip().startswith("predict")]
        model = self.compiled([*others, f"[predict {expression}]"])
        posterior = model.infer(self.method, **self.settings)
        label = posterior.labels[-1]
        values = posterior.probabilities(label) if len(posterior.labels) == 1 else {}
        if len(values) == 1:
            return shown(next(iter(values)))
        return str(posterior)

    def words(self) -> list[str]:
        """What can be completed: names of the program and of the language, and the words that begin with a colon."""
        text = "\n".join(self.statements) + "\n"
        return sorted(
            {
                *names_at(text, len(text)),
                *words(),
                *(f":{each.replace('_', '-')}" for each in (*COMMANDS, "method", *SETTINGS)),
            }
        )

    def command(self, text: str) -> str:
        """One of the words that begin with a colon."""
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        commands: dict[str, Callable[[], str]] = {
            "help": lambda: HELP,
            "list": lambda: "\n".join(self.statements),
            "settings": lambda: ", ".join(
                [f"method {offer_of(self.method).name}", *(f"{k} {v}" for k, v in self.settings.items())]
            ),
            "undo": self.undo,
            "clear": self.clear,
            "load": lambda: self.load(rest),
            "save": lambda: self.save(rest),
            "quit": self.quit,
        }
        setting = word.replace("-", "_")
        if word in commands:
            return commands[word]()
        if word == "method":
            self.method = method_in(rest)
            return ""
        if setting in SETTINGS:
            try:
                self.settings[setting] = reading(SETTINGS[setting].check)(rest) if rest else SETTINGS[setting].default
            except ArgumentTypeError as error:
                raise ValueError(f":{word}: {error}") from None
            return ""
        raise ValueError(f"no ':{word}'{suggestion(word, (*commands, 'method', *SETTINGS)) or '; :help lists them'}")

    def undo(self) -> str:
        return f"without {self.statements.pop()}" if self.statements else "there is no statement"

    def clear(self) -> str:
        self.statements.clear()
        return ""

    def load(self, path: str) -> str:
        text = read_text(Path(path))
        compile_text(text, path)
        self.statements = [text[form.start : form.end] for form in read(Source(path, text))]
        return f"{len(self.statements)} statements"

    def save(self, path: str) -> str:
        if not path:
            raise ValueError(":save takes the name of a file")
        Path(path).write_text("\n".join(self.statements) + "\n", encoding="utf-8")
        return ""

    def quit(self) -> str:
        raise Ended
