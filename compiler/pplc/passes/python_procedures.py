"""Procedures as functions of the module, with what they close over (part of `to_python`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pplc.languages import core
from pplc.languages.traverse import every_expression, free_locals
from pplc_runtime.program.names import SIGNATURES

if TYPE_CHECKING:
    from pplc.passes.to_python import Builder


@dataclass(frozen=True, slots=True)
class Known:
    """A procedure whose code is known where it is called: its function, and the variables it closes over."""

    function: str
    procedure: core.Lambda
    captured: tuple[str, ...]


def captured(known: Mapping[str, Known], expr: core.Expr, group: tuple[str, ...]) -> tuple[str, ...]:
    """The variables that an expression closes over; for a known procedure, those that it closes over."""
    names: dict[str, None] = {}
    for name in free_locals(expr):
        if name not in group:
            names.update(dict.fromkeys(known[name].captured if name in known else (name,)))
    return tuple(names)


def lifted(builder: Builder, known: Mapping[str, Known], procedure: core.Lambda) -> Known:
    """The function of a procedure."""
    found = builder.parts.get(id(procedure))
    if found is None:
        name = builder.unique(procedure.name.split("%")[0])
        found = builder.parts[id(procedure)] = Known(name, procedure, captured(known, procedure, ()))
        builder.function(found, known)
    return found


def define_together(builder: Builder, known: dict[str, Known], bindings: tuple[tuple[str, core.Lambda], ...]) -> None:
    """The functions of local procedures that may call each other, from here on known by name."""
    parts = builder.parts
    made = [parts.get(id(procedure)) for _, procedure in bindings]
    if not all(made):
        group = tuple([name for name, _ in bindings])
        names: dict[str, None] = {}
        for _, procedure in bindings:
            names.update(dict.fromkeys(captured(known, procedure, group)))
        for _, procedure in bindings:
            function = builder.unique(procedure.name.split("%")[0])
            parts[id(procedure)] = Known(function, procedure, tuple(names))
    for name, procedure in bindings:
        known[name] = parts[id(procedure)]
    if not all(made):
        for _, procedure in bindings:
            builder.function(parts[id(procedure)], known)


def only_draws(procedure: core.Expr) -> bool:
    """Whether a procedure of one argument does no more than compute and draw: nothing of it is known by its address."""
    if not isinstance(procedure, core.Lambda) or len(procedure.parameters) != 1 or procedure.rest is not None:
        return False
    for item in every_expression(procedure.body):
        match item:
            case core.App(core.Primitive(name)):
                if SIGNATURES[name].addressed:
                    return False
            case core.App() | core.Lambda() | core.Letrec() | core.Mem() | core.Observe():
                return False
    return True
