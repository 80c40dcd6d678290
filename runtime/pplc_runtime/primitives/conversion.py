"""Numbers brought to one storage, elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.varying import Lane, one_by_one
from pplc_runtime.primitives.arguments import settled
from pplc_runtime.primitives.arrays import STRUCTURES, has_mix, numeric, without_mix
from pplc_runtime.values import ModelError, Value, shown


@settled()
def to_integer(value: Value) -> Value:
    """(int x): without what comes after the point."""
    if type(value) in STRUCTURES and has_mix(value):
        return without_mix(value, to_integer)
    value = numeric(value, "int")
    if type(value) is int:
        return value
    if type(value) is float:
        if not math.isfinite(value):
            raise ModelError(f"'int' of {shown(value)}, which is not finite")
        return math.trunc(value)
    data = value.at(here.frame) if type(value) is Lane else value
    if data.dtype.kind == "f" and not np.all(np.abs(data) < 2.0**63):
        if value is not data and value.rank == 0:
            return one_by_one(lambda: to_integer(value.at(here.frame)))
        bad = data[~(np.abs(data) < 2.0**63)].flat[0].item()
        raise ModelError(f"'int' of {shown(bad)}, which no vector of integers holds")
    return _stored(value, np.trunc(data).astype(np.int64) if data.dtype.kind == "f" else data)


@settled()
def to_float(value: Value) -> Value:
    """(float x) or (double x)."""
    if type(value) in STRUCTURES and has_mix(value):
        return without_mix(value, to_float)
    value = numeric(value, "float")
    if type(value) is int or type(value) is float:
        try:
            return float(value)
        except OverflowError:
            raise ModelError(f"'float' of {shown(value)}, which is too large") from None
    return _stored(value, (value.at(here.frame) if type(value) is Lane else value).astype(np.float64))


def _stored(value: Value, data: Any) -> Value:
    if type(value) is Lane:
        return Lane(data, here.frame)
    data.setflags(write=False)
    return data
