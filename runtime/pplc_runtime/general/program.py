"""A whole program as text of the middle language: types are found by writing it again until they no longer grow.

Each function of the generated module is written once, for the types that its arguments have anywhere: those of
parameters, results, globals and fields only grow, from nothing, so that writing comes to an end. The text of the last
round counts.
"""

from __future__ import annotations

import ast
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from pplc_runtime.distributions.base import Family
from pplc_runtime.engine.plan import Plan
from pplc_runtime.general.calls import CALLS, Call, apply
from pplc_runtime.general.primitives import NAMES, apply_primitive
from pplc_runtime.general.types import NOTHING, WHOLE, Scalar, Structure, Tag, Type, Untyped, Vector, depth, join, word
from pplc_runtime.general.values import VARIABLE, Constants, Hash, Val, fields_of, type_of
from pplc_runtime.general.writer import Writer
from pplc_runtime.program.steps import Assume

MOST_ROUNDS: Final = 30
DEEPEST_TYPE: Final = 6
DEEPEST: Final = 200_000
"""Calls inside of calls: more than that end the run with an error, as they do by lanes."""
MOST_PLACES: Final = 65536
FIRST_FAILURE: Final = 100
FIXED: Final = {
    4: "the recursion is too deep", 5: "a whole number is too large for machine code",
    7: "the density of this observe is not a number",
}  # fmt: skip


