"""Shapes: which statements differ only in their literals, so that they are compiled once.

    [observe (normal (x 1) 1.) 2.1]      shape: observe (normal (x %1) %2) %3
    [observe (normal (x 2) 1.) 0.6]      rows:  (1, 1.0, 2.1), (2, 1.0, 0.6)

A literal vector of numbers counts as one literal, whatever its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from pplc.languages import core
from pplc.languages.forms import Atom, Form, Group, Name

SHAREABLE: Final = ("observe", "factor", "condition", "predict")
MOST_AXES: Final = 30
"""What numpy allows, with room for the axis of the lanes."""


def literal_of(form: Group, depth: int = 1) -> Any:
    """The array of a vector or matrix literal made of numbers alone; None for any other form."""
    if not form.items or depth > MOST_AXES:
        return None
    rows: list[Any] = []
    numeric = True
    for item in form.items:
        if type(item) is Atom:
            if type(item.value) is not float and type(item.value) is not int:
                return None
            rows.append(item.value)
        elif type(item) is Group and item.bracket == "[":
            numeric = False
            row = literal_of(item, depth + 1)
            if row is None:
                return None
            rows.append(row)
        else:
            return None
    if not numeric and (any(not isinstance(row, np.ndarray) for row in rows) or len({row.shape for row in rows}) > 1):
        return None
    try:
        array = np.array(rows)
    except OverflowError:
        return None
    if array.dtype.kind not in "if":
        return None  # an integer that no machine word holds
    array.setflags(write=False)
    return array


@dataclass(slots=True)
class Shape:
    """A statement with its literals taken out."""

    number: int
    template: Form
    literals: tuple[str, ...]
    labelled: bool
    statement: core.ObserveStatement | core.PredictStatement | None = None
    changes: int = 0
    """How often names had come to mean other variables when the statement was expanded."""


@dataclass(slots=True)
class Shapes:
    """The shapes that occur more than once among the statements of a program."""

    forms: Iterable[Form]
    _keys: dict[int, str] = field(default_factory=dict)
    _shapes: dict[str, Shape] = field(default_factory=dict)

    def __post_init__(self) -> None:
        counts: dict[str, int] = {}
        for form in self.forms:
            if _shareable(form):
                key = _key(form)
                self._keys[form.start] = key
                counts[key] = counts.get(key, 0) + 1
        for form in self.forms:
            known = self._keys.get(form.start)
            if known is not None and counts[known] > 1 and known not in self._shapes:
                self._shapes[known] = _shape(len(self._shapes) + 1, form)

    def shape_of(self, form: Form) -> Shape | None:
        """The shape of a top-level statement, if others share it."""
        key = self._keys.get(form.start)
        return None if key is None else self._shapes.get(key)

    def row(self, form: Form, shape: Shape, label: Callable[[Form], str]) -> tuple[Any, ...]:
        """The literals of a statement of this shape, its label last if it has one by default."""
        values = [value for value, _ in _literals(form)]
        if shape.labelled:
            assert isinstance(form, Group)
            values.append(label(form.items[1]))
        return tuple(values)


def _shareable(form: Form) -> bool:
    return (
        isinstance(form, Group)
        and len(form.items) in (2, 3)
        and isinstance(form.items[0], Name)
        and form.items[0].text in SHAREABLE
    )


def _is_fixed(form: Form) -> bool:
    """Data that are part of the program's text, not literals that a row may hold."""
    return (
        isinstance(form, Group)
        and bool(form.items)
        and isinstance(form.items[0], Name)
        and form.items[0].text in ("quote", "case")
    )


def _literals(form: Form) -> list[tuple[Any, Form]]:
    found: list[tuple[Any, Form]] = []
    stack: list[Form] = [form]
    while stack:
        item = stack.pop()
        if type(item) is Atom:
            found.append((item.value, item))
        elif type(item) is Group and not _is_fixed(item):
            array = literal_of(item) if item.bracket == "[" else None
            if array is not None:
                found.append((array, item))
            else:
                stack.extend(reversed(item.items))
    return found


def _key(form: Form) -> str:
    """Equal for statements of one shape."""
    pieces: list[str] = []
    stack: list[tuple[Form | str, bool]] = [(form, False)]
    while stack:
        item, fixed = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Name):
            pieces.append(item.text)
        elif isinstance(item, Atom):
            pieces.append(f"{item.value!r}" if fixed else "0")  # no name can start like a number
        elif item.bracket == "[" and not fixed and literal_of(item) is not None:
            pieces.append("0")
        else:
            pieces.append(item.bracket)
            fixed = fixed or _is_fixed(item)
            stack.append((")", fixed))
            stack.extend([(inner, fixed) for inner in reversed(item.items)])
    return " ".join(pieces)


def _shape(number: int, form: Form) -> Shape:
    names: dict[tuple[int, int], str] = {}
    for position, (_, item) in enumerate(_literals(form), 1):
        names[item.start, item.end] = f"literal%{position}"

    def template(item: Form) -> Form:
        name = names.get((item.start, item.end)) if not isinstance(item, Name) else None
        if name is not None:
            return Name(name, item.start, item.end)
        if isinstance(item, Group) and not _is_fixed(item):
            return Group(item.bracket, tuple([template(i) for i in item.items]), item.start, item.end)
        return item

    assert isinstance(form, Group)
    literals = tuple(names.values())
    items = tuple([template(item) for item in form.items])
    labelled = isinstance(form.items[0], Name) and form.items[0].text == "predict" and len(items) == 2
    if labelled:
        items = (items[0], Name("label%", form.start, form.end), items[1])
        literals = (*literals, "label%")
    return Shape(number, Group(form.bracket, items, form.start, form.end), literals, labelled)
