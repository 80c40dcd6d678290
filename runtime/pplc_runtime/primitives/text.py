"""Text: how values are written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np

from pplc_runtime.lanes.varying import grouped
from pplc_runtime.values import List, Map, ModelError, Value


def text_of(*items: Value) -> Value:
    """(str x ...): the texts of values, one after the other; that of nil is empty."""
    return grouped(items, lambda plain: joined(["" if item is None else _text(item) for item in plain]))


MOST_CHARACTERS: Final = 100_000_000


def joined(texts: Sequence[str], between: str = "") -> str:
    """Texts one after the other, unless they are too long together."""
    if sum(map(len, texts)) + len(between) * len(texts) > MOST_CHARACTERS:
        raise ModelError(f"a text of more than {MOST_CHARACTERS} characters")
    return between.join(texts)


def _text(value: Value) -> str:
    return value if type(value) is str else written(value)


_LARGE = 1e16
"""From here on Python writes floats with an exponent."""
_BRACKETS = {List: "()", tuple: "[]", np.ndarray: "[]", Map: "{}"}


def written(value: Value) -> str:
    """A plain value as the language writes it, with a stack of our own: values nest deeper than Python's."""
    pieces: list[str] = []
    open_: list[tuple[Iterator[Value], str]] = [(iter((value,)), "")]
    while open_:
        items, closing = open_[-1]
        for item in items:
            if pieces and pieces[-1] not in ("(", "[", "{"):
                pieces.append(" ")
            brackets = _BRACKETS.get(type(item))
            if brackets is None:
                pieces.append(_leaf(item))
                continue
            inside = chain.from_iterable(item.items()) if type(item) is Map else iter(item)
            pieces.append(brackets[0])
            open_.append((inside, brackets[1]))
            break
        else:
            pieces.append(closing)
            open_.pop()
    return "".join(pieces)


def _leaf(value: Value) -> str:
    if value is None:
        return "nil"
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is str:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if type(value) is float:
        if not math.isfinite(value):
            return "##NaN" if math.isnan(value) else ("##Inf" if value > 0 else "##-Inf")
        if value.is_integer() and abs(value) < _LARGE:  # the same number as the integer, so the same text
            value = int(value)
    try:
        return str(value)
    except ValueError:  # Python writes integers of some thousand digits only
        raise ModelError("'str' of a number that is too large") from None
