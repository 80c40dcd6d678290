"""Expand: from forms to the core language.

    [assume f (fn [x & ys] (cond (> x 0) 1 :else 2))]
    -> AssumeStatement("f", Lambda("f", ("x",), "ys", If(App(>, x, 0), 1, 2)))

All surface forms end here. Errors are collected, so that one run reports them all. Statements that are
written out one by one and differ only in their literals are expanded once (see `shapes`). Expressions are
expanded by `surface` and `special_forms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pplc.diagnostics import CompileError
from pplc.languages import core
from pplc.languages.foreign import STATEMENT_NAMES, hint
from pplc.languages.forms import STATEMENTS, Form, Group, Name
from pplc.languages.traverse import mentions
from pplc.passes.shapes import Shapes
from pplc.passes.surface import Bad, Surface
from pplc.source import Source


def expand(forms: Sequence[Form], source: Source) -> core.Program:
    """The core program of a list of top-level forms; raises CompileError with every error found."""
    expander = _Expander(source)
    statements = expander.statements(forms, Shapes(forms), 0)
    if expander.errors:
        raise CompileError(source, expander.errors)
    return core.Program(tuple(statements))


class _Expander(Surface):
    """Expands statements."""

    def statements(self, forms: Iterable[Form], shapes: Shapes, level: int) -> list[core.Statement]:
        result: list[core.Statement] = []
        for form in forms:
            try:
                if level > 50:
                    raise self.fail(form, "for loops are nested too deeply")
                result.append(self.shared(form, shapes) or self.statement(form, shapes, level))
            except Bad:
                continue
        return result

    def shared(self, form: Form, shapes: Shapes) -> core.Statement | None:
        shape = shapes.shape_of(form)
        if shape is None:
            return None
        if shape.statement is None:
            statement = self.statement(shape.template, shapes, 0)
            assert isinstance(statement, core.ObserveStatement | core.PredictStatement)
            shape.statement = statement
        row = shapes.row(form, shape, self.label)
        return core.SharedStatement(shape.number, shape.literals, shape.statement, row, form.span)

    def statement(self, form: Form, shapes: Shapes, level: int) -> core.Statement:
        if not (isinstance(form, Group) and form.bracket in "([" and form.items):
            raise self.fail(form, "expected a statement such as [assume name expression]")
        head, *rest = form.items
        word = head.text if isinstance(head, Name) else None
        match word:
            case "assume" | "define" | "def":
                if word == "define" and rest and isinstance(rest[0], Group):
                    return self.scheme_define(form, rest)
                self.size(form, rest, 2, 2, f"[{word} name expression]")
                name = self.binder(rest[0])
                return core.AssumeStatement(name, self.named(rest[1], name), form.span, rest[0].span)
            case "defn":
                if len(rest) < 3:
                    raise self.fail(form, "expected (defn name [parameter ...] body ...)")
                name = self.binder(rest[0])
                procedure = self.attempt(lambda: self.procedure(form, rest[1], rest[2:], name), form)
                return core.AssumeStatement(name, procedure, form.span, rest[0].span)
            case "observe":
                self.size(form, rest, 2, 2, "[observe distribution value]")
                return core.ObserveStatement(self.expr(rest[0]), self.expr(rest[1]), form.span)
            case "predict":
                self.size(form, rest, 1, 2, "[predict expression] or [predict label expression]")
                value = self.expr(rest[-1])
                label = self.expr(rest[0]) if len(rest) == 2 else core.Const(self.label(rest[0]), form.span)
                return core.PredictStatement(label, value, form.span)
            case "input":
                self.size(form, rest, 1, 2, "[input name] or [input name default]")
                default = self.expr(rest[1]) if len(rest) == 2 else None
                return core.InputStatement(self.binder(rest[0]), default, form.span, rest[0].span)
            case "for":
                return self.for_statement(form, rest, shapes, level)
            case None:
                raise self.fail(form, "expected a statement such as [assume name expression]")
            case _:
                meant = hint(word, (), [STATEMENTS], STATEMENT_NAMES) or "; use assume, observe or predict"
                raise self.fail(head, f"'{word}' does not start a statement{meant}")

    def scheme_define(self, form: Group, rest: list[Form]) -> core.Statement:
        header = rest[0]
        assert isinstance(header, Group)
        if not header.items or len(rest) < 2:
            raise self.fail(form, "expected (define (name parameter ...) body ...)")
        name = self.binder(header.items[0])
        parameters = Group("(", header.items[1:], header.start, header.end)
        procedure = self.attempt(lambda: self.procedure(form, parameters, rest[1:], name), form)
        return core.AssumeStatement(name, procedure, form.span, header.items[0].span)

    def for_statement(self, form: Group, rest: list[Form], shapes: Shapes, level: int) -> core.Statement:
        usage = "expected [for [name sequence] statement ...]"
        if len(rest) < 2 or not isinstance(rest[0], Group):
            raise self.fail(form, usage)
        bindings = rest[0].items
        if not bindings or len(bindings) % 2:
            raise self.fail(rest[0], usage)
        names: list[tuple[str, Form, list[tuple[str, core.Expr]]]] = []
        for target, sequence in zip(bindings[::2], bindings[1::2]):
            if isinstance(target, Name):
                names.append((self.binder(target), sequence, []))
            else:
                whole = self.temporary("element")
                names.append((whole, sequence, self.destructure(target, core.Name(whole, target.span))))
        body = self.statements(rest[1:], shapes, level + 1)
        parts = [part for _, _, found in names for part in found]
        body = [_under(statement, parts) for statement in body]
        for name, sequence, _ in reversed(names):
            body = [core.ForStatement(name, self.expr(sequence), tuple(body), form.span)]
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


def _under(statement: core.Statement, parts: list[tuple[str, core.Expr]]) -> core.Statement:
    """The statement with the parts of a destructured loop variable bound around its expressions."""
    if not parts:
        return statement

    def bound(expr: core.Expr) -> core.Expr:
        for name, value in reversed(parts):
            if mentions(expr, name):
                expr = core.Let(name, value, expr, expr.span)
        return expr

    match statement:
        case core.AssumeStatement(name, value, span, name_span):
            return core.AssumeStatement(name, bound(value), span, name_span)
        case core.ObserveStatement(source, value, span):
            return core.ObserveStatement(bound(source), bound(value), span)
        case core.PredictStatement(label, value, span):
            return core.PredictStatement(bound(label), bound(value), span)
        case core.ForStatement(name, sequence, body, span):
            return core.ForStatement(name, bound(sequence), tuple(_under(s, parts) for s in body), span)
        case core.SharedStatement(shape, literals, shared, row, span):
            inner = _under(shared, parts)
            assert isinstance(inner, core.ObserveStatement | core.PredictStatement)
            return core.SharedStatement(shape, literals, inner, row, span)
        case core.InputStatement():
            return statement
