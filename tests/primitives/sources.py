"""Random plain values of every kind that the language has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pplc_runtime.primitives import PRIMITIVES as P
from pplc_runtime.primitives.arrays import vector
from pplc_runtime.values import List, Map, Symbol

Rng = np.random.Generator


@dataclass
class Source:
    """Where arguments come from: `form` decides kinds and lengths, `rng` numbers."""

    form: Rng
    rng: Rng
    whole: bool

    def number(self) -> Any:
        return int(self.rng.integers(-3, 4)) if self.whole else float(np.round(self.rng.normal(), 2))

    def either(self) -> Any:
        """An integer in one lane and a float, perhaps a whole one, in the next."""
        return self.rng.choice([-2, -1, 0, 1, 3, 0.5, -1.5, 2.0, 0.0]).item() if self.rng.integers(2) else self.number()

    def either3(self) -> Any:
        return vector(self.either(), self.either(), self.either())

    def large(self) -> int:
        """An integer near the ends of what a float or a machine word holds, or small."""
        power = int(self.rng.choice([0, 2, 31, 53, 62, 63, 70]))
        return (1 if self.boolean() else -1) * (1 << power) + int(self.rng.integers(-1, 2))

    def large3(self) -> Any:
        return vector(self.large(), self.large(), self.large())

    def large_square(self) -> Any:
        return vector(*(vector(*(int(self.rng.integers(-(2**62), 2**62)) for _ in range(3))) for _ in range(3)))

    def large_or_float(self) -> Any:
        return self.large() if self.rng.integers(2) else self.either()

    def positive(self) -> Any:
        return abs(self.number()) + 1

    def small(self) -> int:
        return int(self.rng.integers(0, 5))

    def index(self) -> int:
        return int(self.rng.integers(-1, 4))

    def inside(self) -> int:
        return int(self.rng.integers(0, 3))

    def boolean(self) -> bool:
        return bool(self.rng.integers(2))

    def text(self) -> str:
        return str(self.rng.choice(["", "a", "bc"]))

    def leaf(self) -> Any:
        return self.one_of(self.number, self.boolean, self.text, lambda: None, self.symbol)

    def symbol(self) -> Symbol:
        return Symbol(str(self.rng.choice([":a", "b"])))

    def one_of(self, *kinds: Callable[[], Any]) -> Any:
        return kinds[self.form.integers(len(kinds))]()

    def length(self) -> int:
        return int(self.form.integers(0, 5))

    def vec(self) -> Any:
        return vector(*(self.number() for _ in range(self.length())))

    def vec3(self) -> Any:
        return vector(*(self.number() for _ in range(3)))

    def list3(self) -> List:
        return List(self.number() for _ in range(3))

    def numbers(self) -> Any:
        return self.one_of(self.vec, lambda: List(self.number() for _ in range(self.length())), self.rows)

    def rows(self) -> Any:
        return vector(*(vector(self.number(), self.number()) for _ in range(self.length() + 1)))

    def square(self) -> Any:
        return vector(*(vector(*(self.number() for _ in range(3))) for _ in range(3)))

    def definite(self) -> Any:
        matrix = self.rng.normal(size=(3, 3))
        return matrix @ matrix.T + np.eye(3)

    def mixed(self) -> Any:
        items = [self.leaf() for _ in range(self.length())]
        return self.one_of(lambda: vector(*items), lambda: List(items))

    def nested(self) -> Any:
        return List((self.mixed(), self.leaf(), self.vec3()))

    def sequence(self) -> Any:
        return self.one_of(self.vec, self.rows, self.mixed, self.nested, self.text, lambda: None, self.list3)

    def vectors(self) -> Any:
        return self.one_of(self.vec, self.rows, lambda: vector(*(self.leaf() for _ in range(3))))

    def map(self) -> Map:
        keys = ["a", Symbol(":a"), 0, 1, True][: self.length()]
        return Map.of([(key, self.any() if self.form.integers(2) else self.leaf()) for key in keys])

    def map2(self) -> Any:
        return Map.of([("a", self.map()), (0, self.vec3())])

    def key(self) -> Any:
        return ["a", Symbol(":a"), 0, 1, True, "z"][self.rng.integers(6)]

    def path(self) -> Any:
        return List((self.key(), self.key()))

    def any(self) -> Any:
        return self.one_of(self.leaf, self.number, self.sequence, self.map, self.f1)

    def f1(self) -> Any:
        return P[str(self.rng.choice(["inc", "list", "-", "str"]))]

    def number_f1(self) -> Any:
        return P[str(self.rng.choice(["inc", "square", "-"]))]

    def f2(self) -> Any:
        return P[str(self.rng.choice(["+", "list", "-", "vector"]))]

    def test1(self) -> Any:
        return P[str(self.rng.choice(["pos?", "zero?", "identity", "neg?"]))]

    def any_test(self) -> Any:
        return P[str(self.rng.choice(["identity", "number?", "nil?", "not"]))]
