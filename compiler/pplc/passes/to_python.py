"""To Python: every statement and procedure as a Python function.

    [assume geom (lambda (p) (if (sample (flip p)) 1 (+ 1 (geom p))))]
    ->  def geom(at, p):
            return branch(sample(at[1], flip(p)), lambda: 1, lambda: add(1, geom(at[2], p)))

- `at` is the address of the running evaluation; each call and each draw has its own number in it.
- A procedure is a function of the module; what it closes over comes in as further parameters (lambda
  lifting), so that a closure is its code and a tuple of values.
- The functions and constants of the module never have the name of a local variable of the program: a local
  one would hide them.

What is inside of a function is in `python_body`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from pplc.languages import core
from pplc.languages.python import Function, Module
from pplc.languages.steps import Loop, Step, Steps
from pplc.languages.traverse import binders, every_expression, expressions
from pplc.passes.python_body import Body
from pplc.passes.python_formula import Formula, quickly
from pplc.passes.python_procedures import Known
from pplc.passes.python_syntax import arguments, assign, function, load, number
from pplc.source import Span
from pplc_runtime.program.names import RESERVED, identifier, mangled
from pplc_runtime.values import List, Symbol

TEMPORARY: Final = re.compile(r"(held|label|test|then|other|value)_\d+")
"""What bodies call their own variables."""

LONGEST_LABEL: Final = 30
"""What may stand in the line that returns it."""


def to_python(steps: Steps) -> Module:
    """The Python functions of all steps."""
    return Builder(steps).build()


class Builder:
    """Collects the functions and constants of the module, and hands out their names."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.module = Module(constant=steps.constant, shared=steps.shared)
        self.names = _locals(steps)
        self.direct: dict[str, Known] = {}
        """The closed procedures that are globals."""
        self.parts: dict[int, Known] = {}
        """The functions made from an expression, by its identity: a copy of it calls the same ones."""
        self._formulas: dict[int, tuple[str, core.Expr]] = {}
        self._constants: dict[Any, str] = {}
        self._values: dict[str, str] = {}

    def build(self) -> Module:
        for name, procedure in self.steps.direct.items():
            self.direct[name] = Known(self.unique(name), procedure, ())
        for known in self.direct.values():
            self.function(known, {})
        shapes: dict[int | None, str] = {}
        for step in self.steps.steps:
            shape = step.shape if isinstance(step, Step) else None
            if shape is None or shape not in shapes:
                shapes[shape] = self.step(step)
            self.module.table.append((step, shapes[shape]))
        return self.module

    def step(self, step: Step | Loop) -> str:
        """The name of the function of a step; None where there is nothing to run."""
        match step:
            case Loop(name, sequence, variables, span):
                return self.statement(f"for_{name}", variables, (sequence,), span)
            case Step(core.AssumeStatement(name), _, _, _, _) if name in self.direct:
                return "None"
            case Step(core.AssumeStatement(name, value), variables, _, _, span):
                return self.statement(f"assume_{name}", variables, (value,), span)
            case Step(core.ObserveStatement(source, value), variables, _, _, span):
                return self.statement("observe", variables, (source, value), span)
            case Step(core.PredictStatement(label, value), variables, _, _, span):
                return self.statement("predict", variables, (label, value), span)
            case Step(core.InputStatement(name, default), variables, _, _, span):
                if default is None:
                    return "None"
                return self.statement(f"input_{name}", variables, (default,), span)
            case _:
                raise AssertionError(step)

    def statement(self, hint: str, variables: tuple[str, ...], values: tuple[core.Expr, ...], span: Span) -> str:
        name = self.unique(hint, numbered=hint in ("observe", "predict"))
        body = Body(self, {})
        if len(values) == 1:
            body.tail(values[0])
        else:
            first, second = body.all_values(values)
            if isinstance(first, ast.Constant) and len(str(first.value)) > LONGEST_LABEL:
                label = body.temporary("label")
                body.emit(assign(label, first))
                first = load(label)
            body.emit(ast.Return(ast.Tuple([first, second], ast.Load())))
        self.define(name, variables, body.statements, span)
        return name

    def function(self, known: Known, scope: Mapping[str, Known]) -> None:
        """Define the function of a procedure, as a loop where it calls itself in tail position."""
        procedure = known.procedure
        body = Body(self, dict(scope), own=known)
        body.procedure(procedure.body)
        parameters = (*binders(procedure), *known.captured)
        self.define(known.function, parameters, body.statements, procedure.span)

    def formula(self, formula: Formula, expr: core.Expr) -> str:
        """The function of a formula: a copy of its expression calls the same one."""
        known = self._formulas.get(id(expr))
        if known is None:
            name = self.unique("formula", numbered=True)
            known = self._formulas[id(expr)] = (name, expr)
            body = Body(self, {}, careful=True)
            body.tail(formula.body)
            definition = function(name, formula.names, body.statements)
            quick, _ = quickly(formula.body)
            decorator = ast.Call(self.runtime("formula"), [ast.Lambda(arguments(formula.names), quick)], [])
            definition.decorator_list.append(decorator)
            self.module.functions.append(Function(definition, expr.span))
            if any(isinstance(node, ast.Attribute) for node in ast.walk(quick)):
                self.runtime("raw")
        return known[0]

    def define(self, name: str, parameters: Iterable[str], body: list[ast.stmt], span: Span) -> None:
        self.module.functions.append(Function(function(name, ["at", *parameters], body), span))

    # Names and constants

    def unique(self, hint: str, numbered: bool = False) -> str:
        """A name for something of the module."""
        base = mangled(hint) if numbered else identifier(hint)
        count = 1
        name = f"{base}_1" if numbered else base
        while name in self.names or name in RESERVED or TEMPORARY.fullmatch(name):
            count += 1
            name = f"{base}_{count}"
        self.names.add(name)
        return name

    def runtime(self, name: str) -> ast.expr:
        """A function of the runtime, which is then imported."""
        self.module.imports.add(name)
        return load(name)

    @staticmethod
    def site(expr: core.Sited) -> ast.expr:
        """The address of an evaluation in the running one."""
        assert expr.site, expr
        return ast.Subscript(load("at"), ast.Constant(expr.site), ast.Load())

    def constant(self, value: Any) -> ast.expr:
        """A constant: where Python has no literal for it, a variable of the module."""
        if value is None or isinstance(value, bool | str):
            return ast.Constant(value)
        if isinstance(value, int | float):
            return number(value)
        key = _key(value)
        name = self._constants.get(key)
        if name is None:
            kind = {List: "list", Symbol: "symbol"}.get(type(value), "vector")
            name = self._constants[key] = self.unique(kind, numbered=True)
            self.module.constants[name] = value
        return load(name)

    def procedure_value(self, known: Known, expr: core.Sited | core.Global) -> ast.expr:
        """A procedure as a value: its code, name, arity and what it closes over."""
        procedure = known.procedure
        arguments: list[ast.expr] = [
            load(known.function),
            ast.Constant(procedure.name.split("%")[0]),
            ast.Constant(len(procedure.parameters)),
            ast.Constant(procedure.rest is not None),
        ]
        if known.captured:
            arguments.append(ast.Tuple([load(name) for name in known.captured], ast.Load()))
            assert not isinstance(expr, core.Global), "a global procedure closes over nothing"
            arguments.append(self.site(expr))
            return ast.Call(self.runtime("Procedure"), arguments, [])
        name = self._values.get(known.function)
        if name is None:
            name = self._values[known.function] = self.unique(f"{known.function}_procedure")
            value = ast.Call(self.runtime("Procedure"), arguments, [])
            self.module.procedures.append(assign(name, value))
        return load(name)


def _locals(steps: Steps) -> set[str]:
    """All local variables of a program; those of letrec are functions, and no variables in Python."""
    names: set[str] = set()
    values: list[core.Expr] = list(steps.direct.values())
    shapes: set[int] = set()
    for step in steps.steps:
        names.update(step.variables)
        if isinstance(step, Loop):
            names.add(step.name)
            values.append(step.sequence)
        elif step.shape is None or step.shape not in shapes:
            values.extend(expressions(step.statement))
            shapes.add(step.shape or 0)
    for value in values:
        for item in every_expression(value):
            if not isinstance(item, core.Letrec):
                names.update(binders(item))
    return names


def _key(value: Any) -> Any:
    """Equal for constants that may be the same variable: equal numbers of other types are not."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple):
        return type(value), tuple([_key(item) for item in value])
    return type(value), repr(value)