class Whole:
    """What is known of a program, and what is written of it."""

    by_nodes = False
    """Whether its execution stands in nodes (`node_code`)."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.module = plan.module
        self.functions = _functions(plan.module)
        self.parameters: dict[str, list[Type]] = {}
        self.results: dict[str, Type] = {}
        self.globals: dict[str, Type] = {}
        self.slots: dict[str, int] = {}
        self.field_types: dict[Tag, list[Type]] = {}
        self.field_constants: dict[tuple[Tag, int], Any] = {}
        """Of the fields that are numbers, which one they always are, or `VARIABLE`."""
        self.tags: dict[Tag, int] = {}
        self.variadic: set[str] = set()
        self.failures: dict[tuple[str, Any], int] = {}
        self.calls: dict[str, set[str]] = {}
        self.keys: dict[str, int] = {}
        """How many arguments a memoised function has."""
        self.recursive: set[str] = set()
        self.even = all(step.step is not Assume for segment in plan.segments[1:] for step in segment)
        """Whether all that segments hand on are entries of memos and seats in restaurants, but for the first."""
        self.has_seats = False
        self.changed = False
        self.begin()

    def begin(self) -> None:
        """Write everything again."""
        self.changed = False
        self.constants = Constants(self)
        self.texts: dict[str, str] = {}
        self.helpers: dict[str, str] = {}
        """What is written beside the functions of the module."""
        self.pending: list[str] = []
        self.calls = {}

    def finish(self) -> bool:
        """Write what is called; whether nothing has changed since the beginning."""
        while self.pending:
            name = self.pending.pop()
            if name not in self.texts:
                self.texts[name] = ""
                self.texts[name] = self.memo(name[5:]) if name.startswith("memo ") else self.function(name)
        recursive = {name for name in self.calls if name in self.reached(name)}
        if recursive != self.recursive:
            self.recursive, self.changed = recursive, True
        return not self.changed

    def reached(self, name: str) -> set[str]:
        """The functions that one calls, and those that these call."""
        found: set[str] = set()
        stack = list(self.calls.get(name, ()))
        while stack:
            each = stack.pop()
            if each not in found:
                found.add(each)
                stack.extend(self.calls.get(each, ()))
        return found

    def seats(self, by_counts: bool) -> None:
        """Processes take in values, whose order counts; those of restaurants can be weighed by counts."""
        self.has_seats = True
        if not by_counts:
            self.replayed_as_a_whole()

    def replayed_as_a_whole(self) -> None:
        if self.even:
            self.even, self.changed = False, True

    # Types that grow

    def grown(self, old: Type, new: Type) -> Type:
        joined = join(old, new)
        if depth(joined) > DEEPEST_TYPE:
            raise Untyped("a value that has values of its own kind inside")
        if joined != old:
            self.changed = True
        return joined

    def given(self, function: str, parameter: str | int, type_: Type) -> Type:
        """The type of a parameter, which is given a value of another."""
        names = self.parameters_of(function)
        types = self.parameters.setdefault(function, [NOTHING] * len(names))
        position = names.index(parameter) if isinstance(parameter, str) else parameter
        types[position] = self.grown(types[position], type_)
        return types[position]

    def returned(self, function: str, type_: Type) -> Type:
        """The type of what a function returns."""
        self.results[function] = self.grown(self.results.get(function, NOTHING), type_)
        return self.results[function]

    def assumed(self, name: str, type_: Type) -> tuple[Type, int]:
        """The type of a global, and its place among all."""
        self.globals[name] = self.grown(self.globals.get(name, NOTHING), type_)
        return self.globals[name], self.slots.setdefault(name, len(self.slots))

    def place_of(self, hash_: int, count: int = 1) -> int:
        """The place among the globals of the state of a process, or places of the entries of a memo, that the planner
        made."""
        place = self.slots.setdefault(str(hash_), len(self.slots))
        for other in range(1, count):
            self.slots.setdefault(f"{hash_} {other}", place + other)
        if place >= MOST_PLACES:
            raise Untyped("too many processes")
        return place

    def with_fields(self, tag: Tag, types: list[Type] | None) -> list[Type]:
        """The types of the fields of a tag, which is made with some."""
        first = list(tag.detail) if tag.kind == "tuple" else [NOTHING] * len(types or ())
        known = self.field_types.setdefault(tag, first)
        if types is not None:
            known[:] = [self.grown(old, new) for old, new in zip(known or [NOTHING] * len(types), types, strict=True)]
        return known

    def field_is(self, tag: Tag, position: int, value: Val) -> None:
        """A field of a tag is made with a value."""
        known = (
            value.constant if type(value.constant) in (int, float) and value.constant == value.constant else VARIABLE
        )
        old = self.field_constants.setdefault((tag, position), known)
        if old is not VARIABLE and (type(old) is not type(known) or repr(old) != repr(known)):
            self.field_constants[tag, position], self.changed = VARIABLE, True

    def field_constant(self, tag: Tag, position: int) -> Any:
        """The number that a field always is; `VARIABLE` where it is another here than there, or not known yet."""
        return self.field_constants.get((tag, position), VARIABLE)

    def tag_number(self, tag: Tag) -> int:
        return self.tags.setdefault(tag, len(self.tags))

    # Draws of a program in nodes

    def sampled_family(self, writer: Writer, at: str, family: Family, codes: str) -> Val:
        raise NotImplementedError

    def sampled_process(self, writer: Writer, tag: Tag, codes: str) -> Val:
        raise NotImplementedError

    # Constants

    def tag_of(self, value: Any, type_: Type) -> tuple[Tag, tuple[Any, ...]]:
        """The tag and the fields of a plain structure, whose types are noted."""
        if type(value) is tuple:
            assert isinstance(type_, Structure)
            tag, fields = next(iter(type_.tags)), value
        else:
            tag, fields = fields_of(value, self)
        self.with_fields(tag, [_field_type(field, self) for field in fields])
        for position, field in enumerate(fields):
            self.field_is(tag, position, self.field(field, NOTHING))
        return tag, fields

    def field(self, field: Any, type_: Type) -> Val:
        """A field of a plain structure."""
        return Val(type_, str(field.value)) if isinstance(field, Hash) else Val(type_of(field, self), "", field)

    def constant_word(self, value: Any, type_: Type) -> int:
        return self.constants.word(value, type_)

    def function_name(self, code: Any) -> str:
        """The name of a function of the module."""
        name = getattr(code, "__name__", "")
        if self.module.get(name) is not code or name not in self.functions:
            raise Untyped("a procedure that the runtime makes")
        return str(name)

    def failure(self, message: str, node: Any) -> int:
        """The code of something that may be wrong."""
        where = None if node is None else (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        return self.failures.setdefault((message, where), FIRST_FAILURE + len(self.failures))

    def helper(self, name: str, text: str) -> None:
        self.helpers[name] = text

    # Functions

    def parameters_of(self, function: str) -> list[str]:
        return [argument.arg for argument in self.functions[function].args.args][1:]

    def label(self, function: str) -> str:
        """A function's name in the text, which LLVM takes."""
        return function if function.isascii() else f"u{list(self.functions).index(function)}"

    def function(self, name: str) -> str:
        """The text of a function of the module."""
        names = self.parameters_of(name)
        types = self.parameters.setdefault(name, [NOTHING] * len(names))
        result = self.results.get(name, NOTHING)
        writer = Writer(self, name, "0.0" if word(result) == "float" else "0")
        for position, (parameter, type_) in enumerate(zip(names, types)):
            writer.env[parameter] = Val(type_, f"p{position}")
        if name in self.recursive:
            writer.line(f"if S.depth > {DEEPEST}:")
            writer.line("    S.fail = 4")
            writer.line(f"    return {writer.zero}")
            writer.go_on(self.functions[name].body)
        writer.body(self.functions[name].body)
        given = "".join(f", p{position}: {word(type_)}" for position, type_ in enumerate(types))
        head = f"def f_{self.label(name)}(S: State, at: int{given}) -> {word(result)}:"
        return "\n".join([head, *writer.lines])

    def memo(self, name: str) -> str:
        """The text of a memoised function: `f_` is called for a key that the table does not have."""
        names = self.parameters_of(name)
        types, result = self.parameters.setdefault(name, [NOTHING] * len(names)), self.results.get(name, NOTHING)
        kind = word(result)
        given = "".join(f", p{position}: {word(type_)}" for position, type_ in enumerate(types))
        passed = "".join(f", p{position}" for position in range(len(types)))
        array = "H" if kind == "float" else "I"
        label = self.label(name)
        key, found, kept = "key", "look(S, key)", "enter(S, key)"
        if self.is_near(name):
            key, found, kept = "mixed(memo, p0)", "found_near(S, memo, place, p0)", "kept_near(S, memo, place, p0)"
        where, size = "place, p0" if self.is_near(name) else "-1, 0", self.compared(result)
        lines = [f"def m_{label}(S: State, {'key' if key == 'key' else 'memo'}: int, place: int{given}) -> {kind}:"]
        lines += [f"    leaf = {found}", "    if leaf != 0:"]
        if self.even:
            lines += ["        if S.mode >= 3 and S.watched != 0:", f"            asked(S, {key})"]
        lines.append(f"        return S.{array}[leaf + 1]")
        if self.even:
            lines += [
                "    if S.mode >= 3 and S.watched != 0:",
                f"        w = stands_in(S, {key})",
                "        if w >= 0:",
            ]
            lines.append(f"            return S.{'WV' if kind == 'float' else 'WI'}[w]")
        deeper, back = (
            (["    S.depth = S.depth + 1"], ["    S.depth = S.depth - 1"]) if name in self.recursive else ([], [])
        )
        lines += [*deeper, f"    x = f_{label}(S, {key}{passed})", *back]
        lines += ["    if S.fail != 0:", f"        return {'0.0' if kind == 'float' else '0'}"]
        lines += [f"    leaf = {kept}", f"    S.{array}[leaf + 1] = x"]
        if self.even:
            lines += ["    if S.watched != 0:", f"        made(S, {key}, {where}, S.I[leaf + 1], {size})"]
        return "\n".join([*lines, "    return x"])

    def compared(self, type_: Type) -> int:
        """How values are compared by their words: 0 as they are, else so many where they are, -1 for a vector."""
        if isinstance(type_, Vector) and isinstance(type_.element, Scalar):
            return -1
        if isinstance(type_, Structure) and len(type_.tags) == 1:
            fields = self.field_types.get(next(iter(type_.tags)), [])
            return 1 + len(fields)
        return 0

    def is_near(self, name: str) -> bool:
        """Whether the entries of a memoised function are by one whole number: they need no hashes."""
        return self.keys.get(name) == 1 and self.parameters.get(name, [NOTHING])[0] == WHOLE

    def applied(
        self, writer: Writer, function: str, address: str, arguments: list[Val], memo: str | None = None
    ) -> Val:
        """A call of a function of the module; one that is memoised is given the address of its entry, and the place of
        the memo."""
        names = self.parameters_of(function)
        if len(arguments) != len(names):
            raise Untyped(f"'{function}' is given {len(arguments)} arguments", writer.node)
        types = [self.given(function, position, value.type) for position, value in enumerate(arguments)]
        passed = "".join(f", {writer.code(value, type_)}" for value, type_ in zip(arguments, types))
        result = self.results.get(function, NOTHING)
        self.pending.append(function)
        if memo is not None:
            self.pending.append(f"memo {function}")
        self.calls.setdefault(writer.name, set()).add(function)
        if memo is None and function in self.recursive:
            writer.line("S.depth = S.depth + 1")
        label = self.label(function)
        called = f"f_{label}(S, {address}" if memo is None else f"m_{label}(S, {address}, {memo}"
        found = writer.set(f"{called}{passed})", result)
        if memo is None and function in self.recursive:
            writer.line("S.depth = S.depth - 1")
        writer.check()
        return found

    def apply(self, writer: Writer, address: str, operator: Val, values: list[Val]) -> Val:
        """A procedure that is a value, called at an address."""
        return apply(self, writer, address, operator, values)

    def call(self, writer: Writer, name: str, arguments: list[ast.expr]) -> Val:
        """A call in the module: of the engine, of a function of the module, or of a primitive."""
        engine: Call | None = CALLS.get(name)
        if engine is not None:
            return engine(self, writer, arguments)
        own = self.functions.get(name)
        if own is not None and own.decorator_list:  # a formula: its operations one by one
            return self.formula(writer, own, [writer.expr(argument) for argument in arguments])
        if own is not None:
            address = writer.address(arguments[0])
            return self.applied(writer, name, address, [writer.expr(argument) for argument in arguments[1:]])
        primitive = NAMES.get(name)
        if primitive is None:
            raise Untyped(f"'{name}'", writer.node)
        address = ""
        if primitive.addressed:
            address, arguments = writer.address(arguments[0]), arguments[1:]
        return apply_primitive(self, writer, primitive.name, address, [writer.expr(each) for each in arguments])

    def formula(self, writer: Writer, own: ast.FunctionDef, arguments: list[Val]) -> Val:
        outer, writer.env = writer.env, dict(writer.env)
        writer.env.update(zip([argument.arg for argument in own.args.args], arguments))
        result = writer.block(own.body)
        writer.env = outer
        return result


def _field_type(field: Any, whole: Whole) -> Type:
    return WHOLE if isinstance(field, Hash) else type_of(field, whole)


def _functions(module: dict[str, Any]) -> dict[str, ast.FunctionDef]:
    """The functions of a generated module as syntax."""
    text = module["PROGRAM"].text if "PROGRAM" in module else None
    if text is None:
        try:
            text = Path(module["__file__"]).read_text(encoding="utf-8")
        except (OSError, KeyError):
            raise Untyped("a module without its text") from None
    found = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    return {name: node for name, node in found.items() if isinstance(module.get(name), FunctionType)}
