"""The scalar code of particles: a segment run forward, and one of what is retained replayed behind each of them.

Each is the body of a loop over particles, of which `i` is the slot. See `sweeps` for the arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from pplc_runtime.distributions.domains import VECTOR, WEIGHTS
from pplc_runtime.lanes.addresses import At
from pplc_runtime.native.sampled import Sampled
from pplc_runtime.native.scalar import SMALL, Scalar
from pplc_runtime.native.values import Elements, size_of
from pplc_runtime.specialise.ir import Check, Compute, Draw, Operand, Operation, Score, Scored, Var

REPLAYED: Final = 1_000_000
"""From this number on messages are of replays."""


class Particle(Scalar):
    """Code of a particle: values are found in cells, in the slots that maps tell."""

    def __init__(self, segment: int, offsets: Mapping[Var, int], rows: Mapping[Var, int]) -> None:
        super().__init__(segment)
        self.offsets = offsets
        self.rows = rows
        """The row of the map by which each value is read."""
        self.mapped: list[tuple[int, Var]] = []
        """The constants that are such rows."""
        self.unchecked: Var | None = None
        """A parameter that has to be looked at yet."""
        self.products: dict[Var, Compute] = {}
        """Large matrices times vectors, which are computed where somebody asks for them."""

    def load(self, var: Var) -> Elements:
        start = self.constant("whole", self.offsets[var], source=var)
        row = self.constant("whole", self.rows[var], source=(var,))
        self.mapped.append((len(self.constants) - 1, var))
        size = size_of(var)
        base = self.set(f"{start} * L + M[{row} * L + i] * {size}")
        if size > SMALL:
            return Elements(var.shape, array=f"X[{base}:]")
        return Elements(var.shape, tuple(self.set(f"X[{base} + {k}]") for k in range(size)))

    def write(self, operation: Operation) -> None:
        """A large vector is looked at only where the density that it is a parameter of is not finite."""
        if self.unchecked is not None and not (isinstance(operation, Score) and self.unchecked in operation.uses):
            super().check(VECTOR, self.value(self.unchecked))
            self.unchecked = None
        if isinstance(operation, Check) and operation.domain is VECTOR:
            var = operation.value
            if var in self.products or self.value(var).array:
                self.unchecked = var
                return
        super().write(operation)

    def compute(self, computed: Compute) -> None:
        matrix, *others = computed.arguments
        is_large = computed.name == "mmul" and type(matrix) is np.ndarray and matrix.ndim == 2 and len(matrix) > SMALL
        if is_large and computed.result not in self.offsets and type(others[0]) is Var and size_of(others[0]) <= SMALL:
            self.products[computed.result] = computed
        else:
            super().compute(computed)

    def value(self, operand: Operand) -> Elements:
        if type(operand) is Var and operand in self.products:
            super().compute(self.products.pop(operand))
        return super().value(operand)

    def mvn_density(self, parts: tuple[Operand, ...], x: Elements) -> str:
        """That of a product is computed with it, four rows at a time."""
        product = self.products.get(parts[0]) if type(parts[0]) is Var else None
        if product is None or type(parts[1]) is not np.ndarray or (parts[1] - np.diag(np.diag(parts[1]))).any():
            return super().mvn_density(parts, x)
        matrix, variances = product.arguments[0].astype(float), np.diag(parts[1]).astype(float)
        items, rows = self.value(product.arguments[1]).items, len(matrix)
        columns = self.constant("array", np.ascontiguousarray(matrix.T).ravel())
        halves = self.constant("array", 0.5 / variances)
        peak = self.constant("real", float(-0.5 * np.log(2.0 * np.pi * variances).sum()))
        observed, row = self.array(x)[:-2], self.name()

        def add_rows(total: str, place: str, indent: str, is_four: bool) -> None:
            def at(array: str, start: str) -> str:
                first = f"{array}{start} + {place}"
                return f"{first} : {first.partition('[')[2]} + 4]" if is_four else f"{first}]"

            off = self.name()
            mean = " + ".join(f"{at('KA[', f'{columns} + {c * rows}')} * {item}" for c, item in enumerate(items))
            self.line(f"{indent}{off} = {at(observed, '')} - ({mean})")
            self.line(f"{indent}{total} = {total} + {off} * {off} * {at('KA[', halves)}")

        whole, four = rows // 4 * 4, self.set("four(0.0)")
        self.line(f"for {row} in range(0, {whole}, 4):")
        add_rows(four, row, "    ", True)
        first, *others = [self.set(f"{four}[{q}]") for q in range(4)]
        for k in range(whole, rows):
            add_rows(first, str(k), "", False)
        return f"({peak} - (({first} + {others[0]}) + ({others[1]} + {others[2]})))"

    def density(self, family: Scored, parts: tuple[Operand, ...], value: Operand) -> str:
        """That of a place by weights out of a table is looked up in the logs of its rows."""
        table, row = self.looked_up.get(parts[0], (None, "")) if type(parts[0]) is Var else (None, "")
        if table is None or table.ndim != 2 or getattr(family, "name", "") != "discrete":
            return super().density(family, parts, value)
        if not all(map(WEIGHTS.holds, table)):
            return super().density(family, parts, value)
        size = table.shape[1]
        shares = [x / sum(own) for own in table.tolist() for x in own]
        start = self.constant("array", np.array([math.log(x) if x > 0.0 else -math.inf for x in shares]))
        return f"log_share({self.number(value)}, {size}, KA[{start} + {row} * {size}:])"

    def add(self, density: str) -> None:
        if self.unchecked is not None:
            density = self.set(density)
            self.line(f"if not ({density} - {density} == 0.0):")
            before, product = len(self.lines), self.products.get(self.unchecked)
            self.check(VECTOR, self.value(self.unchecked))
            self.lines[before:] = [f"    {line}" for line in self.lines[before:]]
            if product is not None:  # it was computed there alone
                self.products[self.unchecked] = product
                del self.values[self.unchecked]
            self.unchecked = None
        super().add(density)

    def store(self, var: Var, value: Elements) -> None:
        """Put a value into its cell."""
        size = size_of(var)
        start = self.constant("whole", self.offsets[var], source=var)
        base = self.set(f"{start} * L + i * {size}")
        if value.items:
            for k, item in enumerate(value.items):
                self.line(f"X[{base} + {k}] = {item}")
        else:
            index = self.name()
            self.line(f"for {index} in range({size}):")
            self.line(f"    X[{base} + {index}] = {value.array[:-2]} + {index}]")


class Forward(Sampled, Particle):
    """Runs a segment: the first particle takes what is retained, the others draw. What is held all take, and weigh."""

    ends = "return 1"
    impossible = "LW[i] = -inf; continue"

    def __init__(
        self, segment: int, offsets: Mapping[Var, int], rows: Mapping[Var, int], holds: Callable[[At], bool] | None
    ) -> None:
        super().__init__(segment, offsets, rows)
        self.holds = holds

    def keep(self, var: Var, value: Elements) -> None:
        if var in self.offsets:
            self.store(var, value)

    def draw(self, draw: Draw) -> None:
        start, size = self.constant("whole", self.offsets[draw.result]), size_of(draw.result)
        held = self.holds is not None and self.holds(draw.at)
        if held:
            taken = [self.set(f"REF[{start} + {k}]") for k in range(size)]
        else:
            for part in draw.parts:  # what they are is known to all, and not only to those who draw
                self.value(part)
            if draw.family.name == "mvn":
                self.root_for(draw.parts[1], size)
            taken = [self.name() for _ in range(size)]
            self.line("if i < kept:")
            for k, name in enumerate(taken):
                self.line(f"    {name} = REF[{start} + {k}]")
            self.line("else:")
            before = len(self.lines)
            for name, drawn in zip(taken, self.drawn(draw), strict=True):
                self.line(f"{name} = {drawn}")
            self.lines[before:] = [f"    {line}" for line in self.lines[before:]]
        value = Elements(draw.result.shape, tuple(taken))
        if size > SMALL:
            value = Elements(draw.result.shape, array=self.array(value))
        self.values[draw.result] = value
        self.store(draw.result, value)
        if held:
            self.add(self.density(draw.family, draw.parts, draw.result))

    def normal(self, key: str) -> str:
        """Those of all particles are drawn together."""
        row = f"Z[{self.normals} * L :]"
        self.normals += 1
        self.before.append(f"fill_normals(L, {key}, n << 40, s.TI, {row})")
        return f"{row[:-3]} + i]"

    def key(self, draw: Draw) -> str:
        return f"k0, k1, {self.constant('whole', address_hash(draw.at))}"


class Replay(Particle):
    """Scores a segment of what is retained.

    It goes on where that is impossible, or something is wrong, so that what it writes is always the same function of
    what it reads: a replay of another segment may read it when this one is not replayed. Where something is wrong the
    score is not a number."""

    ends = "wrong = 1 if lp > -inf else wrong"
    impossible = "pass"
    first_message = REPLAYED

    def __init__(
        self, segment: int, offsets: Mapping[Var, int], rows: Mapping[Var, int], follows: frozenset[Var]
    ) -> None:
        super().__init__(segment, offsets, rows)
        self.follows = follows

    def keep(self, var: Var, value: Elements) -> None:
        if var in self.follows:
            self.store(var, value)

    def draw(self, draw: Draw) -> None:
        self.add(self.density(draw.family, draw.parts, draw.result))


def address_hash(at: At) -> int:
    """The number of an address in random numbers, as a signed word."""
    return at.hash - (1 << 64) if at.hash >> 63 else at.hash
