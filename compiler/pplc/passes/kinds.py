"""Kinds: what expressions surely are, for the warnings of `check`.

    [assume x (normal 0 1)]    x is the distribution <normal>
    [predict (+ x 1)]          a draw was forgotten
    [assume y (sample x)]      y is a number
    [observe y 3]              observe takes a distribution

A kind is known where it is the same whenever the expression is evaluated. What is not known is not warned of: a
parameter of a procedure, an element of a list, an if with a distribution on one side and a number on the other.
"""

from __future__ import annotations

from typing import Final

from pplc.diagnostics import Diagnostic
from pplc.languages import core
from pplc.languages.facts import Analysis
from pplc.languages.traverse import every_expression, every_statement, expressions
from pplc.passes.kinds_known import (
    BOOLEAN,
    COMPARE,
    FUNCTION,
    GIVES,
    NUMBER,
    POINT,
    WANTED,
    Drawable,
    Kind,
    Locals,
    Operation,
    Plain,
    Procedure,
    joined,
    made_by,
    of_constant,
)
from pplc.source import Source, Span
from pplc_runtime.program.densities import OF_DISTRIBUTIONS
from pplc_runtime.program.names import OPERATORS, SIGNATURES, STOCHASTIC

_TESTS: Final = frozenset({"filter", "remove", "some", "every?", "take-while", "drop-while"})
"""Primitives whose first argument is a procedure that tests."""
_HOLDS: Final = frozenset({"vector", "list", "hash-map"})
"""What literals stand for: a predict of one reports what is in it."""


def check_kinds(analysis: Analysis, source: Source) -> list[Diagnostic]:
    """A warning wherever a distribution stands in the place of a value, or a value in that of a distribution."""
    checker = _Checker(analysis, source)
    for statement in every_statement(analysis.program.statements):
        checker.statement(statement)
    return checker.warnings


