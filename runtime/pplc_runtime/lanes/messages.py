"""Values in messages: what one particle has, and what may have been meant.

    'sqrt' takes numbers, not "a"
    'sqrt' takes numbers, not the distribution <normal>; did you mean (sample ...)?

A value over lanes is shown as that of one lane of the running frame: the one that is wrong, where the caller knows
it, else the first. Lanes part where they disagree on more than numbers, so the first is as wrong as any.
"""

from __future__ import annotations

import numpy as np

from pplc_runtime.lanes.frames import here, run_in
from pplc_runtime.lanes.varying import Mix, holds_lanes, plain
from pplc_runtime.values import ModelError, Stochastic, Value, children, is_structure, shown


def in_one_lane(value: Value, lane: int = 0) -> Value:
    """What a value is in one lane of the running frame; looks inside of structures."""
    if not holds_lanes(value):
        return value
    frame = here.frame
    run_in(frame.part(np.array([lane])))
    try:
        return plain(value)
    finally:
        run_in(frame)


def given(value: Value, lane: int = 0) -> str:
    """A value as a message shows it."""
    return shown(in_one_lane(value, lane))


def refused(wanted: str, value: Value, lane: int = 0) -> ModelError:
    """The error where something else was wanted. A distribution is often a draw from it that was forgotten."""
    one = in_one_lane(value, lane)
    what = f"the {one.what} " if isinstance(one, Stochastic) else ""
    return ModelError(f"{wanted}, not {what}{shown(one)}{question(one)}")


def question(value: Value) -> str:
    """What may have been meant by a plain value that is, or has in it, a distribution or process."""
    found = stochastic_in(value)
    return "" if found is None else f"; did you mean {found.drawn}?"


def stochastic_in(value: Value) -> Stochastic | None:
    """The first distribution or process that a value is or has in it, with a stack of our own."""
    stack = [value]
    while stack:
        item = stack.pop()
        if is_structure(item):
            stack.extend(reversed(children(item)))
        elif type(item) is Mix:
            stack.extend(item.options[option] for option in np.unique(item.which.at(here.frame)))
        elif isinstance(item, Stochastic):
            return item
    return None


def reportable(label: Value, value: Value) -> tuple[Value, Value]:
    """What a predict reports: any value but a distribution or process, in which there is nothing to average."""
    found = stochastic_in(value)
    if found is not None:
        raise refused("a predict reports values", found)
    return label, value
