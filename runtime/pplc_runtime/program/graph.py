"""The dependency graph of a program, from the code of its generated module.

A statement reads the globals that its function asks for by `read`, also through the procedures that it mentions, and
what the loops around it run over. Statements that share their function are one node.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from pplc_runtime.program.steps import Assume, Input, Loop, Observe, Predict, Step
from pplc_runtime.results.graph import Graph, Node
from pplc_runtime.values import Procedure


def graph_of(steps: Sequence[Step], module: Mapping[str, Any]) -> Graph:
    """The graph of a program, whose module has its functions."""
    code = _Code(module)
    loops = {step.name: step for step in steps if isinstance(step, Loop)}
    groups: dict[Any, list[Step]] = {}
    for step in steps:
        if not isinstance(step, Loop) and not (isinstance(step, Assume) and step.function is None):
            own = step.name if isinstance(step, Assume | Input) else step.function
            groups.setdefault((type(step), own), []).append(step)
    nodes: list[Node] = []
    reads: list[set[str]] = []
    makers: dict[str, int] = {}
    for members in groups.values():
        first = members[0]
        around = {name for loop in first.loops for name in _loop_reads(code, loops, loop)}
        if isinstance(first, Assume | Input):
            makers.setdefault(first.name, len(nodes))
        nodes.append(_node(members, code))
        reads.append(code.reads(_function(first)) | around)
    edges = sorted({(makers[name], place) for place, names in enumerate(reads) for name in names if name in makers})
    return Graph(tuple(nodes), tuple(edge for edge in edges if edge[0] != edge[1]))


def _loop_reads(code: _Code, loops: Mapping[str, Loop], name: str) -> set[str]:
    return code.reads(loops[name].function) if name in loops else set()


def _function(step: Step) -> Any:
    return step.default if isinstance(step, Input) else step.function


def _node(members: list[Step], code: _Code) -> Node:
    first = members[0]
    lines = tuple(dict.fromkeys(step.place[0] for step in members))
    match first:
        case Input(name):
            return Node("input", name, lines)
        case Assume(name):
            return Node("random" if code.draws(first.function) else "computed", name.split("%")[0], lines)
        case Observe():
            return Node("observe", f"observe {_lines(lines)}", lines)
        case Predict():
            label = code.label(first)
            return Node("predict", label if len(members) == 1 and label else f"predict {_lines(lines)}", lines)
        case _:
            raise AssertionError(first)


def _lines(lines: tuple[int, ...]) -> str:
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"


class _Code:
    """What the functions of a module read and call."""

    def __init__(self, module: Mapping[str, Any]) -> None:
        self.module = module

    def reads(self, function: Any) -> set[str]:
        """The globals that a function reads, also in the procedures that it mentions."""
        return {name for code in self.reached(function) for name in _read_names(code)}

    def draws(self, function: Any) -> bool:
        """Whether it may draw."""
        return any("sample" in code.co_names for code in self.reached(function))

    def label(self, step: Predict) -> str | None:
        """The label of a predict, where it is a literal."""
        if step.row and isinstance(step.row[-1], str):
            return step.row[-1]
        texts = [each for each in step.function.__code__.co_consts if isinstance(each, str)]
        return texts[0] if texts else None

    def reached(self, function: Any) -> Iterator[CodeType]:
        """The code of a function and of all that it mentions."""
        seen: set[int] = set()
        waiting = [function]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Procedure):
                item = item.code
            if isinstance(item, FunctionType):
                item = item.__code__
            if not isinstance(item, CodeType) or id(item) in seen:
                continue
            seen.add(id(item))
            yield item
            waiting += [each for each in item.co_consts if isinstance(each, CodeType)]
            waiting += [self.module[name] for name in item.co_names if self._is_own(name)]

    def _is_own(self, name: str) -> bool:
        """Whether a name is a function or procedure of the program, rather than of the runtime."""
        item = self.module.get(name)
        return isinstance(item, Procedure) or (isinstance(item, FunctionType) and item.__globals__ is self.module)


def _read_names(code: CodeType) -> Iterator[str]:
    """The globals that code asks for: the text that is loaded right after `read`."""
    if "read" not in code.co_names:
        return
    before = ""
    for instruction in dis.get_instructions(code):
        if before == "read" and instruction.opname == "LOAD_CONST" and isinstance(instruction.argval, str):
            yield instruction.argval
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            before = instruction.argval
        elif instruction.opname not in ("PUSH_NULL", "PRECALL"):
            before = ""
