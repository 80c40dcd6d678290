"""Plain values of the language, what is inside of them, and how messages show them."""

from pplc_runtime.values.plain import (
    Impossible,
    List,
    Map,
    Memo,
    ModelError,
    Place,
    Procedure,
    Stochastic,
    Symbol,
    exact_key,
    key_of,
)
from pplc_runtime.values.text import digits, shown

__all__ = [
    "Impossible", "List", "Map", "Memo", "ModelError", "Place", "Procedure", "Stochastic", "Symbol", "digits",
    "exact_key", "key_of", "shown",
]  # fmt: skip