class _Checker:
    def __init__(self, analysis: Analysis, source: Source) -> None:
        self.random = analysis.random
        self.source = source
        self.warnings: list[Diagnostic] = []
        self.known: dict[int, Kind | None] = {}
        self.assumes: dict[str, tuple[core.AssumeStatement, Locals]] = {}
        self.drawn: set[str] = set()
        """The globals that are drawn from or observed somewhere: no draw was forgotten where they are assumed."""
        self.told: set[str] = set()
        self.locals: dict[int, Locals] = {}
        for statement in every_statement(analysis.program.statements):
            own = self.locals[id(statement)] = _bound(statement)
            if isinstance(statement, core.AssumeStatement):
                self.assumes[statement.name] = statement, own
            for expr in _inside(statement):
                if isinstance(expr, core.Sample | core.Observe) and isinstance(expr.source, core.Global):
                    self.drawn.add(expr.source.name)
            if isinstance(statement, core.ObserveStatement) and isinstance(statement.source, core.Global):
                self.drawn.add(statement.source.name)

    # What an expression is

    def kind(self, expr: core.Expr, local: Locals) -> Kind | None:
        while isinstance(expr, core.Let | core.Letrec):
            expr = expr.body
        if id(expr) not in self.known:
            self.known[id(expr)] = None  # where it depends on itself
            self.known[id(expr)] = self.find(expr, local)
        return self.known[id(expr)]

    def find(self, expr: core.Expr, local: Locals) -> Kind | None:
        match expr:
            case core.Const(value):
                return of_constant(value)
            case core.Global(name) if name in self.assumes:
                statement, own = self.assumes[name]
                return self.kind(statement.value, own)
            case core.Local(name) if name in local:
                return self.kind(local[name], local)
            case core.Primitive(name):
                return Operation(name)
            case core.Lambda():
                return Procedure(expr, local)
            case core.Mem(procedure):
                return self.kind(procedure, local)
            case core.If(_, then, other):
                return joined(self.kind(then, local), self.kind(other, local))
            case core.Sample(source):
                drawable = self.kind(source, local)
                return drawable.draw if isinstance(drawable, Drawable) else None
            case core.Observe(_, value):
                return self.kind(value, local)
            case core.App(operator, arguments):
                made = self.result(self.kind(operator, local))
                if isinstance(made, Drawable) and made.draw == NUMBER:
                    # of vectors as parameters a draw is a vector
                    sure = all(self.kind(argument, local) == NUMBER for argument in arguments)
                    return made if sure else Drawable(made.what, made.name, Plain("a number", surely=False))
                return made
            case _:
                return None

    def result(self, operator: Kind | None) -> Kind | None:
        """What a call gives."""
        match operator:
            case Operation(name) if name in STOCHASTIC:
                return made_by(name)
            case Operation(name) if name in GIVES:
                return Plain(GIVES[name])
            case Operation(name) if name in WANTED and WANTED[name] == "takes numbers":
                return Plain(f"what '{name}' gives")
            case Procedure(code, local):
                return self.kind(code.body, local)
            case Drawable() if operator == FUNCTION:
                return POINT
            case _:
                return None

    # Where it may not stand

    def statement(self, statement: core.Statement) -> None:
        local = self.locals[id(statement)]
        for expr in _inside(statement):
            self.expression(expr, local)
        match statement:
            case core.ObserveStatement(source, value):
                self.observe(source, value, local)
            case core.PredictStatement(label, value):
                self.label(label, local)
                self.report(value, local)
            case _:
                pass

    def expression(self, expr: core.Expr, local: Locals) -> None:
        match expr:
            case core.If(test):
                self.value("a test takes a truth value", test, local)
            case core.Sample(source):
                self.drawable("sample", source, local)
            case core.Observe(source, value):
                self.observe(source, value, local)
            case core.App(core.Primitive(name), arguments):
                self.operation(name, arguments, local)
            case core.App(operator, arguments):
                kind = self.kind(operator, local)
                if isinstance(kind, Plain) and kind in (NUMBER, BOOLEAN):
                    first = arguments[0] if len(arguments) == 2 else None
                    asked = ""
                    if isinstance(first, core.Primitive) and first.name in OPERATORS:
                        asked = f"; an operator comes first: ({first.name} a b)"
                    self.warn(operator.span, f"{kind} is not a procedure and cannot be called{asked}")
                elif isinstance(kind, Drawable) and kind != FUNCTION:
                    self.forgotten(f"{kind} is not a procedure and cannot be called", operator, kind)

    def operation(self, name: str, arguments: tuple[core.Expr, ...], local: Locals) -> None:
        if name in WANTED:
            for argument in arguments if name not in COMPARE or len(arguments) > 1 else ():
                self.value(f"'{name}' {WANTED[name]}", argument, local)
        elif name in STOCHASTIC:
            signature = SIGNATURES[name]
            for parameter, domain, argument in zip(signature.parameters, signature.domains, arguments):
                self.value(f"{name}: {parameter} must be {domain}", argument, local)
        elif name in OF_DISTRIBUTIONS:
            self.drawable(name, arguments[0], local)
            for argument in arguments[1:]:
                self.value(f"'{name}' takes the distribution first, then a value", argument, local)
        elif name in ("=", "not="):
            kinds = [self.kind(argument, local) for argument in arguments]
            for kind in (NUMBER, BOOLEAN):
                if any(isinstance(each, Plain) and each.text == kind.text for each in kinds):
                    for argument in arguments:
                        self.value(f"'=' compares {'numbers' if kind is NUMBER else 'booleans'}", argument, local)
                    break
        elif name in _TESTS:
            procedure = self.kind(arguments[0], local)
            tested = self.result(procedure) if isinstance(procedure, Procedure | Operation) else None
            if isinstance(tested, Drawable):
                self.warn(arguments[0].span, f"a test takes a truth value, not {tested}; did you mean (sample ...)?")

    def value(self, wanted: str, expr: core.Expr, local: Locals) -> None:
        """Warn where a distribution or process stands in the place of a value."""
        kind = self.kind(expr, local)
        if isinstance(kind, Drawable):
            self.forgotten(f"{wanted}, not {kind}", _seen_through(expr, local), kind, expr.span)

    def observe(self, source: core.Expr, value: core.Expr, local: Locals) -> None:
        is_swapped = isinstance(self.kind(value, local), Drawable)
        self.drawable("observe", source, local, "; the distribution comes first, then the value" if is_swapped else "")
        kind = self.kind(source, local)
        if isinstance(kind, Drawable) and kind.draw is not None:
            self.value(f"{kind.name or 'observe'}: a value of it is {kind.draw}", value, local)

    def drawable(self, word: str, source: core.Expr, local: Locals, hint: str = "") -> None:
        """Warn where something else stands in the place of a distribution or process."""
        kind = self.kind(source, local)
        is_name = isinstance(source, core.Global | core.Local)
        text = self.source.slice(source.span) if is_name else "..."
        wanted = f"{word} takes a distribution or a process, not {kind}"
        match kind:
            case Plain():
                is_seen = word == "observe" and kind.text == NUMBER.text and is_name
                about = f"; did you mean one about it, such as (normal {text} 1)?" if is_seen else ""
                self.warn(source.span, wanted + (hint or about))
            case Operation(name) if name in STOCHASTIC:
                self.warn(source.span, f"{wanted}; did you mean ({' '.join((name, *SIGNATURES[name].parameters))})?")
            case Procedure(code):
                names = [parameter.partition("%")[0] for parameter in code.parameters]
                self.warn(source.span, f"{wanted}; did you mean ({' '.join((text, *names))})?")
            case Operation():
                self.warn(source.span, wanted)
            case Drawable() if kind == FUNCTION:
                self.warn(source.span, f"{wanted}; did you mean ({text} x)?")
            case _:
                pass

    def report(self, expr: core.Expr, local: Locals) -> None:
        stack = [expr]
        while stack:
            item = stack.pop()
            match item:
                case core.App(core.Primitive(name), arguments) if name in _HOLDS:
                    stack.extend(reversed(arguments))
                case _:
                    self.value("a predict reports values", item, local)

    def label(self, label: core.Expr, local: Locals) -> None:
        """A bare name in the place of a label is often meant as the text."""
        if not isinstance(label, core.Global | core.Primitive):
            return
        kind = self.kind(label, local)
        advice = f'a label is an expression; write "{label.name}"'
        if kind is not None and not isinstance(kind, Plain):
            self.warn(label.span, f"the label is {kind}: {advice}")
        elif isinstance(label, core.Global) and label.name in self.random:
            self.warn(label.span, f"the label is the value of '{label.name}', which is random: {advice}")

    # Warnings

    def warn(self, span: Span, message: str) -> None:
        self.warnings.append(Diagnostic(span, message, "warning"))

    def forgotten(self, message: str, expr: core.Expr, kind: Drawable, span: Span | None = None) -> None:
        """Ask whether a draw was meant: once for a global, at its first use, for it was forgotten once."""
        draw = "(sample ...)"
        if isinstance(expr, core.Global):
            if expr.name in self.told:
                return
            self.told.add(expr.name)
            draw = f"(sample {expr.name})"
            if kind == FUNCTION:
                draw = f"(sample ({expr.name} x))"
            elif kind.what == "distribution" and expr.name not in self.drawn:
                line = self.source.line_of(self.assumes[expr.name][0].span.start)
                draw = f"[assume {expr.name.split('%')[0]} (sample ...)] in {line}"
        self.warn(span or expr.span, f"{message}; did you mean {draw}?")


def _inside(statement: core.Statement) -> list[core.Expr]:
    return [item for expr in expressions(statement) for item in every_expression(expr)]


def _bound(statement: core.Statement) -> Locals:
    """The local variables of a statement whose value is an expression of it: names are unique in a statement."""
    found: Locals = {}
    for item in _inside(statement):
        if isinstance(item, core.Let):
            found[item.name] = item.value
        elif isinstance(item, core.Letrec):
            found.update(item.bindings)
    return found


def _seen_through(expr: core.Expr, local: Locals) -> core.Expr:
    """The expression that a local variable stands for."""
    while isinstance(expr, core.Local) and expr.name in local:
        expr = local[expr.name]
    return expr
