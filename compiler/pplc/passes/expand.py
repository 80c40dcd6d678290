"""Expand: from forms to the core language.

    [assume f (fn [x & ys] (cond (> x 0) 1 :else 2))]
    -> AssumeStatement("f", Lambda("f", ("x",), "ys", If(App(>, x, 0), 1, 2)))

All surface forms end here. Errors are collected, so that one run reports them all. Statements that are
written out one by one and differ only in their literals are expanded once (see `shapes`). Expressions are
expanded by `surface` and `special_forms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pplc.diagnostics import CompileError
from pplc.languages import core
from pplc.languages.foreign import STATEMENT_NAMES, hint
from pplc.languages.forms import STATEMENTS, Form, Group, Name
from pplc.passes.shapes import Shapes
from pplc.passes.surface import Bad, Surface
from pplc.source import Source


def expand(forms: Sequence[Form], source: Source) -> core.Program:
    """The core program of a list of top-level forms; raises CompileError with every error found."""
    expander = _Expander(source)
    statements = expander.statements(forms, Shapes(forms), Loops())
    if expander.errors:
        raise CompileError(source, expander.errors)
    return core.Program(tuple(statements))


@dataclass(frozen=True, slots=True)
class Loops:
    """The for loops around a statement: how many, their variables, and the parts of those that are patterns.

    The core language knows of no patterns in a loop, so that parts are bound around each expression that uses
    them. A part is a primitive call of a temporary variable, which means the same wherever it stands."""

    level: int = 0
    variables: frozenset[str] = frozenset()
    parts: tuple[tuple[str, core.Expr], ...] = ()

    def inside(self, name: str, parts: Sequence[tuple[str, core.Expr]]) -> Loops:
        """With one more variable: its name and the names of its parts hide those that were there."""
        names = {name, *[part for part, _ in parts]}
        kept = [(part, value) for part, value in self.parts if part not in names]
        return Loops(self.level, self.variables | names, (*kept, *parts))


class _Expander(Surface):
    """Expands statements."""

    def statements(self, forms: Iterable[Form], shapes: Shapes, loops: Loops) -> list[core.Statement]:
        result: list[core.Statement] = []
        for form in forms:
            try:
                if loops.level > 50:
                    raise self.fail(form, "for loops are nested too deeply")
                result.append(self.shared(form, shapes) or self.statement(form, shapes, loops))
            except Bad:
                continue
        return result

    def shared(self, form: Form, shapes: Shapes) -> core.Statement | None:
        shape = shapes.shape_of(form)
        self.literals = () if shape is None else shape.literals
        if shape is None:
            return None
        if shape.statement is None:
            statement = self.statement(shape.template, shapes, Loops())
            assert isinstance(statement, core.ObserveStatement | core.PredictStatement)
            shape.statement = statement
        row = shapes.row(form, shape, self.label)
        return core.SharedStatement(shape.number, shape.literals, shape.statement, row, form.span)

    def statement(self, form: Form, shapes: Shapes, loops: Loops) -> core.Statement:
        if not (isinstance(form, Group) and form.bracket in "([" and form.items):
            raise self.fail(form, "expected a statement such as [assume name expression]")
        head, *rest = form.items
        word = head.text if isinstance(head, Name) else None
        match word:
            case "assume" | "define" | "def":
                if word == "define" and rest and isinstance(rest[0], Group):
                    return self.scheme_define(form, rest, loops)
                self.size(form, rest, 2, 2, f"[{word} name expression]")
                name = self.assumed(rest[0], loops)
                value = self.under(self.named(rest[1], name), loops.parts)
                return core.AssumeStatement(name, value, form.span, rest[0].span)
            case "defn":
                if len(rest) < 3:
                    raise self.fail(form, "expected (defn name [parameter ...] body ...)")
                return self.define(form, rest[0], rest[1], rest[2:], loops)
            case "observe":
                self.size(form, rest, 2, 2, "[observe distribution value]")
                source, value = [self.under(self.expr(item), loops.parts) for item in rest]
                return core.ObserveStatement(source, value, form.span)
            case "factor" | "condition":
                self.size(form, rest, 1, 1, {"factor": "[factor log-weight]", "condition": "[condition test]"}[word])
                given = self.under(self.expr(rest[0]), loops.parts)
                return core.ObserveStatement(*self.weighted(word, given, form.span), form.span)
            case "predict":
                self.size(form, rest, 1, 2, "[predict expression] or [predict label expression]")
                value = self.under(self.expr(rest[-1]), loops.parts)
                if len(rest) == 1:
                    return core.PredictStatement(core.Const(self.label(rest[0]), form.span), value, form.span)
                label = self.under(self.expr(rest[0]), loops.parts)
                return core.PredictStatement(label, value, form.span)
            case "input":
                self.size(form, rest, 1, 2, "[input name] or [input name default]")
                default = self.expr(rest[1]) if len(rest) == 2 else None
                return core.InputStatement(self.binder(rest[0]), default, form.span, rest[0].span)
            case "for":
                return self.for_statement(form, rest, shapes, loops)
            case None:
                raise self.fail(form, "expected a statement such as [assume name expression]")
            case _:
                meant = hint(word, (), [STATEMENTS], STATEMENT_NAMES) or "; use assume, observe or predict"
                raise self.fail(head, f"'{word}' does not start a statement{meant}")

    def assumed(self, form: Form, loops: Loops) -> str:
        """The name that an assume defines. A loop variable of that name would hide what it defines."""
        name = self.variable(form)
        if name in loops.variables:
            raise self.fail(form, f"'{name}' is a variable of the for around it; assume another name")
        return name

    def define(self, form: Group, named: Form, parameters: Form, body: Sequence[Form], loops: Loops) -> core.Statement:
        name = self.assumed(named, loops)
        procedure = self.attempt(lambda: self.procedure(form, parameters, body, name), form)
        return core.AssumeStatement(name, self.under(procedure, loops.parts), form.span, named.span)

    def scheme_define(self, form: Group, rest: list[Form], loops: Loops) -> core.Statement:
        header = rest[0]
        assert isinstance(header, Group)
        if not header.items or len(rest) < 2:
            raise self.fail(form, "expected (define (name parameter ...) body ...)")
        parameters = Group("(", header.items[1:], header.start, header.end)
        return self.define(form, header.items[0], parameters, rest[1:], loops)

    def for_statement(self, form: Group, rest: list[Form], shapes: Shapes, loops: Loops) -> core.Statement:
        usage = "expected [for [name sequence] statement ...]"
        if len(rest) < 2 or not isinstance(rest[0], Group):
            raise self.fail(form, usage)
        bindings = rest[0].items
        if not bindings or len(bindings) % 2:
            raise self.fail(rest[0], usage)
        loops = replace(loops, level=loops.level + 1)
        headers: list[tuple[str, core.Expr]] = []
        for target, sequence in zip(bindings[::2], bindings[1::2]):
            value = self.under(self.expr(sequence), loops.parts)
            name, parts = self.target(target, "element")
            headers.append((name, value))
            loops = loops.inside(name, parts)
        body = self.statements(rest[1:], shapes, loops)
        for name, value in reversed(headers):
            body = [core.ForStatement(name, value, tuple(body), form.span)]
        return body[0]

    def label(self, form: Form) -> str:
        """The source text of an expression with its white space (and comments) normalised."""
        pieces: list[str] = []
        stack: list[Form | str] = [form]
        glue = True
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                pieces.append(item)
                glue = False
                continue
            if not glue:
                pieces.append(" ")
            if isinstance(item, Group):
                if self.source.text[item.start] == "'":
                    pieces.append("'")
                    stack.append(item.items[1])
                else:
                    pieces.append(item.bracket)
                    stack.append({"(": ")", "[": "]", "{": "}"}[item.bracket])
                    stack.extend(reversed(item.items))
                glue = True
            else:
                pieces.append(self.source.slice(item.span))
                glue = False
        return "".join(pieces)
