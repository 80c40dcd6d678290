"""Whether a cell came out the same: equal in every lane, looking inside of structures and closures."""

from __future__ import annotations

from typing import Any

import numpy as np

from pplc_runtime.engine.cells import Partial
from pplc_runtime.lanes.frames import Frame
from pplc_runtime.lanes.varying import Lane, Mix
from pplc_runtime.values import Compound, aligned, children, is_structure


def same(new: Any, old: Any, frame: Frame) -> bool:
    """True only if no lane of the frame can tell the two values apart."""
    if new is old:
        return True
    kind, other = type(new), type(old)
    if kind is Lane and frame.size > 1 and other is float and new.data.ndim == 1:
        a = new.at(frame)
        return a[-1] == old and bool((a == old).all())
    if kind is Lane and frame.size > 1 and other is Lane and new.data.ndim == 1 == old.data.ndim:
        a, b = new.at(frame), old.at(frame)
        return a[-1] == b[-1] and bool((a == b).all())
    if kind is Lane and frame.size > 1 and other is np.ndarray and new.data.ndim == 2:
        a = new.at(frame)
        return len(a) == len(old) and a[0, -1] == old[0] and bool((a == old[:, None]).all())
    if kind is Lane or other is Lane:
        a = new.at(frame) if kind is Lane else new
        b = old.at(frame) if other is Lane else old
        if kind is not Lane and kind not in (int, float, bool, np.ndarray):
            return False
        if other is not Lane and other not in (int, float, bool, np.ndarray):
            return False
        if kind is np.ndarray or other is np.ndarray:
            # One lane's vector against a shared one has no lane axis on one side.
            a, b = (a[..., None] if kind is np.ndarray else a), (b[..., None] if other is np.ndarray else b)
        return bool(np.all(a == b)) if np.ndim(a) <= 2 or np.shape(a) == np.shape(b) else False
    if kind is not other:
        return False
    if kind in (int, float, bool, str):
        return bool(new == old)
    if kind is np.ndarray:
        return np.array_equal(new, old)
    if kind is Partial:
        return same(new.present, old.present, frame) and same(new.value, old.value, frame)
    if kind is Mix:
        return same(new.which, old.which, frame) and same(tuple(new.options), tuple(old.options), frame)
    if is_structure(new) or isinstance(new, Compound):
        items = aligned(old, new)
        return items is not None and all(same(a, b, frame) for a, b in zip(children(new), items))
    return bool(new == old)
