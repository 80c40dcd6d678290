"""LLVM IR from the middle language."""

from __future__ import annotations

import ast
from typing import Final, NamedTuple

from pplc_runtime.machine.language import ELEMENTS, FUNCTIONS, Signature, reachable, records, signature
from pplc_runtime.machine.llvm_words import (
    APART,
    ARRAY,
    ELEMENT,
    FIELD,
    INLINED,
    REAL_OPERATORS,
    REAL_ORDER,
    TOGETHER,
    TYPES,
    WHOLE_OPERATORS,
    WHOLE_ORDER,
    real,
    table,
)  # fmt: skip
from pplc_runtime.machine.tables import TABLES

LARGEST_INLINED: Final = 12
"""Functions of more statements are called: to inline them takes LLVM longer than it saves."""


class Term(NamedTuple):
    """An operand of LLVM, and its type in the language."""

    text: str
    type: str


def llvm_text(source: str, exported: frozenset[str]) -> str:
    """A module as LLVM IR; other functions than the exported are its own."""
    functions = reachable(source, exported)
    known = {node.name: signature(node) for node in functions}
    fields = records(source)
    parts = [
        f"declare double @{name}(double) nounwind willreturn speculatable memory(none)" for name in FUNCTIONS.values()
    ]
    parts.append("declare double @pow(double, double) nounwind willreturn memory(none)")
    parts.append("declare i64 @llvm.ctlz.i64(i64, i1)")
    used = {node.id for function in functions for node in ast.walk(function) if isinstance(node, ast.Name)}
    parts += [table(name, values) for name, values in TABLES.items() if name in used]
    parts += [_Function(node, known, fields, node.name in exported).text() for node in functions]
    return "\n".join([*parts, *APART]) + "\n"


def _llvm_type(name: str) -> str:
    return TYPES.get(name, "ptr")  # records are passed by reference


