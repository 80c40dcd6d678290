"""Expand: from forms to the core language.

    [assume f (fn [x & ys] (cond (> x 0) 1 :else 2))]
    -> AssumeStatement("f", Lambda("f", ("x",), "ys", If(App(>, x, 0), 1, 2)))

All surface forms end here. Errors are collected, so that one run reports them all. Statements that are
written out one by one and differ only in their literals are expanded once (see `shapes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

from pplc.diagnostics import CompileError, Diagnostic, suggestion
from pplc.languages import core
from pplc.languages.forms import STATEMENTS, Atom, Form, Group, Name
from pplc.passes.shapes import Shapes, literal_of
from pplc.source import Source, Span
from pplc_runtime.names import primitive_named
from pplc_runtime.values import List, Symbol

DEEPEST = 400
DEEPEST_DATA = 60


def expand(forms: Sequence[Form], source: Source) -> core.Program:
    """The core program of a list of top-level forms; raises CompileError with every error found."""
    expander = _Expander(source)
    statements = expander.statements(forms, Shapes(forms), 0)
    if expander.errors:
        raise CompileError(source, expander.errors)
    return core.Program(tuple(statements))


class _Bad(Exception):
    """A form that cannot be expanded; the diagnostic is recorded already."""


class _Expander:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.errors: list[Diagnostic] = []
        self.fresh = count(1)
        self.loops: list[str] = []
        """What `recur` calls, innermost last; an empty name where it may not stand."""
        self.depth = 0
        self.too_deep = False

    # Errors

    def fail(self, form: Form, message: str) -> _Bad:
        self.errors.append(Diagnostic(form.span, message))
        return _Bad()

    def attempt(self, work: Callable[[], core.Expr], form: Form) -> core.Expr:
        try:
            return work()
        except _Bad:
            return core.Const(None, form.span)

    def temporary(self, hint: str) -> str:
        return f"{hint}%{next(self.fresh)}"

    # Statements

    def statements(self, forms: Iterable[Form], shapes: Shapes, level: int) -> list[core.Statement]:
        result: list[core.Statement] = []
        for form in forms:
            try:
                if level > 50:
                    raise self.fail(form, "for loops are nested too deeply")
                result.append(self.shared(form, shapes) or self.statement(form, shapes, level))
            except _Bad:
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
                hint = suggestion(word, STATEMENTS) or "; use assume, observe or predict"
                raise self.fail(head, f"'{word}' does not start a statement{hint}")

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

    # Names and bodies

    def size(self, form: Form, rest: Sequence[Form], least: int, most: int, usage: str) -> None:
        if not least <= len(rest) <= most:
            raise self.fail(form, f"expected {usage}")

    def binder(self, form: Form) -> str:
        if not isinstance(form, Name) or form.text.startswith(":"):
            raise self.fail(form, "expected a name here")
        if form.text in SPECIAL_FORMS or form.text in ("&", "else"):
            raise self.fail(form, f"'{form.text}' is reserved and cannot be a name")
        if "%" in form.text:  # as in the names of temporaries
            raise self.fail(form, f"'{form.text}' cannot be a name: % is reserved")
        return form.text

    def named(self, form: Form, name: str) -> core.Expr:
        """An expression that is bound to a name: a procedure takes it as its own, for messages."""
        value = self.expr(form)
        match value:
            case core.Lambda("fn", parameters, rest, body, span):
                return core.Lambda(name, parameters, rest, body, span)
            case core.Mem(core.Lambda("fn", parameters, rest, body, inner), span):
                return core.Mem(core.Lambda(name, parameters, rest, body, inner), span)
            case _:
                return value

    def body(self, form: Group, forms: Sequence[Form]) -> core.Expr:
        if not forms:
            raise self.fail(form, f"expected ({_head(form)} expression ...)")
        *effects, last = forms
        values = [(effect, self.expr(effect)) for effect in effects]
        result = self.expr(last)
        for effect, value in reversed(values):
            result = core.Let(core.UNNAMED, value, result, effect.span)
        return result

    def procedure(self, form: Group, header: Form, forms: Sequence[Form], name: str) -> core.Lambda:
        if not isinstance(header, Group) or header.bracket == "{":
            raise self.fail(header, "expected a list of parameters such as [x y]")
        names, rest, parts = self.parameters(header)
        self.loops.append(name if rest is None and not parts else "")
        try:
            body = self.body(form, forms)
        finally:
            self.loops.pop()
        for part, value in reversed(parts):
            body = core.Let(part, value, body, header.span)
        return core.Lambda(name, tuple(names), rest, body, form.span)

    def parameters(self, header: Group) -> tuple[list[str], str | None, list[tuple[str, core.Expr]]]:
        names: list[str] = []
        rest: str | None = None
        parts: list[tuple[str, core.Expr]] = []
        items = list(header.items)
        while items:
            item = items.pop(0)
            if isinstance(item, Name) and item.text == "&":
                if len(items) != 1:
                    raise self.fail(item, "expected one name after &")
                rest = self.binder(items.pop())
            elif isinstance(item, Group) and item.bracket == "[":
                whole = self.temporary("argument")
                names.append(whole)
                parts.extend(self.destructure(item, core.Name(whole, item.span)))
            else:
                name = self.binder(item)
                if name in names and name != "_":
                    raise self.fail(item, f"parameter '{name}' appears twice")
                names.append(self.temporary("_") if name == "_" else name)
        return names, rest, parts

    def destructure(self, pattern: Form, whole: core.Expr) -> list[tuple[str, core.Expr]]:
        """The bindings of a vector pattern `[a [b c] & rest]` to the parts of a value."""
        if not (isinstance(pattern, Group) and pattern.bracket == "["):
            raise self.fail(pattern, "expected a name or a vector of names")
        found: list[tuple[str, core.Expr]] = []
        items = list(pattern.items)
        position = 0
        while items:
            item = items.pop(0)
            if isinstance(item, Name) and item.text == "&":
                if len(items) != 1:
                    raise self.fail(item, "expected one name after &")
                rest = items.pop()
                value = _call("drop", item.span, core.Const(position, item.span), whole)
                found.append((self.binder(rest), value))
                break
            part = _call("nth", item.span, whole, core.Const(position, item.span))
            if isinstance(item, Group):
                inner = self.temporary("part")
                found.append((inner, part))
                found.extend(self.destructure(item, core.Name(inner, item.span)))
            elif isinstance(item, Name) and item.text == "_":
                pass
            else:
                found.append((self.binder(item), part))
            position += 1
        return found

    # Expressions

    def expr(self, form: Form) -> core.Expr:
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                if self.too_deep:
                    raise _Bad  # its neighbours are too deep as well: once is enough
                self.too_deep = True
                raise self.fail(form, f"expressions are nested too deeply (more than {DEEPEST} levels)")
            return self.expression(form)
        except _Bad:
            if self.depth > DEEPEST:
                raise
            return core.Const(None, form.span)
        finally:
            self.depth -= 1

    def expression(self, form: Form) -> core.Expr:
        match form:
            case Atom(value):
                return core.Const(value, form.span)
            case Name(text):
                if text.startswith(":"):
                    return core.Const(Symbol(text), form.span)
                if text in ("sample", "observe", "mem"):
                    return self.first_class(text, form)
                if text in SPECIAL_FORMS or text == "&":
                    raise self.fail(form, f"'{text}' is a special form and not a value")
                return core.Name(text, form.span)
            case Group("["):
                literal = literal_of(form)
                if literal is not None:
                    return core.Const(literal, form.span)
                return _vector([self.expr(item) for item in form.items], form.span)
            case Group("{"):
                if len(form.items) % 2:
                    raise self.fail(form, "a map literal needs a value for every key")
                return _call("hash-map", form.span, *[self.expr(item) for item in form.items])
            case Group():
                if not form.items:
                    return core.Const(List(), form.span)
                head = form.items[0]
                if isinstance(head, Name) and head.text in SPECIAL_FORMS:
                    return SPECIAL_FORMS[head.text](self, form, form.items[1:])
                if isinstance(head, Name) and head.text.startswith(":"):
                    self.size(form, form.items[1:], 1, 2, f"({head.text} map) or ({head.text} map default)")
                    key = core.Const(Symbol(head.text), head.span)
                    whole, *default = [self.expr(item) for item in form.items[1:]]
                    return _call("get", form.span, whole, key, *default)
                operator = self.expr(head)
                return core.App(operator, tuple([self.expr(item) for item in form.items[1:]]), form.span)

    def first_class(self, text: str, form: Form) -> core.Expr:
        """sample, observe and mem as values, as in (map sample distributions)."""
        span = form.span
        source, value = core.Name("source", span), core.Name("value", span)
        body: core.Expr
        match text:
            case "sample":
                body = core.Sample(source, span)
            case "observe":
                return core.Lambda(text, ("source", "value"), None, core.Observe(source, value, span), span)
            case _:
                body = core.Mem(source, span)
        return core.Lambda(text, ("source",), None, body, span)

    def quoted(self, form: Form, depth: int = 1) -> Any:
        if depth > DEEPEST_DATA:
            raise self.fail(form, f"quoted data are nested too deeply (more than {DEEPEST_DATA} levels)")
        match form:
            case Atom(value):
                return value
            case Name(text):
                return Symbol(text)
            case Group("["):
                literal = literal_of(form)
                if literal is not None:
                    return literal
                return tuple([self.quoted(item, depth + 1) for item in form.items])
            case Group("{"):
                raise self.fail(form, "a map cannot be quoted; write it without the quote")
            case Group():
                return List([self.quoted(item, depth + 1) for item in form.items])

    # Special forms

    def quote(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        self.size(form, rest, 1, 1, "(quote datum)")
        return core.Const(self.quoted(rest[0]), form.span)

    def if_(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        self.size(form, rest, 2, 3, "(if test then else)")
        other = self.expr(rest[2]) if len(rest) == 3 else core.Const(None, form.span)
        return core.If(self.expr(rest[0]), self.expr(rest[1]), other, form.span)

    def lambda_(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if len(rest) < 2:
            raise self.fail(form, "expected (lambda (parameter ...) body)")
        return self.anonymous(form, rest)

    def fn(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if rest and isinstance(rest[0], Name):
            name = self.binder(rest[0])
            if len(rest) < 3:
                raise self.fail(form, "expected (fn name [parameter ...] body ...)")
            procedure = self.procedure(form, rest[1], rest[2:], name)
            return core.Letrec(((name, procedure),), core.Name(name, form.span), form.span)
        if len(rest) < 2:
            raise self.fail(form, "expected (fn [parameter ...] body ...)")
        return self.anonymous(form, rest)

    def anonymous(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        name = self.temporary("fn")
        procedure = self.procedure(form, rest[0], rest[1:], name)
        if _mentions(procedure.body, name):  # recur inside calls the procedure itself
            return core.Letrec(((name, procedure),), core.Name(name, form.span), form.span)
        return core.Lambda("fn", procedure.parameters, procedure.rest, procedure.body, procedure.span)

    def bindings(self, form: Form) -> list[tuple[Form, Form]]:
        """Clojure's [a 1 b 2] or Scheme's ((a 1) (b 2))."""
        if isinstance(form, Group) and form.bracket == "(":
            pairs = []
            for item in form.items:
                if not (isinstance(item, Group) and len(item.items) == 2):
                    raise self.fail(item, "expected (name expression)")
                pairs.append((item.items[0], item.items[1]))
            return pairs
        if not isinstance(form, Group) or form.bracket != "[":
            raise self.fail(form, "expected a vector of bindings [name expression ...]")
        if len(form.items) % 2:
            raise self.fail(form.items[-1], "this name has no expression to be bound to")
        return list(zip(form.items[::2], form.items[1::2]))

    def let(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if len(rest) < 2:
            raise self.fail(form, "expected (let [name expression ...] body ...)")
        bound: list[tuple[str, core.Expr, Span]] = []
        for target, value in self.bindings(rest[0]):
            if isinstance(target, Name):
                name = self.binder(target)
                bound.append((name, self.named(value, name), target.span))
            else:
                whole = self.temporary("whole")
                bound.append((whole, self.expr(value), target.span))
                parts = self.destructure(target, core.Name(whole, target.span))
                bound.extend((name, part, part.span) for name, part in parts)
        result = self.body(form, rest[1:])
        for name, expr, span in reversed(bound):
            result = core.Let(name, expr, result, span)
        return result

    def letrec(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if len(rest) < 2:
            raise self.fail(form, "expected (letrec [name procedure ...] body ...)")
        found = []
        for target, value in self.bindings(rest[0]):
            name = self.binder(target)
            procedure = self.named(value, name)
            if not isinstance(procedure, core.Lambda):
                raise self.fail(value, "letrec binds procedures: expected a lambda here")
            found.append((name, procedure))
        return core.Letrec(tuple(found), self.body(form, rest[1:]), form.span)

    def loop(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if len(rest) < 2:
            raise self.fail(form, "expected (loop [name start ...] body ...)")
        name = self.temporary("loop")
        pairs = self.bindings(rest[0])
        starts = [self.expr(start) for _, start in pairs]
        header = Group("[", tuple([target for target, _ in pairs]), rest[0].start, rest[0].end)
        parameters, _, parts = self.parameters(header)
        self.loops.append(name)
        try:
            body = self.body(form, rest[1:])
        finally:
            self.loops.pop()
        for part, value in reversed(parts):
            body = core.Let(part, value, body, header.span)
        procedure = core.Lambda(name, tuple(parameters), None, body, form.span)
        outer: list[tuple[str, core.Expr, Span]] = []
        if any(_mentions(start, p) for at, start in enumerate(starts) for p in parameters[:at]):
            outer = [(p, start, target.span) for p, start, (target, _) in zip(parameters, starts, pairs)]
            starts = [core.Name(p, target.span) for p, (target, _) in zip(parameters, pairs)]
        call = core.App(core.Name(name, form.span), tuple(starts), form.span)
        result: core.Expr = core.Letrec(((name, procedure),), call, form.span)
        for target_name, value, span in reversed(outer):
            result = core.Let(target_name, value, result, span)
        return result

    def recur(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if not self.loops or not self.loops[-1]:
            raise self.fail(form, "recur must stand in a loop, or in a procedure whose parameters are plain names")
        operator = core.Name(self.loops[-1], form.items[0].span)
        return core.App(operator, tuple([self.expr(item) for item in rest]), form.span)

    def cond(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        clauses: list[tuple[Form, Form]]
        if rest and all(isinstance(c, Group) and c.bracket in "([" and len(c.items) == 2 for c in rest):
            clauses = [(c.items[0], c.items[1]) for c in rest if isinstance(c, Group)]  # Scheme's
        elif len(rest) % 2:
            raise self.fail(form, "cond needs an even number of forms: test value ...")
        else:
            clauses = list(zip(rest[::2], rest[1::2]))
        result: core.Expr = core.Const(None, form.span)
        for test, value in reversed(clauses):
            if isinstance(test, Name) and test.text in (":else", "else"):
                result = self.expr(value)
            else:
                result = core.If(self.expr(test), self.expr(value), result, Span(test.start, value.end))
        return result

    def case(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if not rest:
            raise self.fail(form, "expected (case expression value result ... default)")
        key = self.temporary("key")
        clauses = list(rest[1:])
        result: core.Expr
        if len(clauses) % 2:
            result = self.expr(clauses.pop())
        else:
            result = _call("no-case", form.span, core.Name(key, form.span))
        for test, value in reversed(list(zip(clauses[::2], clauses[1::2]))):
            choices = test.items if isinstance(test, Group) and test.bracket == "(" else (test,)
            tests = [_call("=", c.span, core.Name(key, c.span), core.Const(self.quoted(c), c.span)) for c in choices]
            result = core.If(_or(tests, test.span), self.expr(value), result, Span(test.start, value.end))
        return core.Let(key, self.expr(rest[0]), result, form.span)

    def when(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if len(rest) < 2:
            raise self.fail(form, f"expected ({_head(form)} test body ...)")
        nothing = core.Const(None, form.span)
        test, body = self.expr(rest[0]), self.body(form, rest[1:])
        if _head(form) == "when":
            return core.If(test, body, nothing, form.span)
        return core.If(test, nothing, body, form.span)

    def and_(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if not rest:
            return core.Const(True, form.span)
        *tests, last = [self.expr(item) for item in rest]
        for test in reversed(tests):
            name = self.temporary("and")
            held = core.Name(name, test.span)
            last = core.Let(name, test, core.If(held, last, held, test.span), test.span)
        return last

    def or_(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        if not rest:
            return core.Const(None, form.span)
        *tests, last = [self.expr(item) for item in rest]
        for test in reversed(tests):
            name = self.temporary("or")
            held = core.Name(name, test.span)
            last = core.Let(name, test, core.If(held, held, last, test.span), test.span)
        return last

    def do(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        return self.body(form, rest)

    def sample(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        self.size(form, rest, 1, 1, "(sample distribution)")
        return core.Sample(self.expr(rest[0]), form.span)

    def observe(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        self.size(form, rest, 2, 2, "(observe distribution value)")
        return core.Observe(self.expr(rest[0]), self.expr(rest[1]), form.span)

    def mem(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        self.size(form, rest, 1, 1, "(mem procedure)")
        return core.Mem(self.expr(rest[0]), form.span)

    def misplaced(self, form: Group, rest: Sequence[Form]) -> core.Expr:
        word = _head(form)
        instead = {"for": "; use map or loop here", "predict": "", "input": ""}.get(word, "; use let here")
        raise self.fail(form, f"'{word}' starts a statement, which can only stand at the top level{instead}")


SpecialForm = Callable[[_Expander, Group, Sequence[Form]], core.Expr]

SPECIAL_FORMS: dict[str, SpecialForm] = {
    "quote": _Expander.quote,
    "if": _Expander.if_,
    "lambda": _Expander.lambda_,
    "fn": _Expander.fn,
    "let": _Expander.let,
    "let*": _Expander.let,
    "letrec": _Expander.letrec,
    "loop": _Expander.loop,
    "recur": _Expander.recur,
    "cond": _Expander.cond,
    "case": _Expander.case,
    "when": _Expander.when,
    "when-not": _Expander.when,
    "and": _Expander.and_,
    "or": _Expander.or_,
    "do": _Expander.do,
    "begin": _Expander.do,
    "sample": _Expander.sample,
    "observe": _Expander.observe,
    "mem": _Expander.mem,
    "assume": _Expander.misplaced,
    "predict": _Expander.misplaced,
    "input": _Expander.misplaced,
    "for": _Expander.misplaced,
    "define": _Expander.misplaced,
    "def": _Expander.misplaced,
    "defn": _Expander.misplaced,
}


def _head(form: Group) -> str:
    head = form.items[0]
    assert isinstance(head, Name)
    return head.text


def _call(name: str, span: Span, *arguments: core.Expr) -> core.App:
    """A call of a primitive that a program's own names cannot shadow."""
    return core.App(core.Primitive(name, span), arguments, span)


