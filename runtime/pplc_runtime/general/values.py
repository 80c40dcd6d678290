"""Values in the code of a program, and constants as words in the arena."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pplc_runtime.general.types import (
    NIL,
    NOTHING,
    REAL,
    SYMBOL,
    TEXT,
    TRUTH,
    WHOLE,
    Structure,
    Tag,
    Type,
    Untyped,
    Vector,
    join,
)
from pplc_runtime.numerics.keys import number_of
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.program.gaussian_process import GaussianProcess, Point
from pplc_runtime.program.stochastic import Dist, ProcessInstance
from pplc_runtime.values import List, Memo, Procedure, Symbol

if TYPE_CHECKING:
    from pplc_runtime.general.program import Whole

VARIABLE: Final = object()
"""In place of a constant: a value that is known when the program runs."""
LARGEST: Final = 1 << 53
_MASK: Final = (1 << 64) - 1
ZEROS: Final = 8
"""So many words at the beginning of the arena are always zero: what is nowhere, at 0, is empty. Behind them are those
that nobody reads."""
FUNCTION: Final = Tag("gp", "gp")
POINT: Final = Tag("point", "gp")
"""A Gaussian process, and its value at a point."""


@dataclass(frozen=True, slots=True)
class Val:
    """A value: its type, and the expression that it is in the middle language; a constant is a plain value. A structure
    that nobody has needed as a word yet has `parts`, the fields of its one tag."""

    type: Type
    code: str = ""
    constant: Any = VARIABLE
    parts: tuple[Val, ...] | None = None

    @property
    def is_constant(self) -> bool:
        return self.constant is not VARIABLE

    @property
    def tag(self) -> Tag:
        assert isinstance(self.type, Structure) and len(self.type.tags) == 1
        return next(iter(self.type.tags))


def _bits(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


def type_of(value: Any, whole: Whole) -> Type:
    """The type of a plain value."""
    kind = type(value)
    if kind is bool:
        return TRUTH
    if kind is int:
        if abs(value) > LARGEST:
            raise Untyped("a whole number beyond 2^53")
        return WHOLE
    if kind is float:
        return REAL
    if kind is str:
        return TEXT
    if kind is Symbol:
        return SYMBOL
    if value is None:
        return NIL
    if kind is np.ndarray and value.dtype.kind in "if":
        element: Type = WHOLE if value.dtype.kind == "i" else REAL
        for _ in range(value.ndim):
            element = Vector(element, "array")
        return element
    if kind is tuple or kind is List:
        element = NOTHING
        try:
            for item in value:
                element = join(element, type_of(item, whole))
        except Untyped:
            if kind is List:
                raise
            return Structure(frozenset({Tag("tuple", "", tuple(type_of(item, whole) for item in value))}))
        return Vector(element, "list" if kind is List else "tuple")
    found = fields_of(value, whole)
    return Structure(frozenset({found[0]}))


def fields_of(value: Any, whole: Whole) -> tuple[Tag, tuple[Any, ...]]:
    """The tag and the fields of a plain structure; addresses are `Hash`."""
    match value:
        case Procedure():
            if value.variadic:
                whole.variadic.add(whole.function_name(value.code))
            return Tag("proc", whole.function_name(value.code)), value.parts
        case Memo(procedure=Procedure(variadic=False) as inner):
            place = Hash(whole.place_of(value.at.hash, 2))
            return Tag("memo", whole.function_name(inner.code)), (Hash(value.at.hash), place, *inner.parts)
        case Dist():
            return Tag("dist", value.family.name), value.parts
        case ProcessInstance():
            tag = process_tag(value.family)
            return tag, (Hash(whole.place_of(value.at.hash)), *value.parts)
        case GaussianProcess():
            return FUNCTION, (Hash(whole.place_of(value.at.hash)), *value.parts)
        case Point():
            return POINT, (Hash(whole.place_of(value.at.hash)), *value.parts)
        case Primitive():
            return Tag("primitive", value.name), ()
    raise Untyped(f"a value of the kind {type(value).__name__}")


def process_tag(family: Any) -> Tag:
    """The tag of a process; one whose base is a family has it in its name."""
    base = getattr(family, "base", None)
    name = type(family).__name__ if base is None else f"dp {base.name}"
    return Tag("process", name)


@dataclass(frozen=True, slots=True)
class Hash:
    """The hash of an address, or a place among the globals, as a field."""

    value: int


class Constants:
    """Constants as words, from the beginning of the arena on."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole
        self.words: list[int] = [0] * (ZEROS + 64)
        self.places: dict[Any, int] = {}
        self.kept: list[Any] = []
        self.texts: dict[Any, int] = {}

    def text(self, value: str | Symbol) -> int:
        """The number of a string or symbol."""
        key = (type(value), str(value))
        return self.texts.setdefault(key, len(self.texts))

    def text_hashes(self) -> list[int]:
        return [number_of(text if kind is str else Symbol(text)) or 0 for kind, text in self.texts]

    def word(self, value: Any, type_: Type) -> int:
        """A constant as a word."""
        if isinstance(value, Hash):
            return value.value
        match type_:
            case Vector(element):
                return self.place(value, type_, lambda: [len(value), *(self.word(_plain(v), element) for v in value)])
            case Structure():
                tag, fields = self.whole.tag_of(value, type_)
                types = self.whole.field_types[tag]
                number = self.whole.tag_number(tag)
                return self.place(value, tag, lambda: [number, *map(self.word, fields, types)])
        if type_ == REAL:
            return _bits(float(value))
        if type_ in (TEXT, SYMBOL):
            return self.text(value)
        return 0 if value is None else int(value) & _MASK

    def place(self, value: Any, form: Any, words: Callable[[], list[int]]) -> int:
        """Where the words of a constant are; the same constant is there once."""
        key = (id(value), form)
        if key not in self.places:
            self.kept.append(value)
            made = words()
            self.places[key] = len(self.words)
            self.words += made
        return self.places[key]

    def rows(self, words: list[int]) -> int:
        """Some words in a row."""
        start = len(self.words)
        self.words += words
        return start


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
