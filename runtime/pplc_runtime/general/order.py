"""Whether every global is assumed before it is read, whatever is drawn: told from the text, so that no run has to look.

What a statement may read is what its function mentions, and the functions that it mentions, and so on; with a global
it has what the assume of that global made it of, closures and all.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from pplc_runtime.engine.plan import Keep, Plan
from pplc_runtime.general.types import Untyped
from pplc_runtime.program.steps import Assume
from pplc_runtime.values import Memo, Procedure, children


def check_order(plan: Plan) -> None:
    """`Untyped` if a global may be read before it is assumed."""
    assumed: set[str] = set(plan.inputs)
    makers: dict[str, list[Any]] = {}
    for segment in plan.segments:
        for step in segment:
            if step.step is Assume:
                makers.setdefault(step.name, []).append(step.function)
    known: dict[Any, frozenset[str]] = {}
    for segment in (*plan.segments, plan.reports):
        for step in segment:
            if step.step is Keep:
                raise Untyped("a predict of what a loop assumes anew")
            key = (step.function, *(id(value) for value in step.arguments if isinstance(value, Procedure | Memo)))
            if key not in known:
                known[key] = frozenset(_reads(plan, [step.function, *step.arguments], makers))
            for name in known[key]:
                if name not in assumed:
                    raise Untyped(f"'{name.split('%')[0]}' may be read before it is assumed")
            if step.step is Assume:
                assumed.add(step.name)


def _reads(plan: Plan, things: list[Any], makers: dict[str, list[Any]]) -> set[str]:
    """The globals that are read, and those that what they hold may read."""
    found: set[str] = set()
    seen: set[int] = set()
    while things:
        thing = things.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, FunctionType):
            if thing.__globals__ is not plan.module:  # of the runtime, or a formula: neither reads
                continue
            for code in _codes(thing.__code__):
                things += [plan.module[name] for name in code.co_names if name in plan.module]
                for name in (constant for constant in code.co_consts if type(constant) is str):
                    if name in plan.inputs:
                        things.append(plan.inputs[name])
                    elif name in makers and name not in found:
                        found.add(name)
                        things += makers[name]
        elif isinstance(thing, Procedure):
            things += [thing.code, *thing.parts]
        else:
            things += children(thing)
    return found


def _codes(code: Any) -> list[Any]:
    """A function's code, and that of the functions inside of it."""
    inner = [each for constant in code.co_consts if hasattr(constant, "co_code") for each in _codes(constant)]
    return [code, *inner]
