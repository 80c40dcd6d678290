"""The words of LLVM IR: types, operators, constants, and what LLVM is told of memory."""

from __future__ import annotations

import ast
import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

TYPES: Final = {"int": "i64", "float": "double", "bool": "i1", "floats": "ptr", "ints": "ptr", "four": "<4 x double>"}
REAL_OPERATORS: Final[dict[type[ast.operator], str]] = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
WHOLE_OPERATORS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "udiv", ast.Mod: "urem",
    ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "lshr",
}  # fmt: skip
REAL_ORDER: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "olt", ast.LtE: "ole", ast.Gt: "ogt", ast.GtE: "oge", ast.Eq: "oeq", ast.NotEq: "une",
}  # fmt: skip
WHOLE_ORDER: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "slt", ast.LtE: "sle", ast.Gt: "sgt", ast.GtE: "sge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip

FIELD: Final = ", !tbaa !3"
ELEMENT: Final = ", !tbaa !4"
ARRAY: Final = ", !invariant.load !5"
INLINED: Final = " alwaysinline"
TOGETHER: Final = ", !llvm.loop !6"
"""Of the calls in a loop that is run for four numbers at once, and of its end."""
APART: Final = (
    '!0 = !{!"memory"}', '!1 = !{!"field", !0}', '!2 = !{!"element", !0}', "!3 = !{!1, !1, i64 0}",
    "!4 = !{!2, !2, i64 0}", "!5 = !{}", "!6 = distinct !{!6, !7, !8}",
    '!7 = !{!"llvm.loop.vectorize.enable", i1 true}', '!8 = !{!"llvm.loop.vectorize.width", i32 4}',
)  # fmt: skip
"""What LLVM is told: a field of a record is no element of an array, and which arrays a record has does not change.
Last, what `TOGETHER` refers to."""


def table(name: str, values: NDArray[np.float64]) -> str:
    """An array as its bytes, which LLVM reads sooner than numbers."""
    content = values.tobytes()
    escaped = "\\" + content.hex("\\")
    return f'@{name} = internal constant [{len(content)} x i8] c"{escaped}", align 64'


def real(value: float) -> str:
    return "0x" + struct.pack(">d", value).hex().upper()
