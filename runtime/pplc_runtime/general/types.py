"""Types of values in scalar code, and what two values that come together have in common.

Whole numbers, truths and references are whole numbers of 64 bits, reals are reals. A vector or list is a length and
its elements, all of one type. What differs in kind is a structure: a reference to a tag and fields. The fields of a
tag have the same types wherever it is made, so that structures of different tags come together without being made
anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias


class Untyped(Exception):
    """Something that has no type, or no code; with the node of the generated module where it is met."""

    def __init__(self, reason: str, node: Any = None) -> None:
        super().__init__(reason)
        self.node = node


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value of one word."""

    name: str

    def __str__(self) -> str:
        return self.name


NOTHING: Final = Scalar("nothing")
"""What is not known yet: a procedure that has not come back so far."""
WHOLE: Final = Scalar("whole number")
REAL: Final = Scalar("number")
TRUTH: Final = Scalar("truth")
TEXT: Final = Scalar("string")
SYMBOL: Final = Scalar("symbol")
NIL: Final = Scalar("nil")
TABLE: Final = Scalar("table of a restaurant")
"""A label of a crp where it is no number, but one of things that can be told apart (`node_code`)."""


@dataclass(frozen=True, slots=True)
class Vector:
    """A sequence of elements; `kind` is array, tuple or list, as plain values have it."""

    element: Type
    kind: str

    def __str__(self) -> str:
        kind, _, inner = str(self.element).partition(" of ")
        many = kind if self.element is NOTHING else f"{kind}s of {inner}" if inner else f"{kind}s"
        return f"{'list' if self.kind == 'list' else 'vector'} of {many}"


@dataclass(frozen=True, slots=True)
class Tag:
    """What tells structures apart: `proc` and the name of its function, `dist` or `process` and the family, `memo`,
    `tuple` with its types."""

    kind: str
    name: str
    detail: Any = None

    def __str__(self) -> str:
        return {"proc": "procedure", "memo": "memoised procedure", "dist": "distribution"}.get(self.kind, self.kind)


@dataclass(frozen=True, slots=True)
class Structure:
    """A reference to one of some tags with its fields."""

    tags: frozenset[Tag]

    def __str__(self) -> str:
        return " or ".join(sorted({str(tag) for tag in self.tags}))


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value or nil, which is a word that no value of the type is."""

    of: Type

    def __str__(self) -> str:
        return f"{self.of} or nil"


Type: TypeAlias = Scalar | Vector | Structure | Maybe

NUMBERS: Final = (WHOLE, REAL)
MOST_TAGS: Final = 64


def join(a: Type, b: Type) -> Type:
    """The type of a value that is of one of two types; `Untyped` if there is none."""
    if a == b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    if a in NUMBERS and b in NUMBERS:
        return REAL
    if NIL in (a, b) or isinstance(a, Maybe) or isinstance(b, Maybe):
        return Maybe(join(_present(a), _present(b)))
    match a, b:
        case Vector(first, kind), Vector(second, other):
            if kind != other and "list" in (kind, other):
                raise Untyped(f"one value may be a {a} or a {b}")
            return Vector(join(first, second), kind if kind == other else "array")
        case Structure(first_tags), Structure(second_tags):
            tags = first_tags | second_tags
            if len(tags) > MOST_TAGS or len({tag.kind for tag in tags}) > 1 or any(t.kind == "tuple" for t in tags):
                raise Untyped(f"one value may be a {a} or a {b}")
            return Structure(tags)
        case _:
            raise Untyped(f"one value may be a {a} or a {b}")


def _present(type_: Type) -> Type:
    """The type of a value that is not nil."""
    return type_.of if isinstance(type_, Maybe) else NOTHING if type_ == NIL else type_


def real_text(value: float) -> str:
    """A number as the middle language writes it."""
    if value != value:
        return "nan"
    return {float("inf"): "inf", float("-inf"): "(-inf)"}.get(value, repr(value))


def word(type_: Type) -> str:
    """How the middle language has a value."""
    return "float" if type_ == REAL or type_ == Maybe(REAL) else "int"


def depth(type_: Type) -> int:
    """How deep types are inside of types."""
    match type_:
        case Vector(element) | Maybe(element):
            return 1 + depth(element)
        case Structure(tags):
            return 1 + max((depth(part) for tag in tags if tag.kind == "tuple" for part in tag.detail), default=0)
        case _:
            return 0
