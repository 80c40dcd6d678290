"""A part of scopes: kinds of values, the names that can be seen at a place, and the patterns that bind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple, TypeAlias

INT: Final = "number"
PRIMITIVE: Final = "primitive"
ENTRIES: Final = "map"
ITSELF: Final = "itself"
"""A procedure in its own body: who calls it must see to it that this ends."""
RANDOM: Final = "random"
"""A number that is not the same in all particles."""


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure of so many numbers that gives a number."""

    arity: int


Kind: TypeAlias = "str | Procedure | tuple[Kind, ...]"
"""A tuple is a list or vector of values of these kinds."""


class Known(NamedTuple):
    """What is known of a name: its kind, and whether what a for runs over may depend on it."""

    kind: Kind
    certain: bool


Scope: TypeAlias = Mapping[str, Known]

PAIRS: Final[tuple[Kind, ...]] = ((INT, INT), ((INT, INT), (INT, INT)), (INT, (INT, INT)), ((INT, INT), INT))
KINDS: Final[tuple[Kind, ...]] = (INT, INT, INT, *PAIRS, Procedure(1), Procedure(2))
NAMES: Final = (
    "a", "b", "c", "x", "x_2", "a-b", "f", "g", "inc", "nth", "drop", "first", "list", "vector", "get", "element",
    "whole", "part", "argument", "loop_", "at", "then_1", "literal_1",
)  # fmt: skip
INITIAL: Final[dict[str, Known]] = {
    "inc": Known(Procedure(1), True),
    **{name: Known(PRIMITIVE, True) for name in ("nth", "drop", "first", "list", "vector", "get")},
}


@dataclass(slots=True)
class Names:
    """Chooses names and patterns."""

    rng: Random
    names: list[str] = field(init=False)
    globals: dict[str, Known] = field(default_factory=dict)
    quiet: bool = False
    """Whether what is written may neither draw nor observe, nor read what does."""

    def __post_init__(self) -> None:
        self.names = self.rng.sample(NAMES, 4)

    def visible(self, scope: Scope) -> dict[str, Known]:
        """The names that can be used at a place."""
        seen = {**INITIAL, **self.globals, **scope}
        return {name: known for name, known in seen.items() if known.certain or not self.quiet}

    def reading(self, kind: Kind, scope: Scope) -> list[str]:
        return [name for name, known in self.visible(scope).items() if known.kind == kind]

    def target(self, kind: Kind, taken: frozenset[str] = frozenset()) -> tuple[str, dict[str, Known]]:
        """A name or a pattern for a value, and what it binds; a pattern may name something twice."""
        free = [name for name in self.names if name not in taken]
        if isinstance(kind, tuple) and self.rng.random() < 0.7:
            return self.pattern(kind, taken)
        name = self.rng.choice(free) if free and self.rng.random() < 0.95 else "_"
        return name, {} if name == "_" else {name: Known(kind, self.quiet)}

    def pattern(self, kinds: tuple[Kind, ...], taken: frozenset[str]) -> tuple[str, dict[str, Known]]:
        pieces: list[str] = []
        found: dict[str, Known] = {}
        unique = bool(taken)
        for position, kind in enumerate(kinds):
            if self.rng.random() < 0.15:
                piece, more = self.target(INT, taken | (found.keys() if unique else set()))
                rest = {name: Known(kinds[position:], self.quiet) for name in more}
                return f"[{' '.join([*pieces, self.rng.choice('&.'), piece])}]", {**found, **rest}
            piece, more = self.target(kind, taken | (found.keys() if unique else set()))
            pieces.append(piece)
            found.update(more)
        free = [name for name in self.names if name not in {*taken, *found}]
        if free and self.rng.random() < 0.1:
            name = self.rng.choice(free)
            return f"[{' '.join(pieces)} :as {name}]", {**found, name: Known(kinds, self.quiet)}
        return f"[{' '.join(pieces)}]", found
