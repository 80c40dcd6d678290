"""The code of one function of a generated module, for one particle.

    def geom(at, p):                                    def f_geom(S: State, at: int, p0: float) -> int:
        return branch(sample(at[2], flip(p)),   ->          x1 = sample_flip(S, mixed(at, 2), p0)
            lambda: 1,                                      if S.fail != 0: return 0
            lambda: add(1, geom(at[3], p)))                 if x1 != 0: ...

Generated modules are Python of a few forms (see `passes/python_body`); in one particle every test is true or false, so
that thunks are written where they are called, and what is there for lanes that disagree is left out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pplc_runtime.general.types import (
    NIL,
    NOTHING,
    NUMBERS,
    REAL,
    TRUTH,
    WHOLE,
    Maybe,
    Structure,
    Tag,
    Type,
    Untyped,
    Vector,
    join,
    real_text,
    word,
)
from pplc_runtime.general.values import VARIABLE, Val, type_of

if TYPE_CHECKING:
    from pplc_runtime.general.program import Whole

NIL_WHOLE: Final = -(1 << 62)
"""nil where a whole number, a truth or a reference may be: none of them is it."""
NIL_REAL: Final = 0x7FF8_7070_6C63_0001
"""nil where a real number may be: the bits of a number that is none."""
STOCHASTIC: Final = ("dist", "process", "gp", "point")
Thunk: TypeAlias = ast.Lambda | ast.FunctionDef


class Writer:
    """Writes the statements of one function."""

    def __init__(self, whole: Whole, name: str, zero: str) -> None:
        self.whole = whole
        self.name = name
        self.zero = zero
        """What is returned where something is wrong."""
        self.lines: list[str] = []
        self.indent = 1
        self.env: dict[str, Val | Thunk] = {}
        self.at = "at"
        self.count = 0
        self.node: ast.AST | None = None

    # Lines and names

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def set(self, code: str, type_: Type) -> Val:
        """A variable."""
        name = self.fresh()
        self.line(f"{name} = {code}")
        return Val(type_, name)

    def inner(self, work: Callable[[], Any]) -> tuple[list[str], Any]:
        """The lines that some work writes, one level further in, and what it comes to."""
        before, self.lines = self.lines, []
        self.indent += 1
        try:
            result = work()
        finally:
            lines, self.lines = self.lines, before
            self.indent -= 1
        return lines, result

    def check(self) -> None:
        """Stop where something has gone wrong."""
        self.line(f"if S.fail != 0: return {self.zero}".rstrip())

    def go_on(self, statements: list[ast.stmt]) -> None:
        """Stop where the run is over: whatever may go on without end asks; its place is that of its first call."""
        calls = (node for each in statements for node in ast.walk(each) if isinstance(node, ast.Call))
        self.node = next(calls, self.node)
        self.fail_unless("S.halt == 0", "the run is over")

    def turn(self, statements: list[ast.stmt]) -> None:
        """One turn of a loop."""
        self.go_on(statements)
        self.body(statements)

    def fail_unless(self, test: str, message: str) -> None:
        code = self.whole.failure(message, self.node)
        self.line(f"if not ({test}):")
        self.line(f"    S.fail = {code}")
        self.line(f"    return {self.zero}".rstrip())

    def called(self, code: str, type_: Type) -> Val:
        """What a call that may fail comes to."""
        value = self.set(code, type_)
        self.check()
        return value

    # Values

    def constant(self, value: Any) -> Val:
        return Val(type_of(value, self.whole), "", value)

    def code(self, value: Val, type_: Type | None = None) -> str:
        """A value as an expression of the middle language, brought to a type."""
        wanted = value.type if type_ is None else type_
        if wanted is NOTHING:
            return "0"
        if value.type is NOTHING:
            return "0.0" if word(wanted) == "float" else "0"
        if value.type == NIL and isinstance(wanted, Maybe):
            return f"nil_real(S, {NIL_REAL})" if word(wanted) == "float" else str(NIL_WHOLE)
        if isinstance(wanted, Maybe) and not isinstance(value.type, Maybe):
            return self.code(value, wanted.of)
        if isinstance(value.type, Maybe) and not isinstance(wanted, Maybe):
            return self.code(self.present(value, str(wanted)), wanted)
        if value.is_constant:
            if wanted == REAL:
                return real_text(float(value.constant))
            if wanted == WHOLE:
                return f"({value.constant})" if value.constant < 0 else str(value.constant)
            return str(self.whole.constant_word(value.constant, wanted))
        if value.parts is not None:
            value = self.made(value)
        if value.type == wanted or (isinstance(wanted, Structure) and isinstance(value.type, Structure)):
            return value.code
        if value.type == WHOLE and wanted == REAL:
            return f"float({value.code})"
        if isinstance(value.type, Maybe) and isinstance(wanted, Maybe) and value.type.of is NOTHING:
            return self.code(Val(NIL, "0"), wanted)
        if isinstance(value.type, Vector) and isinstance(wanted, Vector):
            if value.type.element is NOTHING or value.type.element == wanted.element:
                return value.code
            if value.type.element == WHOLE and wanted.element == REAL:
                return self.called(f"as_reals(S, {value.code})", wanted).code
        raise Untyped(f"a {value.type} where a {wanted} is wanted", self.node)

    def present(self, value: Val, what: str) -> Val:
        """A value that is not nil, if it may be; where it is, lanes have the error."""
        if not isinstance(value.type, Maybe):
            return value
        self.fail_unless(f"not ({self.is_nil(value)})", f"'{what}' of nil")
        return Val(value.type.of, value.code)

    def number(self, value: Val, what: str) -> str:
        """A value as a real number."""
        if (value := self.present(value, what)).type not in (*NUMBERS, NOTHING):
            raise Untyped(f"{what} of a {value.type}", self.node)
        return self.code(value, REAL)

    def whole_number(self, value: Val, what: str) -> str:
        """A value as a whole number."""
        value = self.present(value, what)
        if value.type == REAL:
            if value.is_constant:
                if value.constant != int(value.constant):
                    raise Untyped(f"{what} of {value.constant}", self.node)
                return str(int(value.constant))
            found = self.set(f"int({value.code})", WHOLE)
            self.fail_unless(f"float({found.code}) == {value.code}", f"{what}: not a whole number")
            return found.code
        if value.type not in (WHOLE, NOTHING):
            raise Untyped(f"{what} of a {value.type}", self.node)
        return self.code(value, WHOLE)

    def truth(self, value: Val) -> str | bool:
        """The truth of a value: an expression, or what it always is; only false and nil are false."""
        if value.is_constant and not isinstance(value.type, Structure):
            return value.constant is not False and value.constant is not None
        if value.type == TRUTH:
            return f"{value.code} != 0"
        if value.type is NOTHING:
            return "0 != 0"
        if isinstance(value.type, Maybe):
            return f"{value.code} == 1" if value.type.of == TRUTH else f"not ({self.is_nil(value)})"
        if isinstance(value.type, Structure) and any(tag.kind in STOCHASTIC for tag in value.type.tags):
            raise Untyped("a test of a distribution", self.node)
        return value.type != NIL

    def is_nil(self, value: Val) -> str:
        """Whether a value that may be nil is."""
        assert isinstance(value.type, Maybe)
        if word(value.type) == "float":
            return f"bits_of(S, {value.code}) == {NIL_REAL}"
        return f"{value.code} == {NIL_WHOLE}"

    def made(self, value: Val) -> Val:
        """A structure as a reference."""
        assert value.parts is not None
        tag = value.tag
        types = self.whole.with_fields(tag, [part.type for part in value.parts])
        for position, part in enumerate(value.parts):
            self.whole.field_is(tag, position, part)
        fields = [self.code(part, type_) for part, type_ in zip(value.parts, types)]
        place = self.set(f"alloc(S, {1 + len(fields)})", value.type)
        self.line(f"S.I[{place.code}] = {self.whole.tag_number(tag)}")
        for position, (field, type_) in enumerate(zip(fields, types), 1):
            self.line(f"S.{'H' if word(type_) == 'float' else 'I'}[{place.code} + {position}] = {field}")
        return place

    def parts_of(self, value: Val, tag: Tag) -> list[Val]:
        """The fields of a structure that has a tag."""
        if value.parts is not None:
            return list(value.parts)
        types = self.whole.with_fields(tag, None)
        if value.is_constant:
            _, fields = self.whole.tag_of(value.constant, value.type)
            return [self.whole.field(field, type_) for field, type_ in zip(fields, types)]
        constants = [self.whole.field_constant(tag, position) for position in range(len(types))]
        return [
            self.element(value.code, position, type_) if known is VARIABLE else Val(type_, "", known)
            for position, (type_, known) in enumerate(zip(types, constants), 1)
        ]

    def element(self, place: str, position: int | str, type_: Type) -> Val:
        return self.set(f"S.{'H' if word(type_) == 'float' else 'I'}[{place} + {position}]", type_)

    def by_tag(self, value: Val, work: Callable[[Tag, list[Val]], Val]) -> Val:
        """What some work comes to for the tag that a structure has."""
        assert isinstance(value.type, Structure)
        tags = sorted(value.type.tags, key=str) if len(value.type.tags) > 1 else list(value.type.tags)
        if len(tags) == 1 or value.is_constant:
            tag = self.whole.tag_of(value.constant, value.type)[0] if value.is_constant else tags[0]
            return work(tag, self.parts_of(value, tag))
        number = self.set(f"S.I[{value.code}]", WHOLE).code
        choices = [self.inner(lambda tag=tag: work(tag, self.parts_of(value, tag))) for tag in tags]  # type: ignore[misc]
        tests = [f"{number} == {self.whole.tag_number(tag)}" for tag in tags]
        return self.joined([*tests[:-1], ""], choices)

    def joined(self, tests: list[str], choices: list[tuple[list[str], Val]]) -> Val:
        """One of several values, by tests of which the last is empty; their lines are written already."""
        type_: Type = NOTHING
        for _, value in choices:
            try:
                type_ = join(type_, value.type)
            except Untyped as error:
                raise Untyped(str(error), self.node) from None
        name = self.fresh()
        for position, (test, (lines, value)) in enumerate(zip(tests, choices)):
            more, code = self.inner(lambda value=value: self.code(value, type_))  # type: ignore[misc]
            self.line("else:" if not test else f"{'if' if position == 0 else 'elif'} {test}:")
            self.lines += [*lines, *more]
            self.line(f"    {name} = {code}")
        return Val(type_, name)

    # Statements

    def body(self, statements: list[ast.stmt]) -> None:
        """The statements of a function, which return."""
        for statement in statements:
            match statement:
                case ast.While(_, inside):
                    self.line("while True:")
                    lines, _ = self.inner(lambda inside=inside: self.turn(inside))  # type: ignore[misc]
                    self.lines += lines
                case ast.If(ast.Compare(ast.Name(name), [ast.Is()], [ast.Constant(bool(truth))]), inside):
                    if self.decided(name, truth, inside):
                        return
                case ast.If(ast.Compare(_, [ast.IsNot()], _)):
                    pass  # for lanes that disagree
                case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)):
                    self.loop_again(targets, values)
                case ast.Continue():
                    self.line("continue")
                case ast.Return(ast.expr() as value):
                    found = self.expr(value)
                    type_ = self.whole.returned(self.name, found.type)
                    self.line(f"return {self.code(found, type_)}")
                case _:
                    self.simple(statement)

    def decided(self, name: str, truth: bool, inside: list[ast.stmt]) -> bool:
        """An if on the way to a self call; whether what follows is never reached."""
        value = self.env[name]
        assert isinstance(value, Val)
        test = self.truth(value)
        if isinstance(test, bool):
            if test is truth:
                self.body(inside)
            return test is truth
        lines, _ = self.inner(lambda: self.body(inside))
        self.line(f"if {test}:" if truth else f"if not ({test}):")
        self.lines += lines
        return False

    def simple(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                found = self.expr(value)
                if not found.is_constant and found.parts is None and found.type is not NOTHING:
                    found = self.set(found.code, found.type)
                self.env[name] = found
            case ast.Expr(value):
                self.expr(value)
            case ast.FunctionDef(name):
                self.env[name] = statement
            case _:
                raise Untyped(f"a statement: {ast.unparse(statement)[:40]}", statement)

    def loop_again(self, targets: list[ast.expr], values: list[ast.expr]) -> None:
        """The parameters of the next turn."""
        address = self.address(values[0])
        found = [self.expr(value) for value in values[1:]]
        codes = []
        for target, value in zip(targets[1:], found):
            assert isinstance(target, ast.Name)
            type_ = self.whole.given(self.name, target.id, value.type)
            code = self.code(value, type_)
            codes.append((target.id, self.set(code, type_).code))
        for name, code in codes:
            own = self.env[name]
            assert isinstance(own, Val)
            self.line(f"{own.code} = {code}")
        self.line(f"at = {address}")

    def block(self, statements: list[ast.stmt]) -> Val:
        """What the statements of a thunk return."""
        for statement in statements[:-1]:
            self.simple(statement)
        last = statements[-1]
        if not isinstance(last, ast.Return) or last.value is None:
            raise Untyped("a thunk that does not return", last)
        return self.expr(last.value)

    def thunk(self, node: ast.expr) -> Val:
        """The value of a function of no arguments, where it is called."""
        if isinstance(node, ast.Lambda):
            return self.expr(node.body)
        assert isinstance(node, ast.Name)
        made = self.env[node.id]
        assert isinstance(made, ast.FunctionDef)
        return self.block(made.body)

    def branch(self, test: Val, then: Callable[[], Val], other: Callable[[], Val]) -> Val:
        """The value of one of two sides."""
        truth = self.truth(test)
        if isinstance(truth, bool):
            return then() if truth else other()
        env = dict(self.env)
        first = self.inner(then)
        self.env = dict(env)
        second = self.inner(other)
        self.env = env
        return self.joined([truth, ""], [first, second])

    # Expressions

    def address(self, node: ast.expr) -> str:
        """The hash of an address."""
        match node:
            case ast.Name("at"):
                return self.at
            case ast.Subscript(value, ast.Constant(int(site))):
                return f"mixed({self.address(value)}, {site})"
        raise Untyped(f"the address {ast.unparse(node)}", node)

    def expr(self, node: ast.expr) -> Val:
        outer, self.node = self.node, node if hasattr(node, "lineno") else self.node
        try:
            return self.expression(node)
        except Untyped as error:
            if error.node is None:
                error.node = self.node
            raise
        finally:
            self.node = outer

    def expression(self, node: ast.expr) -> Val:
        match node:
            case ast.Constant(value):
                return self.constant(value)
            case ast.UnaryOp(ast.USub(), ast.Constant(value)):
                assert isinstance(value, int | float)
                return self.constant(-value)
            case ast.Name(name) if name in self.env:
                found = self.env[name]
                assert isinstance(found, Val)
                return found
            case ast.Name(name):
                return self.constant(self.whole.module[name])
            case ast.Call(ast.Name(name), arguments):
                return self.whole.call(self, name, arguments)
        raise Untyped(f"the expression {ast.unparse(node)[:40]}", node)