def _vector(items: list[core.Expr], span: Span) -> core.Expr:
    """A vector of constants is a constant: data in the text need no code."""
    values = [item.value for item in items if isinstance(item, core.Const)]
    if len(values) == len(items) and all(_depth(value) < DEEPEST_DATA for value in values):
        return core.Const(primitive_named("vector").function(*values), span)
    return _call("vector", span, *items)


def _depth(value: Any) -> int:
    if isinstance(value, tuple):
        return 1 + max(map(_depth, value), default=0)
    return int(getattr(value, "ndim", 0))


def _or(tests: Sequence[core.Expr], span: Span) -> core.Expr:
    result = tests[-1]
    for test in reversed(tests[:-1]):
        result = core.If(test, core.Const(True, span), result, span)
    return result


def _mentions(expr: core.Expr, name: str) -> bool:
    stack: list[Any] = [expr]
    while stack:
        match stack.pop():
            case core.Name(text) if text == name:
                return True
            case core.App(operator, arguments):
                stack += [operator, *arguments]
            case core.Lambda(body=body):
                stack.append(body)
            case core.If(test, then, other):
                stack += [test, then, other]
            case core.Let(_, value, body):
                stack += [value, body]
            case core.Letrec(bindings, body):
                stack += [body, *(procedure for _, procedure in bindings)]
            case core.Sample(source) | core.Mem(source):
                stack.append(source)
            case core.Observe(source, value):
                stack += [source, value]
    return False


def _under(statement: core.Statement, parts: list[tuple[str, core.Expr]]) -> core.Statement:
    """The statement with the parts of a destructured loop variable bound around its expressions."""
    if not parts:
        return statement

    def bound(expr: core.Expr) -> core.Expr:
        for name, value in reversed(parts):
            if _mentions(expr, name):
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
