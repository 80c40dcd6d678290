"""Versions (part of `expand`): a name that is assumed again is another variable from there on.

    [assume x 1] [predict x] [assume x (+ x 1)] [predict x]
    -> [assume x 1] [predict x] [assume x%1 (+ x 1)] [predict x%1]

Each global is assumed once, so that no later pass has to ask which is meant. A statement means the one before it. A
procedure means the one that is there where it stands, or its own if it is what the assume defines. After an if that
assumes a name on one side or on both, the name is the one of the side that was taken:

    [if t [assume x 1] [assume x 2]]
    -> [if t [assume x%1 1] [assume x%2 2]] [assume x (if t x%1 x%2)]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pplc.languages import core
from pplc.languages.traverse import binders, rebuilt
from pplc.source import Span

Names = Mapping[str, str]


@dataclass(slots=True)
class Versions:
    """The names that are assumed so far."""

    current: dict[str, str] = field(default_factory=dict)
    """Each with the variable that it means now."""
    places: dict[str, Span] = field(default_factory=dict)
    """Where it was assumed first."""
    taken: set[str] = field(default_factory=set)
    """The names that are a variable themselves; under an if none is, for that is left to the whole if."""
    hidden: dict[str, str] = field(default_factory=dict)
    """The names that an input will have, with the variable that each means before."""
    changes: int = 0
    """How often a name has come to mean another variable: statements before and after do not mean the same."""

    def define(self, name: str, variable: str, place: Span) -> None:
        """From here on a name means a variable."""
        self.places.setdefault(name, place)
        if variable == name:
            self.taken.add(name)
        self.changes += self.current.get(name, name) != variable
        self.current[name] = variable

    def hide(self, name: str, variable: str) -> None:
        """A name is that of an input to come, before which it means a variable, also where that is not assumed yet."""
        self.taken.add(name)
        self.current[name] = self.hidden[name] = variable

    def fork(self) -> Versions:
        """For one side of an if."""
        return Versions(dict(self.current), self.places, self.taken, changes=self.changes)

    def renamed(self, expr: core.Expr, hidden: Iterable[str], own: Names) -> core.Expr:
        """An expression whose names are variables; `own` are those that procedures inside see beside the others."""
        names = {name: variable for name, variable in self.current.items() if name != variable}
        inside = {**names, **own}
        if all(name == variable for name, variable in inside.items()):
            return expr
        for name in hidden:
            names.pop(name, None)
            inside.pop(name, None)
        return renamed(expr, names, inside)


def renamed(expr: core.Expr, names: Names, inside: Names) -> core.Expr:
    """An expression with other names for what it does not bind itself; inside of procedures by the second map."""
    match expr:
        case core.Name(text, span):
            return core.Name(names.get(text, text), span)
        case core.Let(name, value, body, span):
            within = _without(names, (name,)), _without(inside, (name,))
            return core.Let(name, renamed(value, names, inside), renamed(body, *within), span)
        case core.Lambda():
            names = inside = _without(inside, binders(expr))
        case _:
            names, inside = _without(names, binders(expr)), _without(inside, binders(expr))
    return rebuilt(expr, lambda part: renamed(part, names, inside))


def _without(names: Names, bound: Iterable[str]) -> Names:
    return {name: variable for name, variable in names.items() if name not in bound}
