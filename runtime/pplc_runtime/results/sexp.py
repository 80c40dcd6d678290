"""Values as S-expressions: text that the reader reads back to the same value.

    (1.5, List((True, None)), Map of :a to "b")    is written    [1.5 (true nil) {:a "b"}]

What no literal stands for is written as Clojure does, `##Inf`, `##-Inf` and `##NaN`, which read as names.
"""

from __future__ import annotations

import re
from itertools import chain
from math import isfinite, isnan
from typing import Any, Final

import numpy as np

from pplc_runtime.values import List, Map, Symbol

_ESCAPED: Final = re.compile(r'["\\\x00-\x1f\x7f-\x9f\ud800-\udfff]')
_LETTERS: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_OPENERS: Final = {tuple: "[", List: "(", Map: "{"}


def write_value(value: Any) -> str:
    """The text of a plain value; a TypeError for anything else, such as a procedure."""
    from sexpdata import Brackets, Parens, dumps

    def bracketed(opener: str, texts: list[str]) -> str:
        # Texts that are written already pass through dumps as symbols do.
        text: str = dumps((Brackets if opener == "[" else Parens)(texts), str_as="symbol")
        return "{" + text[1:-1] + "}" if opener == "{" else text

    # Containers whose items are being written, on a list of our own: values nest deeper than Python's stack.
    open_: list[tuple[str, Any, list[str]]] = [("", iter((value,)), [])]
    while True:
        opener, rest, texts = open_[-1]
        for item in rest:
            plain = item.tolist() if isinstance(item, np.ndarray | np.generic) else item
            kind = tuple if type(plain) is list else type(plain)
            if kind in _OPENERS:
                parts = chain.from_iterable(plain.items()) if kind is Map else iter(plain)
                open_.append((_OPENERS[kind], parts, []))
                break
            texts.append(_leaf(plain))
        else:
            open_.pop()
            if not open_:
                return texts[0]
            open_[-1][2].append(bracketed(opener, texts))


def _leaf(value: Any) -> str:
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if isfinite(value):
            return repr(value)
        return "##NaN" if isnan(value) else "##Inf" if value > 0 else "##-Inf"
    if isinstance(value, Symbol):
        return value.name
    if isinstance(value, str):
        return '"' + _ESCAPED.sub(_escape, value) + '"'
    raise TypeError(f"a {type(value).__name__} cannot be written as an S-expression")


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return _LETTERS.get(character) or f"\\u{ord(character):04X}"
