"""IRs as text, for people and for tests."""

from __future__ import annotations

from typing import Any, assert_never

from pplc_runtime.results.sexp import write_value

from pplc.languages import core
from pplc.languages.forms import Atom, Form, Group
from pplc.languages.steps import Loop, Step, Steps


def show_form(form: Form) -> str:
    """A form as it would be written."""
    if isinstance(form, Group):
        close = {"(": ")", "[": "]", "{": "}"}[form.bracket]
        return form.bracket + " ".join(map(show_form, form.items)) + close
    return write_value(form.value) if isinstance(form, Atom) else form.text


def show_expr(expr: core.Expr) -> str:
    """A core expression: locals bare, globals as $x, primitives as :x, names that are not resolved as ?x."""
    match expr:
        case core.Const(value):
            return write_value(value)
        case core.Name(text):
            return f"?{text}"
        case core.Local(name):
            return name
        case core.Global(name):
            return f"${name}"
        case core.Primitive(name):
            return f":{name}"
        case core.App(operator, arguments):
            return _list(operator, *arguments)
        case core.Lambda(name, parameters, rest, body):
            names = [*parameters, *(["&", rest] if rest else [])]
            return f"(lambda {name} ({' '.join(names)}) {show_expr(body)})"
        case core.If(test, then, other):
            return "(if " + _list(test, then, other)[1:]
        case core.Let(name, value, body):
            return f"(let ({name} {show_expr(value)}) {show_expr(body)})"
        case core.Letrec(bindings, body):
            bound = " ".join(f"({name} {show_expr(procedure)})" for name, procedure in bindings)
            return f"(letrec ({bound}) {show_expr(body)})"
        case core.Sample(source):
            return "(sample " + _list(source)[1:]
        case core.Observe(source, value):
            return "(observe " + _list(source, value)[1:]
        case core.Mem(procedure):
            return "(mem " + _list(procedure)[1:]
        case _:
            assert_never(expr)


def _list(*parts: core.Expr) -> str:
    return "(" + " ".join(map(show_expr, parts)) + ")"


def show_statement(statement: core.Statement, indent: str = "") -> str:
    """A statement on one line, or several for a loop."""
    match statement:
        case core.AssumeStatement(name, value):
            return f"{indent}[assume {name} {show_expr(value)}]"
        case core.ObserveStatement(source, value):
            return f"{indent}[observe {show_expr(source)} {show_expr(value)}]"
        case core.PredictStatement(label, value):
            return f"{indent}[predict {show_expr(label)} {show_expr(value)}]"
        case core.InputStatement(name, default):
            return f"{indent}[input {name}{'' if default is None else ' ' + show_expr(default)}]"
        case core.ForStatement(name, sequence, body):
            inner = "\n".join(show_statement(part, indent + "  ") for part in body)
            return f"{indent}[for [{name} {show_expr(sequence)}]\n{inner}]"
        case core.SharedStatement(shape, literals, shared, row):
            names = " ".join(literals)
            return f"{indent}shape {shape} ({names}) {show_statement(shared)} row ({_row(row)})"
        case _:
            assert_never(statement)


def _row(row: tuple[Any, ...]) -> str:
    return " ".join(map(write_value, row))


def show_program(program: core.Program) -> str:
    """All statements of a core program."""
    return "\n".join(map(show_statement, program.statements))


def show_steps(steps: Steps) -> str:
    """Each step with its label and its continuation."""
    lines = []
    for label, step in enumerate(steps.steps):
        match step:
            case Loop(name, sequence, _, _, body, after):
                lines.append(f"{label}: loop {name} {show_expr(sequence)} body {body} next {after}")
            case Step(statement, variables, _, row, _, after):
                bound = f" with ({' '.join(variables)})" if variables else ""
                values = f" row ({_row(row)})" if row else ""
                lines.append(f"{label}: {show_statement(statement)}{bound}{values} next {after}")
            case _:
                assert_never(step)
    return "\n".join(lines)
