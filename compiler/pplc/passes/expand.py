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
from pplc.passes.comprehensions import counted, times
from pplc.passes.patterns import literal_defaults, named_at
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
                shared = self.shared(form, shapes)
                result += self.statement(form, shapes, loops) if shared is None else [shared]
            except Bad:
                continue
        return result

    def shared(self, form: Form, shapes: Shapes) -> core.Statement | None:
        shape = shapes.shape_of(form)
        self.literals = () if shape is None else shape.literals
        if shape is None:
            return None
        if shape.statement is None:
            (statement,) = self.statement(shape.template, shapes, Loops())
            assert isinstance(statement, core.ObserveStatement | core.PredictStatement)
            shape.statement = statement
        row = shapes.row(form, shape, self.label)
        return core.SharedStatement(shape.number, shape.literals, shape.statement, row, form.span)

    def statement(self, form: Form, shapes: Shapes, loops: Loops) -> list[core.Statement]:
        """The statements that a form stands for: one, or the parts of a pattern one by one."""
        if not (isinstance(form, Group) and form.bracket in "([" and form.items):
            raise self.fail(form, "expected a statement such as [assume name expression]")
        head, *rest = form.items
        word = head.text if isinstance(head, Name) else None
        match word:
            case "assume" | "define" | "def" | "defn":
                return self.assume(form, loops)
            case "observe":
                self.size(form, rest, 2, 2, "[observe distribution value]")
                source, value = [self.under(self.expr(item), loops.parts) for item in rest]
                return [core.ObserveStatement(source, value, form.span)]
            case "predict":
                self.size(form, rest, 1, 2, "[predict expression] or [predict label expression]")
                value = self.under(self.expr(rest[-1]), loops.parts)
                if len(rest) == 1:
                    return [core.PredictStatement(core.Const(self.label(rest[0]), form.span), value, form.span)]
                label = self.under(self.expr(rest[0]), loops.parts)
                return [core.PredictStatement(label, value, form.span)]
            case "input":
                self.size(form, rest, 1, 2, "[input name] or [input name default]")
                default = self.expr(rest[1]) if len(rest) == 2 else None
                return [core.InputStatement(self.binder(rest[0]), default, form.span, rest[0].span)]
            case "for" | "doseq":
                return [self.for_statement(form, rest, shapes, loops)]
            case "dotimes":
                named, number = counted(self, form, rest)
                turns, name = self.under(times(self, number), loops.parts), self.variable(named)
                body = self.statements(rest[1:], shapes, replace(loops, level=loops.level + 1).inside(name, []))
                return [core.ForStatement(name, turns, tuple(body), form.span)]
            case None:
                raise self.fail(form, "expected a statement such as [assume name expression]")
            case _:
                meant = hint(word, (), [STATEMENTS], STATEMENT_NAMES) or "; use assume, observe or predict"
                raise self.fail(head, f"'{word}' does not start a statement{meant}")

    def assume(self, form: Group, loops: Loops) -> list[core.Statement]:
        """[assume name e], (defn ...), (define (f x) ...); [assume [a b] e] assumes the whole and then its parts."""
        found = self.definition(form)
        for name, _, span in found:
            if name in loops.variables:
                place = named_at(form, name, span)
                raise self.fail(place, f"'{name}' is a variable of the for around it; assume another name")
        values = [(name, self.under(value, loops.parts)) for name, value, _ in found]
        places = [named_at(form, name, span).span for name, _, span in found]
        return [core.AssumeStatement(name, value, form.span, at) for (name, value), at in zip(values, places)]

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
            literal_defaults(self, target)
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
                if self.source.text[item.start] in "'#":
                    pieces.append(self.source.text[item.start])
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
