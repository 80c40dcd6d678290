"""Library (part of `expand`): names of Clojure and of the paper's own system that are written in the language itself.

A program that uses one and does not define it gets its definition, in front of all else. What is in it means the
language's own primitives, whatever the program calls by their names; an error in it is one at the place of its use.

A process of that system is a value: `(produce p)` is a distribution, and `(absorb p x)` the process that has seen x.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from pplc.languages import core
from pplc.languages.forms import Form, Group
from pplc.languages.traverse import binders, children, expressions, rebuilt
from pplc.passes.library_clojure import CLOJURE
from pplc.passes.read import read
from pplc.source import Source, Span
from pplc_runtime.program.names import SIGNATURES

LIBRARY: Final = {
    **CLOJURE,
    "produce": "(defn produce [process] (process))",
    "absorb": "(defn absorb [process value] (process value))",
    "CRP": """
        (defn CRP [alpha & state]
          (let [counts (if (empty? state) [] (first state))]
            (fn ([] (discrete (conj counts alpha)))
                ([table] (CRP alpha (if (< table (count counts)) (update counts table inc) (conj counts 1)))))))""",
    "GP": """
        (defn GP [m k & state]
          (let [points (if (empty? state) [] (first state))
                xs (map first points)
                left (map (fn [point] (- (second point) (m (first point)))) points)]
            (fn ([] (fn [x]
                      (if (empty? points)
                        (normal (m x) (sqrt (k x x)))
                        (let [here (mapv (fn [u] (k x u)) xs)
                              weights (solve (mapv (fn [u] (mapv (fn [w] (k u w)) xs)) xs) here)
                              centre (+ (m x) (dot weights left))
                              spread (- (k x x) (dot weights here))]
                          (if (< spread (* 1e-12 (k x x))) (dirac centre) (normal centre (sqrt spread)))))))
                ([point] (GP m k (conj (vec points) point))))))""",
    "DPmem": """
        (defn DPmem [alpha procedure]
          (let [tables (mem (fn [& arguments] (crp alpha)))
                values (mem (fn [table arguments]
                              (if (procedure? procedure) (apply procedure arguments) (sample procedure))))]
            (fn [& arguments] (values (sample (apply tables arguments)) arguments))))""",
}


def used(statements: Sequence[core.Statement], defined: Container[str]) -> dict[str, Span]:
    """The names of the library that statements use and nobody defines, with the places where they do first."""
    found: dict[str, Span] = {}
    shared: set[int] = set()

    def visit(expr: core.Expr, bound: frozenset[str]) -> None:
        if isinstance(expr, core.Name):
            if expr.text in LIBRARY and expr.text not in bound and expr.text not in defined:
                found.setdefault(expr.text, expr.span)
            return
        inner = bound | set(binders(expr))
        for part in children(expr):
            visit(part, bound if isinstance(expr, core.Let) and part is expr.value else inner)

    def go(some: Sequence[core.Statement], bound: frozenset[str]) -> None:
        for statement in some:
            if isinstance(statement, core.SharedStatement):
                if statement.shape in shared:
                    continue
                shared.add(statement.shape)
            for expr in expressions(statement):
                visit(expr, bound)
            if isinstance(statement, core.ForStatement):
                go(statement.body, bound | {statement.name})

    go(statements, frozenset())
    return found


def definition(name: str, at: Span) -> Group:
    """The definition of a name, as if it stood at a place of the program."""
    (form,) = read(Source(name, LIBRARY[name]))
    moved = _moved(form, at)
    assert isinstance(moved, Group)
    return moved


def _moved(form: Form, at: Span) -> Form:
    if isinstance(form, Group):
        return Group(form.bracket, tuple([_moved(item, at) for item in form.items]), *at)
    return form._replace(start=at.start, end=at.end)


def closed(expr: core.Expr, bound: frozenset[str] = frozenset()) -> core.Expr:
    """An expression of the library whose free names are primitives."""
    if isinstance(expr, core.Name):
        is_own = expr.text in bound or expr.text in LIBRARY or expr.text not in SIGNATURES
        return expr if is_own else core.Primitive(expr.text, expr.span)
    if isinstance(expr, core.Let):
        return core.Let(expr.name, closed(expr.value, bound), closed(expr.body, bound | {expr.name}), expr.span)
    inner = bound | set(binders(expr))
    return rebuilt(expr, lambda part: closed(part, inner))
