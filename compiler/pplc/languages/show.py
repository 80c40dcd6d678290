"""IRs as text, for people and for tests: what fits is on one line, what does not is indented."""

from __future__ import annotations

from typing import Any, Final, TypeAlias, assert_never

from pplc.languages import core
from pplc.languages.facts import Analysis
from pplc.languages.forms import Atom, Form, Group
from pplc.languages.steps import Loop, Step, Steps
from pplc_runtime.results.sexp import write_value

WIDTH: Final = 100
Tree: TypeAlias = "str | list[Tree]"
"""Text with brackets: the first and last items of a list are its brackets."""


def show_form(form: Form) -> str:
    """A form as it would be written."""
    return _laid_out(_form(form))


def show_expr(expr: core.Expr) -> str:
    """A core expression: locals bare, globals as $x, primitives as :x, names that are not resolved as ?x."""
    return _laid_out(_expr(expr))


def show_program(program: core.Program) -> str:
    """All statements of a core program."""
    return "\n".join([_laid_out(_statement(statement)) for statement in program.statements])


def show_analysis(analysis: Analysis) -> str:
    """The statements, and what is known of the globals."""
    facts = {"direct": analysis.direct, "constant": analysis.constant, "random": analysis.random,
             "shared": analysis.shared}  # fmt: skip
    lines = [f"{fact}: {' '.join(sorted(names)) or '-'}" for fact, names in facts.items()]
    return show_program(analysis.program) + "\n\n" + "\n".join(lines)


def show_steps(steps: Steps) -> str:
    """Each step with its label and its continuation; a shared statement is shown where it first stands."""
    lines = []
    seen: set[int] = set()
    for label, step in enumerate(steps.steps):
        match step:
            case Loop(name, sequence, _, _, body, after):
                lines.append(f"{label}: loop {name} {show_expr(sequence)} -> {body}, then -> {after}")
            case Step(statement, variables, shape, row, _, after):
                bound = f" with ({' '.join(variables)})" if variables else ""
                values = f" = ({_row(row)})" if row else ""
                if shape is not None and shape in seen:
                    lines.append(f"{label}: shape {shape}{bound}{values} -> {after}")
                    continue
                first = ""
                if shape is not None:
                    seen.add(shape)
                    first = f"shape {shape}: "
                lines.append(f"{label}: {first}{_laid_out(_statement(statement))}{bound}{values} -> {after}")
            case _:
                assert_never(step)
    return "\n".join(lines)


def _row(row: tuple[Any, ...]) -> str:
    return " ".join(map(write_value, row))


def _form(form: Form) -> Tree:
    if isinstance(form, Group):
        close = {"(": ")", "[": "]", "{": "}"}[form.bracket]
        return [form.bracket, *[_form(item) for item in form.items], close]
    return write_value(form.value) if isinstance(form, Atom) else form.text


def _expr(expr: core.Expr) -> Tree:
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
            return ["(", *[_expr(part) for part in (operator, *arguments)], ")"]
        case core.Lambda(name, parameters, rest, body):
            names = [*parameters, *(["&", rest] if rest else [])]
            return ["(", f"lambda {name} ({' '.join(names)})", _expr(body), ")"]
        case core.If(test, then, other):
            return ["(", "if", _expr(test), _expr(then), _expr(other), ")"]
        case core.Let():
            bound: list[Tree] = []
            inner: core.Expr = expr
            while isinstance(inner, core.Let):
                bound.append(["(", inner.name, _expr(inner.value), ")"])
                inner = inner.body
            return ["(", "let", ["(", *bound, ")"], _expr(inner), ")"]
        case core.Letrec(bindings, body):
            procedures: list[Tree] = [["(", name, _expr(procedure), ")"] for name, procedure in bindings]
            return ["(", "letrec", ["(", *procedures, ")"], _expr(body), ")"]
        case core.Sample(source):
            return ["(", "sample", _expr(source), ")"]
        case core.Observe(source, value):
            return ["(", "observe", _expr(source), _expr(value), ")"]
        case core.Mem(procedure):
            return ["(", "mem", _expr(procedure), ")"]
        case _:
            assert_never(expr)


def _statement(statement: core.Statement) -> Tree:
    match statement:
        case core.AssumeStatement(name, value):
            return ["[", f"assume {name}", _expr(value), "]"]
        case core.ObserveStatement(source, value):
            return ["[", "observe", _expr(source), _expr(value), "]"]
        case core.PredictStatement(label, value):
            return ["[", "predict", _expr(label), _expr(value), "]"]
        case core.InputStatement(name, default):
            return ["[", f"input {name}", *([] if default is None else [_expr(default)]), "]"]
        case core.ForStatement(name, sequence, body):
            return ["[", "for", ["[", name, _expr(sequence), "]"], *[_statement(part) for part in body], "]"]
        case core.SharedStatement(shape, literals, shared, row):
            head = f"shape {shape} with ({' '.join(literals)}) = ({_row(row)})"
            return ["[", head, _statement(shared), "]"]
        case _:
            assert_never(statement)


def _laid_out(tree: Tree, indent: int = 0) -> str:
    """A tree on one line if it fits, else its items below each other."""
    flat = _flat(tree, WIDTH - indent)
    if flat is not None:
        return flat
    if isinstance(tree, str):
        return tree
    opening, *items, closing = tree
    assert isinstance(opening, str) and isinstance(closing, str)
    inner = indent + (2 if items and isinstance(items[0], str) else 1)
    lines = [_laid_out(item, inner) for item in items]
    return opening + ("\n" + " " * inner).join(lines) + closing


def _flat(tree: Tree, most: int) -> str | None:
    """A tree on one line, or None if it is longer than that."""
    pieces: list[str] = []
    length = 0
    stack: list[tuple[Tree, bool]] = [(tree, False)]
    while stack:
        item, spaced = stack.pop()
        if isinstance(item, str):
            pieces.append(f" {item}" if spaced else item)
            length += len(pieces[-1])
            if length > most:
                return None
            continue
        opening, *items, closing = item
        stack.append((closing, False))
        stack.extend([(each, True) for each in reversed(items[1:])])
        if items:
            stack.append((items[0], False))
        stack.append((opening, spaced))
    return "".join(pieces)
