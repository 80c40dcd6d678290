"""Logits: a coin whose probability is a sigmoid is one by its logit.

    (flip (sigmoid e))    ->    (flip-logit e)

In floats 1 - sigmoid(40) is 0, so that the improbable side of a coin is lost with the probability; the logit has both.
The same for `bernoulli` and `binomial`, and where the probability comes by way of

- `(- 1 (sigmoid e))`, and `(/ 1 (+ 1 (exp e)))` written out;
- a let, a do or an if, of which both sides are sigmoids;
- a variable, local or global. It is bound beside its logit, and is the sigmoid of that:

      [assume p (sigmoid e)]    ->    [assume p%logit e]  [assume p (sigmoid p%logit)]

- a call of a global procedure, which gets a twin:

      [assume f (lambda (x) (sigmoid e))]    ->    [assume f%logit (lambda (x) e)]  [assume f (lambda (x) (sigmoid e))]

Only what a coin asks for is bound or defined twice. A probability that comes out of a memo is worth a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from pplc.diagnostics import Diagnostic
from pplc.languages import core
from pplc.languages.traverse import binders, every_expression, every_statement, expressions, rebuilt
from pplc_runtime.program.names import identifier

COINS: Final = ("flip", "bernoulli", "binomial")
"""Those whose last parameter is a probability, and that have a form by its logit."""
LOST: Final = "a sigmoid that comes out of a memo loses what is improbable; memoise its logit, and use '{}-logit'"
Logits: TypeAlias = Mapping[str, str]
"""Local variables that are sigmoids, to those that are their logits."""


def logits(program: core.Program) -> tuple[core.Program, list[Diagnostic]]:
    """The program with coins by their logits, and warnings where a logit is lost."""
    names = {item.name for item in _everything(program) if isinstance(item, core.Primitive)}
    if not names & {"sigmoid", "exp"} or not any(name.removesuffix("-dist") in COINS for name in names):
        return program, []
    wanted: dict[str, str] = {}
    while True:  # until no global is asked for its logit that was not before
        pass_ = _Logits(program, dict(wanted))
        statements = pass_.statements(program.statements)
        if pass_.wanted == wanted:
            return core.Program(statements), pass_.warnings
        wanted = pass_.wanted


def _everything(program: core.Program) -> Iterator[core.Expr]:
    for statement in every_statement(program.statements):
        for expr in expressions(statement):
            yield from every_expression(expr)


@dataclass(slots=True)
class _Logits:
    program: core.Program
    wanted: dict[str, str]
    """Globals whose logits are asked for, to the names of these."""
    assumed: dict[str, core.Expr] = field(default_factory=dict)
    ones: set[str] = field(default_factory=set)
    """The literals of shared statements that are 1 in every row."""
    taken: set[str] = field(default_factory=set)
    """What variables are called in Python."""
    asked: set[str] = field(default_factory=set)
    """Local logits that are in use."""
    known: dict[str, bool] = field(default_factory=dict)
    """Whether globals are sigmoids, or procedures that give them."""
    shared: dict[int, core.ObserveStatement | core.PredictStatement] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)

    def __post_init__(self) -> None:
        for statement in every_statement(self.program.statements):
            if isinstance(statement, core.AssumeStatement):
                self.assumed[statement.name] = statement.value
                self.taken.add(identifier(statement.name))
            elif isinstance(statement, core.ForStatement):
                self.taken.add(statement.name)
        for item in _everything(self.program):
            self.taken.update(binders(item))
        literals: dict[str, bool] = {}
        for shared in _shared(self.program.statements):
            for name, value in zip(shared.literals, shared.row):
                literals[name] = literals.get(name, True) and _is_one(value)
        self.taken.update(literals)
        self.ones = {name for name, always in literals.items() if always}

    def fresh(self, name: str) -> str:
        while identifier(name) in self.taken:
            name += "_"
        self.taken.add(identifier(name))
        return name

    # Statements

    def statements(self, statements: tuple[core.Statement, ...]) -> tuple[core.Statement, ...]:
        return tuple([new for statement in statements for new in self.statement(statement)])

    def statement(self, statement: core.Statement) -> list[core.Statement]:
        """A statement, and before it that of its logit if somebody asks for it."""
        match statement:
            case core.AssumeStatement(name, value, span, name_span):
                logit = self.wanted.get(name)
                if logit is None:
                    return [core.AssumeStatement(name, self.expr(value, {}), span, name_span)]
                if isinstance(value, core.Lambda):
                    body = self.logit(value.body, {})
                    twin: core.Expr = core.Lambda(value.name, value.parameters, value.rest, body, value.span)
                    kept = self.expr(value, {})
                else:
                    twin, kept = self.logit(value, {}), _sigmoid(core.Global(logit, value.span))
                return [
                    core.AssumeStatement(logit, twin, span, name_span),
                    core.AssumeStatement(name, kept, span, name_span),
                ]
            case core.ObserveStatement(source, value, span):
                return [core.ObserveStatement(self.expr(source, {}), self.expr(value, {}), span)]
            case core.PredictStatement(label, value, span):
                return [core.PredictStatement(self.expr(label, {}), self.expr(value, {}), span)]
            case core.InputStatement(name, default, span, name_span):
                return [core.InputStatement(name, default and self.expr(default, {}), span, name_span)]
            case core.ForStatement(_, sequence, body):
                return [replace(statement, sequence=self.expr(sequence, {}), body=self.statements(body))]
            case core.SharedStatement(shape, literals, shared, row, span):
                if shape not in self.shared:
                    (new,) = self.statement(shared)
                    assert isinstance(new, core.ObserveStatement | core.PredictStatement)
                    self.shared[shape] = new
                return [core.SharedStatement(shape, literals, self.shared[shape], row, span)]

    # Expressions

    def expr(self, expr: core.Expr, local: Logits) -> core.Expr:
        """An expression with coins by their logits."""
        match expr:
            case core.App(core.Primitive(name) as operator, (*some, p), span) if name.removesuffix("-dist") in COINS:
                coin = name.removesuffix("-dist")
                if self.is_sigmoid(p, local):
                    arguments = (*[self.expr(one, local) for one in some], self.logit(p, local))
                    return core.App(core.Primitive(f"{coin}-logit", operator.span), arguments, span)
                if self.is_lost(p):
                    self.warnings.append(Diagnostic(p.span, LOST.format(coin), "warning"))
            case core.Let():
                return self.let(expr, local, self.expr)
        return rebuilt(expr, lambda part: self.expr(part, local))

    def let(self, expr: core.Let, local: Logits, finish: Callable[[core.Expr, Logits], core.Expr]) -> core.Expr:
        """A let, with the logit of its variable if that is asked for in its body."""
        name, value, body, span = expr.name, expr.value, expr.body, expr.span
        if self.is_sigmoid(value, local):
            logit = self.fresh(f"{name}_logit")
            inner = finish(body, {**local, name: logit})
            if logit in self.asked:
                variable = core.Let(name, _sigmoid(core.Local(logit, value.span)), inner, span)
                return core.Let(logit, self.logit(value, local), variable, span)
        else:
            inner = finish(body, local)
        return core.Let(name, self.expr(value, local), inner, span)

    def is_sigmoid(self, expr: core.Expr, local: Logits) -> bool:
        """Whether an expression is the sigmoid of something: only what it comes to in the end is looked at."""
        match expr:
            case core.App(core.Primitive("sigmoid")):
                return True
            case core.App(core.Primitive("-" | "sub"), (one, other)) if self.is_one(one):
                return self.is_sigmoid(other, local)
            case core.Let(name, value, body):
                known = self.is_sigmoid(value, local)
                return self.is_sigmoid(body, {**local, name: name} if known else local)
            case core.If(_, then, other):
                return self.is_sigmoid(then, local) and self.is_sigmoid(other, local)
            case core.Local(name):
                return name in local
            case core.Global(name) if not isinstance(self.assumed.get(name), core.Lambda):
                return self.gives_sigmoid(name, self.assumed.get(name))
            case core.App(core.Global(name)):
                procedure = self.assumed.get(name)
                return isinstance(procedure, core.Lambda) and self.gives_sigmoid(name, procedure.body)
        return self.exponent(expr) is not None

    def gives_sigmoid(self, name: str, value: core.Expr | None) -> bool:
        """Whether a global is a sigmoid, or what calling it gives; one that needs to know of itself is not."""
        if name not in self.known:
            self.known[name] = False
            self.known[name] = value is not None and self.is_sigmoid(value, {})
        return self.known[name]

    def logit(self, expr: core.Expr, local: Logits) -> core.Expr:
        """What a sigmoid is of."""
        match expr:
            case core.App(core.Primitive("sigmoid"), (of,)):
                return self.expr(of, local)
            case core.App(core.Primitive("-" | "sub"), (_, other), span):
                return core.primitive_call("-", span, self.logit(other, local))
            case core.Let():
                return self.let(expr, local, self.logit)
            case core.If(test, then, other, span):
                return core.If(self.expr(test, local), self.logit(then, local), self.logit(other, local), span)
            case core.Local(name, span):
                self.asked.add(local[name])
                return core.Local(local[name], span)
            case core.Global(name, span):
                return core.Global(self.of_global(name), span)
            case core.App(core.Global(name, name_span), arguments, span):
                given = tuple([self.expr(argument, local) for argument in arguments])
                return core.App(core.Global(self.of_global(name), name_span), given, span)
        exponent = self.exponent(expr)
        assert exponent is not None, "is_sigmoid has said so"
        return core.primitive_call("-", expr.span, self.expr(exponent, local))

    def of_global(self, name: str) -> str:
        if name not in self.wanted:
            self.wanted[name] = self.fresh(f"{name}%logit")
        return self.wanted[name]

    def exponent(self, expr: core.Expr) -> core.Expr | None:
        """e of (/ 1 (+ 1 (exp e))), in either order."""
        match expr:
            case core.App(
                core.Primitive("/" | "div"), (one, core.App(core.Primitive("+" | "add"), (first, second)))
            ) if self.is_one(one):
                for other, power in ((first, second), (second, first)):
                    match power:
                        case core.App(core.Primitive("exp"), (of,)) if self.is_one(other):
                            return of
        return None

    def is_one(self, expr: core.Expr) -> bool:
        match expr:
            case core.Const(value):
                return _is_one(value)
            case core.Local(name):
                return name in self.ones
        return False

    def is_lost(self, expr: core.Expr) -> bool:
        """Whether an expression is a call of a global memo of sigmoids."""
        match expr:
            case core.App(core.Global(name)):
                match self.assumed.get(name):
                    case core.Mem(core.Lambda(body=body)):
                        return self.is_sigmoid(body, {})
        return False


def _sigmoid(of: core.Global | core.Local) -> core.Expr:
    return core.primitive_call("sigmoid", of.span, of)


def _is_one(value: Any) -> bool:
    return type(value) in (int, float) and value == 1


def _shared(statements: tuple[core.Statement, ...]) -> Iterator[core.SharedStatement]:
    for statement in statements:
        if isinstance(statement, core.SharedStatement):
            yield statement
        elif isinstance(statement, core.ForStatement):
            yield from _shared(statement.body)
