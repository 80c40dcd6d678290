"""Memory in LLVM IR: tables, and what LLVM is told of what is where."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

FIELD: Final = ", !tbaa !3"
ELEMENT: Final = ", !tbaa !4"
ARRAY: Final = ", !invariant.load !5"
APART: Final = (
    '!0 = !{!"memory"}', '!1 = !{!"field", !0}', '!2 = !{!"element", !0}', "!3 = !{!1, !1, i64 0}",
    "!4 = !{!2, !2, i64 0}", "!5 = !{}",
)  # fmt: skip
"""What LLVM is told: a field of a record is no element of an array, and which arrays a record has does not change."""


def table(name: str, values: NDArray[np.float64]) -> str:
    """An array as its bytes, which LLVM reads sooner than numbers."""
    content = values.tobytes()
    escaped = "\\" + content.hex("\\")
    return f'@{name} = internal constant [{len(content)} x i8] c"{escaped}", align 64'
