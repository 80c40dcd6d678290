"""Sites: the number of every call, draw and closure in the addresses of what it evaluates.

    (f (sample (g 1)))  ->  at[1], at[2], at[3]: f is called at the first, drawn at the second, g called at the third

Numbers are given in the order of the text, so that an address is a path of numbers that means the same wherever
the program is compiled. Copies that later passes make of a node keep its number. Primitives that call no procedures
evaluate nothing at an address, and have none.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from pplc.languages import core
from pplc.languages.traverse import rebuilt, with_expressions
from pplc_runtime.program.names import SIGNATURES


def sites(program: core.Program) -> core.Program:
    """The program with numbered sites."""
    return core.Program(with_expressions(program.statements, _Numbers().expr))


class _Numbers:
    def __init__(self) -> None:
        self.numbers = count(1)
        self.procedures: set[str] = set()
        """The local variables that are procedures of a letrec, whose values are made where they are mentioned."""

    def expr(self, expr: core.Expr) -> core.Expr:
        match expr:
            case core.App(core.Primitive(name)) if name not in SIGNATURES or not SIGNATURES[name].addressed:
                return rebuilt(expr, self.expr)
            case core.App() | core.Lambda() | core.Sample() | core.Observe() | core.Mem():
                site = next(self.numbers)
                inner = rebuilt(expr, self.expr)
                assert isinstance(inner, type(expr))
                return replace(inner, site=site)
            case core.Local(name) if name in self.procedures:
                return replace(expr, site=next(self.numbers))
            case core.Letrec(bindings):
                self.procedures.update(name for name, _ in bindings)
        return rebuilt(expr, self.expr)
