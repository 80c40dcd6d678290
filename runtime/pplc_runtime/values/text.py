"""Plain values in messages."""

from __future__ import annotations

import numpy as np

from pplc_runtime.values.plain import List, Map, Symbol, Value


def digits(value: int) -> str:
    """All digits of an integer, also where Python's own writing gives up."""
    try:
        return int.__repr__(value)
    except ValueError:
        from decimal import Decimal  # seldom needed

        return format(Decimal(value), "f")


def shown(value: Value) -> str:
    """A plain value in a message: short, and as the language writes it. Others go through `messages.given`."""
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case str():
            text = f'"{value}"'
        case int():
            text = digits(value)
        case float() | Symbol():
            text = str(value)
        case np.ndarray():
            text = "[" + " ".join(map(shown, value[:4])) + (" ..." if len(value) > 4 else "") + "]"
        case List():
            text = "(" + " ".join(map(shown, value[:4])) + (" ..." if len(value) > 4 else "") + ")"
        case tuple():
            text = "[" + " ".join(map(shown, value[:4])) + (" ..." if len(value) > 4 else "") + "]"
        case Map():
            text = "a map"
        case np.generic():
            return shown(value.item())
        case _:
            text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
