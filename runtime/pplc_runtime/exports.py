"""All that generated code may import, by name: `pplc_runtime` gives it when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import pplc_runtime.program.names as _names
from pplc_runtime.primitives import FAST as _FAST
from pplc_runtime.primitives import arithmetic as _arithmetic
from pplc_runtime.primitives import comparison as _comparison
from pplc_runtime.program.formulas import formula, raw
from pplc_runtime.program.steps import Assume, Input, Loop, Observe, Predict
from pplc_runtime.running.program import Program
from pplc_runtime.values import List, ModelError, Procedure, Symbol


def numbers(items: Sequence[Any] | str, shape: tuple[int, ...] | None = None) -> np.ndarray[Any, Any]:
    """A vector or matrix literal; a large one is given as text, with its shape."""
    if isinstance(items, str):
        words = items.split()
        is_real = "." in items or "e" in items
        array = np.array(list(map(float if is_real else int, words))).reshape(shape or -1)
    else:
        array = np.array(items)
    array.setflags(write=False)
    return array


for _name in _FAST.values():
    globals()[_name] = getattr(_arithmetic, _name, None) or getattr(_comparison, _name)
globals().update({_name: _function for _name, _function in _names.EXPORTS.items() if _name not in globals()})

__all__ = [
    "Assume", "Input", "List", "Loop", "ModelError", "Observe", "Predict", "Procedure", "Program", "Symbol", "formula",
    "numbers", "raw",
]  # fmt: skip