class _Function:
    """Writes one function, block by block."""

    def __init__(
        self, node: ast.FunctionDef, known: dict[str, Signature], fields: dict[str, dict[str, str]], exported: bool
    ) -> None:
        self.node = node
        self.known = known
        self.fields = fields
        self.exported = exported
        self.signature = known[node.name]
        self.types: dict[str, str] = {}
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.count = 0
        self.loops: list[tuple[str, str]] = []
        """Where `continue` and `break` go."""
        self.marks = ("", "")
        """What is said of the calls and of the end of a loop that is run for several numbers at once."""
        self.is_open = True
        """Whether the block that is being written has no end yet."""

    def text(self) -> str:
        arguments = [argument.arg for argument in self.node.args.args]
        given = ", ".join(f"{_llvm_type(type_)} %{name}" for name, type_ in zip(arguments, self.signature.parameters))
        for name, type_ in zip(arguments, self.signature.parameters):
            self.declare(name, type_)
            self.line(f"store {_llvm_type(type_)} %{name}, ptr %{name}.slot")
        self.body(self.node.body)
        if self.is_open:
            self.line("ret void" if self.signature.result == "None" else f"ret {self.result} zeroinitializer")
        linkage = "" if self.exported else "internal "
        size = sum(isinstance(each, ast.stmt) for each in ast.walk(self.node))
        inlined = " noinline" if size > LARGEST_INLINED else ""
        head = f"define {linkage}{self.result} @{self.node.name}({given}) nounwind{inlined} {{"
        return "\n".join([head, "entry:", *self.slots, *self.lines, "}"])

    @property
    def result(self) -> str:
        return "void" if self.signature.result == "None" else TYPES[self.signature.result]

    # Lines and names

    def line(self, text: str) -> None:
        if self.is_open:
            self.lines.append(f"  {text}")

    def value(self, text: str, type_: str) -> Term:
        self.count += 1
        self.line(f"%t{self.count} = {text}")
        return Term(f"%t{self.count}", type_)

    def block(self, name: str) -> None:
        if self.is_open:
            self.lines.append(f"  br label %{name}")
        self.lines.append(f"{name}:")
        self.is_open = True

    def end(self, text: str) -> None:
        """The last line of a block."""
        self.line(text)
        self.is_open = False

    def labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{name}{self.count}" for name in names]

    def declare(self, name: str, type_: str) -> None:
        if name not in self.types:
            self.types[name] = type_
            self.slots.append(f"  %{name}.slot = alloca {_llvm_type(type_)}")

    # Statements

    def body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.is_open:
                self.statement(statement)

    def statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign([target], value):
                self.assign(target, self.expr(value))
            case ast.AugAssign(target, operator, value):
                self.assign(target, self.binary(operator, self.expr(target), self.expr(value)))
            case ast.If(test, then, other):
                self.branch(test, then, other)
            case ast.While(test, body):
                self.loop(test, body)
            case ast.For(ast.Name(name), ast.Call(ast.Name("range" | "apart" as how), bounds), body):
                self.marks = (INLINED, TOGETHER) if how == "apart" else ("", "")
                self.count_up(name, [self.expr(bound) for bound in bounds], body)
                self.marks = ("", "")
            case ast.Return(None):
                self.end("ret void")
            case ast.Return(value):
                assert value is not None
                found = self.converted(self.expr(value), self.signature.result)
                self.end(f"ret {self.result} {found.text}")
            case ast.Expr(ast.Call() as call):
                self.call(call)
            case ast.Continue():
                self.end(f"br label %{self.loops[-1][0]}")
            case ast.Break():
                self.end(f"br label %{self.loops[-1][1]}")
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case _:
                raise TypeError(f"not in the language: {ast.unparse(statement)}")

    def assign(self, target: ast.expr, value: Term) -> None:
        match target:
            case ast.Name(name):
                self.declare(name, value.type)
                self.store(name, value)
            case ast.Attribute(record, name):
                place, kind = self.field(record, name)
                if kind in ELEMENTS:
                    raise TypeError(f"not in the language: {ast.unparse(target)} is another array")
                self.line(f"store {TYPES[kind]} {self.converted(value, kind).text}, ptr {place}{FIELD}")
            case ast.Subscript(array, index):
                place_of = self.place(array, index)
                value = self.converted(value, ELEMENTS[place_of.type])
                self.line(f"store {TYPES[value.type]} {value.text}, ptr {place_of.text}{ELEMENT}")
            case _:
                raise TypeError(f"not in the language: {ast.unparse(target)}")

    def store(self, name: str, value: Term) -> None:
        value = self.converted(value, self.types[name])
        self.line(f"store {_llvm_type(value.type)} {value.text}, ptr %{name}.slot")

    def branch(self, test: ast.expr, then: list[ast.stmt], other: list[ast.stmt]) -> None:
        yes, no, after = self.labels("then", "else", "after")
        self.end(f"br i1 {self.truth(test).text}, label %{yes}, label %{no if other else after}")
        self.block(yes)
        self.body(then)
        if other:
            if self.is_open:
                self.end(f"br label %{after}")
            self.block(no)
            self.body(other)
        self.block(after)

    def loop(self, test: ast.expr, body: list[ast.stmt]) -> None:
        head, inside, after = self.labels("head", "body", "done")
        self.block(head)
        self.end(f"br i1 {self.truth(test).text}, label %{inside}, label %{after}")
        self.block(inside)
        self.loops.append((head, after))
        self.body(body)
        self.loops.pop()
        if self.is_open:
            self.end(f"br label %{head}")
        self.block(after)

    def count_up(self, name: str, bounds: list[Term], body: list[ast.stmt]) -> None:
        start, stop = (Term("0", "int"), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        step = bounds[2] if len(bounds) == 3 else Term("1", "int")
        head, inside, following, after = self.labels("head", "body", "next", "done")
        self.count += 1
        counter = f"{name}.count{self.count}"
        self.slots.append(f"  %{counter} = alloca i64")
        self.line(f"store i64 {start.text}, ptr %{counter}")
        self.declare(name, "int")
        self.block(head)
        now = self.value(f"load i64, ptr %{counter}", "int")
        going = self.value(f"icmp slt i64 {now.text}, {stop.text}", "bool")
        self.end(f"br i1 {going.text}, label %{inside}, label %{after}")
        self.block(inside)
        self.store(name, now)
        self.loops.append((following, after))
        self.body(body)
        self.loops.pop()
        self.block(following)
        now = self.value(f"load i64, ptr %{counter}", "int")
        more = self.value(f"add i64 {now.text}, {step.text}", "int")
        self.line(f"store i64 {more.text}, ptr %{counter}")
        self.end(f"br label %{head}{self.marks[1]}")
        self.block(after)

    # Expressions

    def truth(self, expr: ast.expr) -> Term:
        found = self.expr(expr)
        return found if found.type == "bool" else self.value(f"icmp ne i64 {found.text}, 0", "bool")

    def expr(self, expr: ast.expr) -> Term:
        match expr:
            case ast.Constant(bool(value)):
                return Term("true" if value else "false", "bool")
            case ast.Constant(int(value)):
                return Term(str(value - (1 << 64) if value >> 63 else value), "int")
            case ast.Constant(float(value)):
                return Term(real(value), "float")
            case ast.Name("inf" | "nan" as name):
                return Term(real(float(name)), "float")
            case ast.Name("MASK"):
                return Term("-1", "int")
            case ast.Name(name) if name in TABLES:
                return Term(f"@{name}", "floats")
            case ast.Name(name):
                return self.value(f"load {_llvm_type(self.types[name])}, ptr %{name}.slot", self.types[name])
            case ast.BinOp(left, operator, right):
                return self.binary(operator, self.expr(left), self.expr(right))
            case ast.UnaryOp(ast.USub(), operand):
                return self.negative(self.expr(operand))
            case ast.UnaryOp(ast.Not(), operand):
                return self.value(f"xor i1 {self.truth(operand).text}, true", "bool")
            case ast.Compare(left, [operator], [right]):
                return self.compare(operator, self.expr(left), self.expr(right))
            case ast.BoolOp(operator, values):
                return self.short_circuit(isinstance(operator, ast.And), values)
            case ast.IfExp(test, then, other):
                chosen = self.truth(test)
                yes, no = self.unified(self.expr(then), self.expr(other))
                kind = TYPES[yes.type]
                return self.value(f"select i1 {chosen.text}, {kind} {yes.text}, {kind} {no.text}", yes.type)
            case ast.Attribute(record, name):
                place, kind = self.field(record, name)
                anew = " volatile" if name == "halt" else ""  # which another thread writes
                apart = ARRAY if kind in ELEMENTS else FIELD
                return self.value(f"load{anew} {_llvm_type(kind)}, ptr {place}{apart}", kind)
            case ast.Subscript(array, ast.Slice(ast.expr() as lower, None)):
                return self.place(array, lower)
            case ast.Subscript(array, ast.Slice(ast.expr() as lower, ast.expr())):
                place_of = self.place(array, lower)
                return self.value(f"load <4 x double>, ptr {place_of.text}, align 8{ELEMENT}", "four")
            case ast.Subscript(ast.Name(name), index) if self.types.get(name) == "four":
                four, which = self.expr(ast.Name(name)), self.expr(index)
                return self.value(f"extractelement <4 x double> {four.text}, i64 {which.text}", "float")
            case ast.Subscript(array, index):
                place_of = self.place(array, index)
                kind = ELEMENTS[place_of.type]
                return self.value(f"load {TYPES[kind]}, ptr {place_of.text}{ELEMENT}", kind)
            case ast.Call():
                return self.call(expr)
            case _:
                raise TypeError(f"not in the language: {ast.unparse(expr)}")

    def place(self, array: ast.expr, index: ast.expr) -> Term:
        base = self.expr(array)
        offset = self.expr(index)
        element = TYPES[ELEMENTS[base.type]]
        return self.value(f"getelementptr {element}, ptr {base.text}, i64 {offset.text}", base.type)

    def field(self, record: ast.expr, name: str) -> tuple[str, str]:
        """Where a field of a record is, and its type; every field takes eight bytes."""
        base = self.expr(record)
        names = list(self.fields[base.type])
        found = self.value(f"getelementptr i64, ptr {base.text}, i64 {names.index(name)}", base.type)
        return found.text, self.fields[base.type][name]

    def converted(self, value: Term, wanted: str) -> Term:
        match value.type, wanted:
            case have, want if have == want:
                return value
            case "int" | "bool", "float":
                how = "sitofp i64" if value.type == "int" else "uitofp i1"
                return self.value(f"{how} {value.text} to double", "float")
            case _, "four":
                one = self.converted(value, "float").text
                first = self.value(f"insertelement <4 x double> poison, double {one}, i64 0", "four").text
                both = f"<4 x double> {first}, <4 x double> {first}"
                return self.value(f"shufflevector {both}, <4 x i32> zeroinitializer", "four")
            case "bool", "int":
                return self.value(f"zext i1 {value.text} to i64", "int")
            case _:
                raise TypeError(f"{self.node.name}: {value.type} where {wanted} is wanted")

    def unified(self, left: Term, right: Term) -> tuple[Term, Term]:
        if left.type == right.type == "bool":
            return left, right
        wanted = next((kind for kind in ("four", "float") if kind in (left.type, right.type)), "int")
        return self.converted(left, wanted), self.converted(right, wanted)

    def negative(self, value: Term) -> Term:
        if value.type == "float":
            return self.value(f"fneg double {value.text}", "float")
        return self.value(f"sub i64 0, {value.text}", "int")

    def binary(self, operator: ast.operator, left: Term, right: Term) -> Term:
        if isinstance(operator, ast.Div):
            left, right = self.converted(left, "float"), self.converted(right, "float")
            return self.value(f"fdiv double {left.text}, {right.text}", "float")
        if left.type == right.type == "bool":
            left, right = self.converted(left, "int"), self.converted(right, "int")
        left, right = self.unified(left, right)
        table = WHOLE_OPERATORS if left.type == "int" else REAL_OPERATORS
        return self.value(f"{table[type(operator)]} {TYPES[left.type]} {left.text}, {right.text}", left.type)

    def compare(self, operator: ast.cmpop, left: Term, right: Term) -> Term:
        left, right = self.unified(left, right)
        if left.type == "float":
            return self.value(f"fcmp {REAL_ORDER[type(operator)]} double {left.text}, {right.text}", "bool")
        return self.value(f"icmp {WHOLE_ORDER[type(operator)]} {TYPES[left.type]} {left.text}, {right.text}", "bool")

    def short_circuit(self, is_and: bool, values: list[ast.expr]) -> Term:
        (after,) = self.labels("known")
        slot = f"%{after}.slot"
        self.slots.append(f"  {slot} = alloca i1")
        for value in values:
            self.line(f"store i1 {self.truth(value).text}, ptr {slot}")
            if value is not values[-1]:
                (more,) = self.labels("more")
                found = self.value(f"load i1, ptr {slot}", "bool")
                ways = (more, after) if is_and else (after, more)
                self.end(f"br i1 {found.text}, label %{ways[0]}, label %{ways[1]}")
                self.block(more)
        self.block(after)
        return self.value(f"load i1, ptr {slot}", "bool")

    def call(self, call: ast.Call) -> Term:
        assert isinstance(call.func, ast.Name)
        name = call.func.id
        given = [self.expr(argument) for argument in call.args]
        match name:
            case "float" | "four":
                return self.converted(given[0], name)
            case "int" if given[0].type == "float":
                return self.value(f"fptosi double {given[0].text} to i64", "int")
            case "int":
                return self.converted(given[0], "int")
            case "bit_length":
                zeros = self.value(f"call i64 @llvm.ctlz.i64(i64 {given[0].text}, i1 false)", "int")
                return self.value(f"sub i64 64, {zeros.text}", "int")
            case "pow":
                a, b = (self.converted(value, "float") for value in given)
                return self.value(f"call double @pow(double {a.text}, double {b.text})", "float")
            case _ if name in FUNCTIONS:
                value = self.converted(given[0], "float")
                return self.value(f"call double @{FUNCTIONS[name]}(double {value.text})", "float")
        types = self.known[name]
        terms = [self.converted(value, wanted) for value, wanted in zip(given, types.parameters, strict=True)]
        passed = ", ".join(f"{_llvm_type(term.type)} {term.text}" for term in terms)
        if types.result == "None":
            self.line(f"call void @{name}({passed})")
            return Term("", "None")
        return self.value(f"call {TYPES[types.result]} @{name}({passed}){self.marks[0]}", types.result)
