"""Plain values of the language, what is inside of them, and how messages show them."""

from pplc_runtime.values.plain import (
    Compound,
    Impossible,
    List,
    Map,
    Memo,
    ModelError,
    Place,
    Procedure,
    Stochastic,
    Symbol,
    Value,
    exact_key,
    key_of,
)
from pplc_runtime.values.text import digits, shown
from pplc_runtime.values.walk import aligned, children, inside, is_structure, rebuild

__all__ = [
    "Compound",
    "Impossible",
    "List",
    "Map",
    "Memo",
    "ModelError",
    "Place",
    "Procedure",
    "Stochastic",
    "Symbol",
    "Value",
    "aligned",
    "children",
    "digits",
    "exact_key",
    "inside",
    "is_structure",
    "key_of",
    "rebuild",
    "shown",
]
