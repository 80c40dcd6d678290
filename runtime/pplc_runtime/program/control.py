"""What generated code calls: branches, procedure calls, look-ups, samples and observes.

Each works for all lanes of the running frame. Where lanes disagree on which way to go, they part, and come
together again when both ways are done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Here, here
from pplc_runtime.lanes.messages import given, question
from pplc_runtime.lanes.varying import EXACT, Lane, Mix, by_option, grouped, join, part
from pplc_runtime.primitives.base import OPERATORS, Primitive
from pplc_runtime.primitives.comparison import is_true
from pplc_runtime.primitives.indexing import nth
from pplc_runtime.primitives.maps import get
from pplc_runtime.values import List, Map, Memo, ModelError, Procedure, Symbol, key_of

Thunk = Callable[[], Any]


# Truth and branches


def _truth(test: Any) -> Any:
    """True or False where the lanes agree, else an array of booleans: only false and nil are false."""
    kind = type(test)
    if kind is Lane:
        data = test.at(here.frame)
        if type(data) is bool:
            return data
        if type(data) is not np.ndarray or data.dtype.kind != "b":
            return True
    elif kind is Mix:
        which = test.which.at(here.frame)
        if type(which) is int:
            return _truth(test.options[which])
        data = np.zeros(here.frame.size, np.bool_)
        for option in np.unique(which):
            value = test.options[option]
            mask = which == option
            if type(value) is not Lane:
                data[mask] = is_true(value)
            elif value.data.dtype.kind == "b":
                data[mask] = np.asarray(value.at(here.frame.part(np.flatnonzero(mask))))
            else:
                data[mask] = True
    elif kind is int or kind is float:
        return True
    else:
        return is_true(test)
    count = np.count_nonzero(data)
    if count == len(data):
        return True
    return False if count == 0 else data


def agreed(test: Any) -> Any:
    """True or False where all lanes agree on a test; else the test itself, for `branch`."""
    if test is True or test is False:
        return here.handler.decided(test)
    truth = _truth(test)
    return here.handler.decided(truth) if type(truth) is bool else test


def branch(test: Any, then: Thunk, other: Thunk) -> Any:
    """The value of one of two thunks; lanes that disagree run both, each for its own."""
    if test is True or test is False:
        truth = test
    else:
        truth = _truth(test)
    truth = here.handler.decided(truth)
    if truth is True:
        return then()
    if truth is False:
        return other()
    groups = (np.flatnonzero(truth), np.flatnonzero(~truth))
    return part(groups, lambda number: other() if number else then())


def choose(test: Any, then: Any, other: Any) -> Any:
    """One of two values that are there already."""
    if test is True or test is False:
        truth = test
    else:
        truth = _truth(test)
    truth = here.handler.decided(truth)
    if truth is True:
        return then
    if truth is False:
        return other
    frame = here.frame
    kind, alternative = type(then), type(other)
    if (kind is float or (kind is int and -EXACT <= then <= EXACT)) and (
        alternative is float or (alternative is int and -EXACT <= other <= EXACT)
    ):
        return Lane(np.where(truth, then, other), frame)
    return join(frame, [(frame.part(np.flatnonzero(truth)), then), (frame.part(np.flatnonzero(~truth)), other)])


# Calls


def call(at: At, operator: Any, *arguments: Any) -> Any:
    """Call whatever an operator turned out to be."""
    kind = type(operator)
    if kind is Memo:
        if len(arguments) == 1:
            argument = arguments[0]
            if type(argument) is int:
                return here.handler.entry(operator, operator.at[argument], arguments)
        return recall(operator, arguments)
    if kind is Procedure:
        own = operator.parameters
        given = len(arguments)
        if operator.variadic:
            if given >= own:
                rest = List(arguments[own:])
                return operator.code(at, *arguments[:own], rest, *operator.parts)
        elif given == own:
            return operator.code(at, *arguments, *operator.parts)
        least = "at least " if operator.variadic else ""
        raise ModelError(
            f"'{operator.name}' takes {least}{own} argument{'' if own == 1 else 's'}, but {given} "
            f"{'is' if given == 1 else 'are'} given"
        )
    if kind is Primitive:
        return _call_primitive(at, operator, arguments)
    if kind is Mix:
        return by_option(operator, lambda option: call(at, option, *arguments))
    if kind is Map and len(arguments) in (1, 2):
        return get(operator, *arguments)
    if kind is Symbol and operator.name.startswith(":") and len(arguments) in (1, 2):
        return get(arguments[0], operator, *arguments[1:])
    if len(arguments) == 1 and (kind in (tuple, np.ndarray) or (kind is Lane and operator.data.ndim > 1)):
        return nth(operator, arguments[0])
    if hasattr(operator, "at_point"):
        return operator.at_point(arguments)
    raise uncallable(operator, arguments)


def uncallable(operator: Any, arguments: Sequence[Any]) -> ModelError:
    """The error of a call of something that is no procedure; it may be the first of two around an operator."""
    first = arguments[0] if len(arguments) == 2 else None
    if isinstance(first, Primitive) and first.name in OPERATORS:
        asked = f"; an operator comes first: ({first.name} a b)"
    else:
        asked = question(operator)
    return ModelError(f"{given(operator)} is not a procedure and cannot be called{asked}")


def _call_primitive(at: At, operator: Primitive, arguments: tuple[Any, ...]) -> Any:
    check_arity(operator, len(arguments))
    return operator.function(at, *arguments) if operator.addressed else operator.function(*arguments)


def check_arity(operator: Primitive, given: int) -> None:
    """An error if a primitive does not take so many arguments."""
    if given < operator.least or (operator.most is not None and given > operator.most):
        raise ModelError(f"'{operator.name}' cannot take {given} argument{'' if given == 1 else 's'}")


def recall(memo: Memo, arguments: tuple[Any, ...]) -> Any:
    """The value of a memoised call: the same for the same arguments, wherever it is asked for."""
    if len(arguments) == 1:
        argument = arguments[0]
        kind = type(argument)
        if kind is str:
            return here.handler.entry(memo, memo.at[argument], arguments)
        if kind is Lane and argument.data.ndim == 1 and argument.data.dtype.kind == "i":
            return here.handler.entries(memo, argument)
    return grouped(arguments, lambda values: here.handler.entry(memo, entry_address(memo, values), values))


def entry_address(memo: Memo, values: tuple[Any, ...]) -> At:
    """The address of the entry for plain arguments."""
    at: At = memo.at[key_of(values[0]) if len(values) == 1 else ("arguments", *map(key_of, values))]
    return at


def mem(at: At, procedure: Any) -> Any:
    """A memoised procedure."""
    kind = type(procedure)
    if kind is Mix:
        return by_option(procedure, lambda option: mem(at, option))
    if kind is not Procedure and kind is not Primitive and kind is not Memo:
        raise ModelError(f"mem takes a procedure, not {given(procedure)}")
    return Memo(at, procedure)


def mem_by_lane(at: At, procedure: Procedure) -> Memo:
    """A memoised procedure that only computes and draws."""
    return Memo(at, procedure, by_lane=True)


# What the handler answers


def read(name: str) -> Any:
    """The value of a global."""
    return here.handler.read(name)


def sample(at: At, source: Any) -> Any:
    """A draw."""
    return here.handler.sample(at, source)


def observe(at: At, source: Any, value: Any) -> Any:
    """Weight the execution by the density of a value, which is also the result."""
    return here.handler.observe(at, source, value)


class Idle:
    """The handler when nothing runs: it lets every branch be, and no lane dies."""

    deaths = 0
    formulas: dict[Any, Any] | None = None
    call: Callable[..., Any] = staticmethod(call)

    def decided(self, truth: Any) -> Any:
        return truth

    def bury(self) -> None:
        pass

    def read(self, name: str) -> Any:
        raise RuntimeError("nothing is running")

    def sample(self, at: At, source: Any) -> Any:
        raise RuntimeError("nothing is running")

    def observe(self, at: At, source: Any, value: Any) -> Any:
        raise RuntimeError("nothing is running")

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        raise RuntimeError("nothing is running")

    def entries(self, memo: Memo, argument: Any) -> Any:
        raise RuntimeError("nothing is running")

    def nested(self, query: Any, settings: Any) -> Any:
        raise RuntimeError("nothing is running")


Here.handler = Idle()
