"""Expand: from forms to the core language.

    [assume f (fn [x & ys] (cond (> x 0) 1 :else 2))]
    -> AssumeStatement("f", Lambda("f", ("x",), "ys", If(App(>, x, 0), 1, 2)))

All surface forms end here. Errors are collected, so that one run reports them all. Statements that are
written out one by one and differ only in their literals are expanded once (see `shapes`). Expressions are
expanded by `surface` and `special_forms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pplc.diagnostics import CompileError, Diagnostic
from pplc.languages import core
from pplc.languages.foreign import NO_MEANING, STATEMENT_NAMES, hint
from pplc.languages.forms import SPECIAL, STATEMENTS, Form, Group, Name, head_of, instead
from pplc.languages.traverse import mentions
from pplc.passes.binding import bindings
from pplc.passes.comprehensions import counted, times
from pplc.passes.library import LIBRARY, closed, definition, used
from pplc.passes.namespaces import without_aliases
from pplc.passes.own_distributions import Choices, defined_names, renamed
from pplc.passes.own_distributions import definition as own_definition
from pplc.passes.patterns import literal_defaults, named_at
from pplc.passes.queries import IGNORED, hidden, meant, queries, reporting, selected
from pplc.passes.shapes import Shapes
from pplc.passes.surface import Bad, Surface
from pplc.passes.versions import Versions
from pplc.source import Source, Span
from pplc_runtime.program.names import SIGNATURES
from pplc_runtime.values import List


def expand(forms: Sequence[Form], source: Source) -> tuple[core.Program, list[Diagnostic]]:
    """The core program of a list of top-level forms, and warnings; raises CompileError with every error found."""
    expander = _Expander(source)
    statements = expander.program(forms)
    if expander.errors:
        raise CompileError(source, expander.errors)
    return core.Program(tuple(statements)), expander.warnings


@dataclass(frozen=True, slots=True)
class Loops:
    """The loops, lets and ifs around a statement: how many, their variables, and the parts of those that are patterns.

    The core language knows of no patterns in a loop, so that parts are bound around each expression that uses
    them. A part is a primitive call of a temporary variable, which means the same wherever it stands."""

    level: int = 0
    variables: frozenset[str] = frozenset()
    parts: tuple[tuple[str, core.Expr], ...] = ()
    outside: frozenset[str] = frozenset()
    """The names that are assumed before the innermost for."""
    under_if: bool = False

    def inside(self, name: str, parts: Sequence[tuple[str, core.Expr]]) -> Loops:
        """With one more variable: its name and the names of its parts hide those that were there."""
        names = {name, *[part for part, _ in parts]}
        kept = [(part, value) for part, value in self.parts if part not in names]
        return replace(self, variables=self.variables | names, parts=(*kept, *parts))

    def around(self, names: Iterable[str]) -> Loops:
        """With one more for, before which some names are assumed."""
        return replace(self, level=self.level + 1, outside=frozenset(names))


class _Expander(Surface):
    """Expands statements."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.versions = Versions()
        self.warnings: list[Diagnostic] = []

    def program(self, forms: Sequence[Form]) -> list[core.Statement]:
        """The statements of a program, of the query that is meant if it is a file of queries."""
        try:
            forms = renamed(self.meant(without_aliases(forms)))
        except Bad:
            return []
        own = defined_names(forms)
        statements = self.statements(forms, Shapes(() if own else forms), Loops())
        if own:
            statements = Choices(own, self.temporary).statements(statements)
        library: list[core.Statement] = []
        defined = dict(self.versions.places)
        asked = used(statements, defined)
        while asked:
            defined.update(asked)
            more: list[core.Statement] = []
            for name, at in asked.items():
                for bound, value, span in self.definition(definition(name, at)):
                    more.append(core.AssumeStatement(bound, closed(value), span, span))
            library = [*more, *library]
            asked = used(more, defined)
        return [*library, *statements]

    def meant(self, forms: Sequence[Form]) -> Sequence[Form]:
        found, name = queries(forms), self.source.query
        if name is None and not found:
            return reporting(forms)
        asked = meant(forms, name)
        if len(asked) > 1:
            message = f"there are several queries: {', '.join(asked)}; say which with --query NAME"
            raise self.fail(found[asked[-1]].items[1], message)
        if not asked:
            there = f"; there are {', '.join(found)}" if found else ""
            what = "each query is needed by another one; say which is meant with --query NAME"
            message = what if name is None else f"there is no query '{name}' in this file{there}"
            self.errors.append(Diagnostic(Span(0, 0), message))
            raise Bad
        chosen = selected(forms, found[asked[0]], self.fail)
        for each in sorted(hidden(chosen)):
            self.versions.hide(each, self.temporary(each))
        return chosen

    def statements(self, forms: Iterable[Form], shapes: Shapes, loops: Loops) -> list[core.Statement]:
        result: list[core.Statement] = []
        wrong = 0  # the line of a word that is no statement: what follows there is part of it
        for form in forms:
            is_listed = isinstance(form, Group) and form.bracket == "["
            if wrong and not is_listed and self.source.place(form.span.start).line == wrong:
                continue
            try:
                if loops.level > 50:
                    raise self.fail(form, "statements are nested too deeply")
                shared = self.shared(form, shapes)
                result += self.statement(form, shapes, loops) if shared is None else [shared]
            except Bad:
                wrong = wrong if isinstance(form, Group) else self.source.place(form.span.start).line
        return result

    def shared(self, form: Form, shapes: Shapes) -> core.Statement | None:
        shape = shapes.shape_of(form)
        self.literals = () if shape is None else shape.literals
        if shape is None:
            return None
        if shape.statement is None:
            (statement,) = self.statement(shape.template, shapes, Loops())
            assert isinstance(statement, core.ObserveStatement | core.PredictStatement)
            shape.statement, shape.changes = statement, self.versions.changes
        if shape.changes != self.versions.changes:
            self.literals = ()
            return None  # a name in it has come to mean another variable
        row = shapes.row(form, shape, self.label)
        return core.SharedStatement(shape.number, shape.literals, shape.statement, row, form.span)

    def statement(self, form: Form, shapes: Shapes, loops: Loops) -> list[core.Statement]:
        """The statements that a form stands for: one, or the parts of a pattern one by one."""
        if not (isinstance(form, Group) and form.bracket in "([" and form.items):
            such = "[assume name expression]"
            if isinstance(form, Name) and form.text in self.versions.places:
                such = f"[predict {form.text}], which reports its value"
            raise self.fail(form, f"expected a statement such as {such}")
        head, *rest = form.items
        word = head.text if isinstance(head, Name) else None
        match word:
            case "assume" | "define" | "def" | "defn" | "defm" | "defn-":
                return self.assume(form, loops)
            case "defdist" | "defproc":
                return self.assume(own_definition(form, self.fail), loops)
            case "observe":
                self.size(form, rest, 2, 2, f"[observe distribution value]{instead(rest, '[observe * value]')}")
                source, value = [self.value(item, loops) for item in rest]
                return [core.ObserveStatement(source, value, form.span)]
            case "factor" | "condition":
                self.size(form, rest, 1, 1, {"factor": "[factor log-weight]", "condition": "[condition test]"}[word])
                weighted = self.weighted(word, self.value(rest[0], loops), form.span)
                return [core.ObserveStatement(*weighted, form.span)]
            case "predict":
                self.size(form, rest, 1, 2, "[predict expression] or [predict label expression]")
                value = self.value(rest[-1], loops)
                if len(rest) == 1:
                    return [core.PredictStatement(core.Const(self.label(rest[0]), form.span), value, form.span)]
                label = self.value(rest[0], loops)
                return [core.PredictStatement(label, value, form.span)]
            case "input":
                self.size(form, rest, 1, 2, "[input name] or [input name default]")
                default = self.value(rest[1], loops) if len(rest) == 2 else None
                name = self.binder(rest[0])
                self.versions.define(name, name, rest[0].span)
                return [core.InputStatement(name, default, form.span, rest[0].span)]
            case "for" | "doseq":
                return [self.for_statement(form, rest, shapes, loops)]
            case "dotimes":
                named, number = counted(self, form, rest)
                turns, name = self.finished(times(self, number), loops), self.variable(named)
                body = self.statements(rest[1:], shapes, loops.around(self.versions.current).inside(name, []))
                return [core.ForStatement(name, turns, tuple(body), form.span)]
            case "include":
                raise self.fail(form, "include stands at the top level of a file, under no other form")
            case "if" | "if-not" | "when" | "when-not" | "cond":
                return self.choice(form, word, rest, shapes, loops)
            case "let" | "let*":
                if len(rest) < 2:
                    raise self.fail(form, "expected [let [name expression ...] statement ...]")
                return self.let_statement(bindings(self, rest[0]), rest[1:], shapes, loops)
            case "do" | "begin":
                return self.statements(rest, shapes, loops)
            case "with-primitive-procedures":
                return self.statements(rest[1:], shapes, loops)
            case _ if word in IGNORED:
                return []
            case _ if word in NO_MEANING:
                raise self.fail(form, f"'{word}' has no meaning here: {NO_MEANING[word]}")
            case _ if form.bracket == "(" and self.is_expression(head, loops):
                return [self.assumed(self.temporary("dropped"), self.expr(form), form.span, form.span, loops)]
            case None:
                raise self.fail(form, "expected a statement such as [assume name expression]")
            case _:
                meant = hint(word, (), [STATEMENTS], STATEMENT_NAMES) or "; use assume, observe or predict"
                raise self.fail(head, f"'{word}' does not start a statement{meant}")

    def is_expression(self, operator: Form, loops: Loops) -> bool:
        """Whether a form that starts like this is an expression, there for what it does: a call of what is known."""
        if not isinstance(operator, Name):
            return isinstance(operator, Group)
        text = operator.text
        known = (SPECIAL, SIGNATURES, LIBRARY, self.versions.places, loops.variables)
        return any(text in names for names in known) or text.startswith((":", "Math/"))

    def assume(self, form: Group, loops: Loops) -> list[core.Statement]:
        """[assume name e], (defn ...), (define (f x) ...); [assume [a b] e] assumes the whole and then its parts."""
        result: list[core.Statement] = []
        for name, value, span in self.definition(form):
            place = named_at(form, name, span)
            if name in loops.variables:
                raise self.fail(place, f"'{name}' is a variable of the form around it; assume another name")
            if name in loops.outside:
                line = self.source.line_of(self.versions.places[name].start)
                message = f"'{name}' is assumed in {line}, outside of this for, which cannot assume it anew"
                raise self.fail(place, f"{message}; assume another name, or fold with reduce")
            result.append(self.assumed(name, value, form.span, place.span, loops))
        return result

    def assumed(self, name: str, value: core.Expr, span: Span, place: Span, loops: Loops) -> core.Statement:
        """The assume of a name, which is another variable if it is assumed again. A temporary is a variable itself."""
        if "%" in name:
            return core.AssumeStatement(name, self.finished(value, loops), span, place)
        kept = self.versions.hidden.pop(name, None)
        before = self.versions.current.get(name) if kept is None else None
        variable = kept or (self.temporary(name) if loops.under_if or name in self.versions.taken else name)
        finished = self.finished(value, loops, {name: variable})
        if before is not None:
            line = self.source.line_of(self.versions.places[name].start)
            message = f"'{name}' is assumed in {line} already; from here on it is another variable"
            self.warnings.append(Diagnostic(place, message, "warning"))
        self.versions.define(name, variable, place)
        return core.AssumeStatement(variable, finished, span, place)

    def value(self, form: Form, loops: Loops) -> core.Expr:
        return self.finished(self.expr(form), loops)

    def finished(self, expr: core.Expr, loops: Loops, own: Mapping[str, str] = MappingProxyType({})) -> core.Expr:
        """An expression of a statement, with what the forms around the statement bind."""
        return self.versions.renamed(self.under(expr, loops.parts), loops.variables, own)

    # Statements around statements

    def let_statement(
        self, pairs: Sequence[tuple[Form, Form]], forms: Sequence[Form], shapes: Shapes, loops: Loops
    ) -> list[core.Statement]:
        """[let [x e] statement ...]: a variable of its own for each name, which the statements inside see."""
        result: list[core.Statement] = []
        for target, form in pairs:
            literal_defaults(self, target)
            name, parts = self.target(target, "whole")
            held = name if "%" in name else self.temporary(name)
            value = self.named(form, name)
            if isinstance(value, core.Lambda) and not self.is_bound(name, loops) and mentions(value, name):
                value = core.itself(name, value)
            result.append(self.assumed(held, value, form.span, target.span, loops))
            if held != name:
                parts = [(name, core.Name(held, target.span))]
            loops = replace(loops.inside(name, parts), level=loops.level + 1)
        return [*result, *self.statements(forms, shapes, loops)]

    def is_bound(self, name: str, loops: Loops) -> bool:
        """Whether a name means something where a statement stands."""
        return name in loops.variables or name in self.versions.current or name in SIGNATURES

    def choice(
        self, form: Group, word: str, rest: Sequence[Form], shapes: Shapes, loops: Loops
    ) -> list[core.Statement]:
        """[if test statement statement], [when test statement ...], [cond test statement ...]."""
        match word:
            case "cond":
                if len(rest) % 2:
                    raise self.fail(form, "cond needs an even number of forms: test statement ...")
                if not rest:
                    return []
                if isinstance(rest[0], Name) and rest[0].text in (":else", "else"):
                    return self.statements(rest[1:2], shapes, loops)
                further = form._replace(items=(form.items[0], *rest[2:]))
                sides: tuple[Sequence[Form], Sequence[Form]] = (rest[1:2], (further,))
            case "if" | "if-not":
                self.size(form, rest, 2, 3, f"[{word} test statement statement]")
                sides = (rest[1:2], rest[2:])
            case _:
                if len(rest) < 2:
                    raise self.fail(form, f"expected [{word} test statement ...]")
                sides = (rest[1:], ())
        if word.endswith("-not"):
            sides = (sides[1], sides[0])
        return self.sides(form, rest[0], sides, shapes, loops)

    def sides(
        self, form: Group, test: Form, sides: tuple[Sequence[Form], Sequence[Form]], shapes: Shapes, loops: Loops
    ) -> list[core.Statement]:
        """Two loops of one turn or none, by a test that is evaluated once; then the names that they assume."""
        span = test.span
        held = self.temporary("test")
        result = [self.assumed(held, self.expr(test), span, span, loops)]
        before, found = self.versions, []
        inner = replace(loops, level=loops.level + 1, under_if=True)
        for forms in sides:
            self.versions = before.fork()
            found.append((self.statements(forms, shapes, inner), self.versions))
        self.versions = before
        self.versions.changes = max(versions.changes for _, versions in found)
        (then, after), (other, otherwise) = found
        chosen: list[core.Statement] = []
        for name in {**after.current, **otherwise.current}:
            one, two = after.current.get(name), otherwise.current.get(name)
            if one == two:
                continue
            variable = self.temporary(name) if loops.under_if or name in before.taken else name
            before.define(name, variable, before.places[name])
            for side, body in ((one, then), (two, other)):
                if side is not None and (one is None or two is None):
                    body.append(core.AssumeStatement(variable, core.Name(side, span), span, span))
            if one is not None and two is not None:
                value = core.If(core.Name(held, span), core.Name(one, span), core.Name(two, span), span)
                chosen.append(core.AssumeStatement(variable, value, span, span))
        once, never = core.Const(List((None,)), span), core.Const(List(), span)
        for statements, turns in ((then, (once, never)), (other, (never, once))):
            if statements:
                sequence = core.If(core.Name(held, span), *turns, span)
                turn = self.temporary("turn")
                result.append(core.ForStatement(turn, sequence, tuple(statements), form.span, True))
        return [*result, *chosen]

    def for_statement(self, form: Group, rest: list[Form], shapes: Shapes, loops: Loops) -> core.Statement:
        usage = f"expected [{head_of(form)} [name sequence] statement ...]"
        if len(rest) < 2 or not isinstance(rest[0], Group):
            raise self.fail(form, usage)
        pairs = rest[0].items
        if not pairs or len(pairs) % 2:
            raise self.fail(rest[0], usage)
        loops = loops.around(self.versions.current)
        headers: list[tuple[str, core.Expr]] = []
        for target, sequence in zip(pairs[::2], pairs[1::2]):
            value = self.value(sequence, loops)
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
