"""Twins: the functions of a compiled module, with a tracer wherever they call the engine."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

import pplc_runtime.program.control as control
from pplc_runtime.engine.plan import Bound, Keep, Plan
from pplc_runtime.lanes.frames import here as running
from pplc_runtime.primitives import FAST, PRIMITIVES, arithmetic, comparison
from pplc_runtime.program.names import EXPORTS, primitive
from pplc_runtime.values import Procedure, children, rebuild

here: Any = running  # twins run under a Tracer only, which answers more than other handlers do


class Twins:
    """The twins of all that a module has."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace: dict[str, Any] = {}
        self.made: dict[Any, Any] = {}
        for name, value in namespace.items():
            self.namespace[name] = self.of(value, namespace)

    def of(self, value: Any, namespace: dict[str, Any]) -> Any:
        """The twin of something that a module has."""
        if type(value) is Procedure:
            code = self.function(value.code)
            return Procedure(code, value.name, value.parameters, value.variadic, value.parts, value.at)
        if not callable(value) or isinstance(value, type):
            return value
        careful = getattr(value, "careful", None)
        if careful is not None:
            return self.function(careful)
        if type(value) is FunctionType and value.__module__ == namespace["__name__"]:
            return self.function(value)
        return _twin_of_engine(value)

    def function(self, function: Any) -> Any:
        if function not in self.made:
            self.made[function] = FunctionType(
                function.__code__, self.namespace, function.__name__, function.__defaults__, function.__closure__
            )
        return self.made[function]

    def value(self, value: Any) -> Any:
        """A value whose procedures are twins."""
        return with_codes(value, self.made)

    def original(self, value: Any) -> Any:
        """A value of twins as the program itself has it."""
        return with_codes(value, {twin: function for function, twin in self.made.items()})

    def plan(self, plan: Plan) -> Plan:
        """The same with twins of all functions."""
        inputs = {name: self.value(value) for name, value in plan.inputs.items()}
        segments = [[self.step(step) for step in segment] for segment in plan.segments]
        return Plan(inputs, segments, [self.step(step) for step in plan.reports], plan.root)

    def step(self, step: Bound) -> Bound:
        return step if step.step is Keep else step.calling(self.function(step.function))


def with_codes(value: Any, codes: dict[Any, Any]) -> Any:
    """A value whose procedures have other codes."""
    kind = type(value)
    if kind is Procedure:
        code = codes.get(value.code, value.code)
        captured = with_codes(value.parts, codes)
        return Procedure(code, value.name, value.parameters, value.variadic, captured, value.at)
    items = children(value)
    return rebuild(value, tuple(with_codes(item, codes) for item in items)) if items else value


_ADDRESSED: Final = frozenset(p.function for p in PRIMITIVES.values() if p.addressed)
_OWN: Final = {
    control.branch: lambda test, then, other: here.handler.branch(test, then, other),
    control.choose: lambda test, then, other: here.handler.choose(test, then, other),
    control.agreed: lambda test: here.handler.agreed(test),
    control.call: lambda at, operator, *arguments: here.handler.call_any(at, operator, *arguments),
    control.mem: control.mem,
    control.mem_by_lane: control.mem_by_lane,
    control.read: control.read,
    control.sample: control.sample,
    control.observe: control.observe,
    primitive: primitive,
}
_PRIMITIVES: Final = frozenset(EXPORTS.values()) | {
    getattr(arithmetic, name, None) or getattr(comparison, name) for name in FAST.values()
}


def _twin_of_engine(function: Any) -> Any:
    own = _OWN.get(function)
    if own is not None:
        return own
    if function in _ADDRESSED:
        return lambda at, *arguments: here.handler.apply_calling(function, at, arguments)
    if function in _PRIMITIVES:
        return lambda *arguments: here.handler.apply(function, arguments)
    return function
