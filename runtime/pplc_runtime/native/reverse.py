"""Gradients: the derivative of the density of a piece, by reverse mode.

    v3 = v1 * v2      backwards      d3 is known;  d1 += d3 * v2;  d2 += d3 * v1

The code of a piece is straight: variables that are set once, elements of the execution `X` and of the scratch `S`, and
densities. `Backward` notes the variables that are set, and then goes back through them (Griewank and Walther 2008,
"Evaluating Derivatives"). The derivative by X[i] is added to G[i], by S[i] to DS[i]. Rules are those of functions of
the middle language, through which all primitives are written, and of the densities. What steps (floor, comparisons,
whole numbers) has none.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Final, TypeAlias

from pplc_runtime.distributions.base import Domain, Family
from pplc_runtime.native.derivatives import ARRAYS, FUNCTIONS, PARTIALS
from pplc_runtime.native.scalar import Scalar
from pplc_runtime.native.values import Elements, Unsupported
from pplc_runtime.specialise.ir import Operand, Var

_MARK: Final = re.compile(r"@(\d+)@")
_NAMED: Final = re.compile(r"K__(\d+)")
_ADJOINT: Final = {"X": "G", "S": "DS"}
"""Where the derivatives by the elements of an array are; other arrays are constants."""


Turned: TypeAlias = dict[tuple[Any, ...], tuple[list[str], int]]
"""Ways back that have been written, and the scratch that they take."""


class Backward(Scalar):
    """Scalar code that is gone through again backwards."""

    offsets: dict[Var, int]

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type] # those of the class beside it
        self.tape: list[tuple[str, str]] = []
        """The variables that were set; and lines that are to stand at their place on the way back."""
        self.turned: list[str] = []
        self.level = 0

    # The way there

    def set(self, text: str) -> str:
        name = super().set(text)
        self.tape.append((name, text))
        return name

    def keep(self, var: Var, value: Elements) -> None:
        if var not in self.offsets:
            return
        start = self.constant("whole", self.offsets[var], source=var)
        if value.items:
            lines = [_added(item, f"G[{start} + {k}]") for k, item in enumerate(value.items) if item.isidentifier()]
        else:
            room = value.array[2:-2]
            lines = [f"for j{room} in range({value.size}):", f"    DS[{room} + j{room}] += G[{start} + j{room}]"]
        self.tape.append(("", "\n".join(lines)))

    def array(self, value: Elements) -> str:
        room = super().array(value)
        if value.items:
            start = int(room[2:-2])
            named = [(k, item) for k, item in enumerate(value.items) if item.isidentifier()]
            self.tape.append(("", "\n".join(_added(item, f"DS[{start + k}]") for k, item in named)))
        return room

    def back(self, lines: list[str]) -> None:
        if not lines:
            raise Unsupported("a gradient of a large matrix")
        self.tape.append(("", "\n".join(lines)))

    def add(self, density: str) -> None:
        term = self.set(density)
        self.tape.append(("", f"d_{term} += weight"))

    def check(self, domain: Domain, value: Elements) -> None:
        """Made on the way there."""

    def fit(self, family: Family, parts: tuple[Operand, ...]) -> None:
        """Made on the way there."""

    def root(self, covariance: Operand) -> tuple[str, str]:
        if type(covariance) is Var:
            raise Unsupported("a gradient of a random covariance")
        return super().root(covariance)

    # The way back

    def turn(self, known: Turned) -> None:
        """Write the way back, which is the same for the same way there."""
        key = (*self.tape, self.scratch, self.count)
        if key not in known:
            before = self.scratch
            for name, text in reversed(self.tape):
                if name:
                    tree = ast.parse(_MARK.sub(r"K__\1", text), mode="eval").body
                    self.spread(tree, f"d_{name}")
                else:
                    self.turned += text.splitlines()
            first = [f"d_{name} = 0.0" for name, _ in self.tape if name]
            if before:
                first = [f"for j in range({before}):", "    DS[j] = 0.0", *first]
            known[key] = [*first, *self.turned], self.scratch
        lines, self.scratch = known[key]
        self.lines += lines

    def out(self, text: str) -> None:
        self.turned.append("    " * self.level + _NAMED.sub(r"@\1@", text))

    def spread(self, expr: ast.expr, seed: str) -> None:
        """Add the derivative by an expression to that by what it is made of."""
        if not self.varies(expr):
            return
        match expr:
            case ast.Name(name):
                self.out(f"d_{name} += {seed}")
            case ast.Subscript(ast.Name(array), index):
                self.out(f"{_ADJOINT[array]}[{ast.unparse(index)}] += {seed}")
            case ast.UnaryOp(ast.USub(), operand):
                self.spread(operand, f"(-{seed})")
            case ast.BinOp(left, ast.Add(), right):
                self.spread(left, seed)
                self.spread(right, seed)
            case ast.BinOp(left, ast.Sub(), right):
                self.spread(left, seed)
                self.spread(right, f"(-{seed})")
            case ast.BinOp(left, ast.Mult(), right):
                self.spread(left, self.named(f"{seed} * ({ast.unparse(right)})", left))
                self.spread(right, self.named(f"{seed} * ({ast.unparse(left)})", right))
            case ast.BinOp(left, ast.Div(), right):
                top, bottom = ast.unparse(left), ast.unparse(right)
                self.spread(left, self.named(f"{seed} / ({bottom})", left))
                self.spread(right, self.named(f"-{seed} * ({top}) / (({bottom}) * ({bottom}))", right))
            case ast.IfExp(test, then, other):
                self.choice(ast.unparse(test), then, other, seed)
            case ast.Call(ast.Name(name), given):
                self.call(name, given, seed)
            case _:
                raise Unsupported(f"a gradient of {ast.unparse(expr)}")

    def call(self, name: str, given: list[ast.expr], seed: str) -> None:
        texts = [ast.unparse(each) for each in given]
        if name in ARRAYS:
            adjoints = [self.adjoint(given[k]) for k in ARRAYS[name]]
            if any(adjoints):
                room = [each or f"DS[{self.spare(texts[0], texts[1])}:]" for each in adjoints]
                self.out(f"d{name[2:]}({', '.join(texts)}, {seed}, {', '.join(room)})")
            return
        rules = FUNCTIONS.get(name) or PARTIALS.get(name)
        if rules is None:
            raise Unsupported(f"a gradient of {name}")
        for argument, rule in zip(given, rules, strict=True):
            if rule and self.varies(argument):
                self.spread(argument, self.named(f"{seed} * ({rule.format(*texts)})", argument))

    def spare(self, first: str, second: str) -> int:
        """Room for derivatives that nobody wants."""
        size = int(first if first.isdecimal() else second)
        return int(self.room(size)[2:-2])

    def adjoint(self, array: ast.expr) -> str | None:
        """Where the derivatives by the elements of an array go; None for one of constants."""
        assert isinstance(array, ast.Subscript) and isinstance(array.value, ast.Name)
        name = _ADJOINT.get(array.value.id)
        return None if name is None else f"{name}{ast.unparse(array)[len(array.value.id) :]}"

    def choice(self, test: str, then: ast.expr, other: ast.expr, seed: str) -> None:
        """Only by the side that is taken."""
        for condition, side in ((test, then), (f"not ({test})", other)):
            if self.varies(side):
                self.out(f"if {condition}:")
                self.level += 1
                self.spread(side, seed)
                self.level -= 1

    def named(self, text: str, argument: ast.expr) -> str:
        """A derivative that is used more than once has a name."""
        if isinstance(argument, ast.Name | ast.Subscript) or not self.varies(argument):
            return text
        name = f"t{self.name()}"
        self.out(f"{name} = {text}")
        return name

    def varies(self, expr: ast.expr) -> bool:
        """Whether there is a derivative by something in an expression."""
        match expr:
            case ast.Name(name):
                return not name.startswith("K__") and name != "inf"
            case ast.Subscript(ast.Name(array), _):
                return array in _ADJOINT
            case ast.UnaryOp(_, operand):
                return self.varies(operand)
            case ast.BinOp(left, _, right):
                return self.varies(left) or self.varies(right)
            case ast.IfExp(_, then, other):
                return self.varies(then) or self.varies(other)
            case ast.Call(ast.Name(name), given):
                return name not in ("float", "int", "floor", "ceil") and any(map(self.varies, given))
        return False


def _added(item: str, derivative: str) -> str:
    return f"d_{item} += {derivative}"
