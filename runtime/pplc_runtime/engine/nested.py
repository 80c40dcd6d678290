"""Nested inference in the lane engine: the distribution of what a procedure gives, given its observes.

A query is run by a handler of its own, in one lane or in lanes of its own. What it reads of the program around it, it
is given by the handler of that program: globals, and entries of memos that were made outside, which are random
variables out there whoever asks for them. So the table that comes out is a function of those and of what the query
closes over, and is kept for when they come again. Particles have always the same random numbers, so that this holds for
them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from pplc_runtime.engine.enumeration import Choices, Exhaustive
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.numbers import ANCESTORS, Chance, Stream
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.messages import given
from pplc_runtime.lanes.varying import Dead, Mix, by_option, by_value, holds_lanes, one_by_one, per_lane, plain, varies
from pplc_runtime.numerics.resampling import multinomial
from pplc_runtime.primitives.base import Primitive
from pplc_runtime.program.conditional import IMPOSSIBLE, MOST_EXECUTIONS, NO_PROCESS, TOO_MANY, Inner, endless
from pplc_runtime.program.constructors import categorical
from pplc_runtime.program.control import call, recall
from pplc_runtime.program.stochastic import Derived, Dirac, Dist, ProcessInstance
from pplc_runtime.values import List, Map, Memo, ModelError, Procedure, exact_key, key_of

MOST_TABLES: Final = 10_000
"""Queries of one code, by what they close over, whose tables are kept."""
MOST_ALIKE: Final = 64
"""Tables that are kept of each, by what they read: the last ones."""


NOT_OUTSIDE: Final = "conditional: a query may not use a process that was made outside of it"


class _Differs(Exception):  # not an error: each lane has its own table
    """Lanes have different values for what a query reads."""


class _Ended(Exception):  # not an error: it is not the query that has ended, but the program around it
    """Every lane that asks has got weight zero on the way to an answer."""

    def __init__(self, handler: Forward) -> None:
        super().__init__()
        self.handler = handler


@dataclass(slots=True)
class _Known:
    """A table, and what the query had read when it was made, in order: who was asked, and the key of the answer."""

    table: Any
    reads: list[tuple[Callable[[Outside], Any], Any]] = field(default_factory=list)

    def holds(self, outside: Outside) -> bool:
        """Whether the query would read the same again; each is asked for only if those before it were the same."""
        return all(_deep_key(outside.ask(partial(read, outside))) == answer for read, answer in self.reads)


_tables: WeakKeyDictionary[Any, dict[Any, list[_Known]]] = WeakKeyDictionary()
"""The tables of each query, by its code."""


class Outside:
    """The program around a query: its handler, and the lanes that ask."""

    def __init__(self, handler: Forward, frame: Frame) -> None:
        self.handler = handler
        self.frame = frame

    def ask(self, work: Callable[[], Any]) -> Any:
        """A plain value from out there, the same in all lanes that ask; some of these may end on the way."""
        frame, handler = here.frame, here.handler
        run_in(self.frame, self.handler)
        try:
            value = work()
            self.frame = here.frame
            if self.frame.size == 1:
                return plain(value)
            if varies(value) or holds_lanes(value):
                raise _Differs
            return value
        except Dead:
            raise _Ended(self.handler) from None
        finally:
            run_in(frame, handler)


def nested(handler: Forward, query: Any, settings: Inner) -> Any:
    """The distribution of a query, over the lanes of the running frame."""
    if type(query) is Mix:
        return by_option(query, lambda option: nested(handler, option, settings))
    if type(query) not in (Procedure, Memo, Primitive):
        raise ModelError(f"conditional: the query must be a procedure without arguments, not {given(query)}")
    try:
        if not holds_lanes(query):
            outside = Outside(handler, here.frame)
            try:
                return _table(query, settings, outside)
            except _Differs:
                pass
            finally:
                run_in(outside.frame)
        return one_by_one(lambda: _of_one_lane(handler, query, settings))
    except _Ended as ended:
        if ended.handler is handler:
            raise Dead from None
        raise


def _of_one_lane(handler: Forward, query: Any, settings: Inner) -> Any:
    try:
        return _table(plain(query), settings, Outside(handler, here.frame))
    except _Ended as ended:
        if ended.handler is handler:
            raise Dead from None
        raise


def _table(query: Any, settings: Inner, outside: Outside) -> Any:
    """The distribution, known from before or found now."""
    key = (settings, _deep_key(query))
    code = query.code if type(query) is Procedure else type(query)
    known = _tables.setdefault(code, {})
    for each in known.get(key, ()):
        if each.holds(outside):
            return each.table
    found = _Known(None)
    frame, handler = here.frame, here.handler
    try:
        if settings.particles is None:
            found.table = _enumerated(query, outside, found)
        else:
            found.table = _weighed(query, settings, outside, found)
    finally:
        run_in(frame, handler)
    if len(known) >= MOST_TABLES:
        known.clear()
    known[key] = [found, *known.get(key, ())][:MOST_ALIKE]
    return found.table


def _deep_key(value: Any) -> Any:
    """A hashable stand-in that tells procedures apart also by what they close over."""
    kind = type(value)
    if kind is Procedure:
        return (kind, value.code, *map(_deep_key, value.parts))
    if kind is Memo:
        return (kind, value.at, _deep_key(value.procedure))
    if kind is tuple or kind is List:
        return (kind, *map(_deep_key, value))
    if kind is Map:
        return (kind, *((_deep_key(k), _deep_key(v)) for k, v in value.items()))
    if isinstance(value, Dist | Derived | Dirac):
        return (kind, getattr(value, "family", None), *map(_deep_key, value.parts))
    if kind is Primitive:
        return (kind, value.name)
    if hasattr(value, "at"):  # a process, which the query may not use
        return (kind, value.at)
    return exact_key(value)


class Query(Forward):
    """Runs a query; what is outside of it is asked there, and noted."""

    def __init__(self, chance: Chance, outside: Outside, found: _Known) -> None:
        super().__init__(chance, {})
        self.root = At()
        self.outside = outside
        self.found = found
        self.asked: dict[Any, Any] = {}

    def ask(self, key: Any, read: Callable[[Outside], Any]) -> Any:
        if key not in self.asked:
            value = self.asked[key] = self.outside.ask(lambda: read(self.outside))
            self.found.reads.append((read, _deep_key(value)))
        return self.asked[key]

    def read(self, name: str) -> Any:
        return self.ask(name, lambda outside: outside.handler.read(name))

    def is_own(self, at: At) -> bool:
        """Whether an address is inside of the query."""
        node = at
        while node.parent is not None:
            node = node.parent
        return node is self.root

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        if self.is_own(memo.at):
            return super().entry(memo, at, arguments)
        key = (memo.at, *map(key_of, arguments))
        return self.ask(key, lambda _: recall(memo, arguments))

    def entries(self, memo: Memo, argument: Any) -> Any:
        if self.is_own(memo.at):
            return super().entries(memo, argument)
        return by_value(argument, lambda value: self.entry(memo, memo.at[value], (value,)))

    def seats_of(self, source: ProcessInstance) -> Any:
        if not self.is_own(source.at):
            raise ModelError(NOT_OUTSIDE)
        return super().seats_of(source)

    def load(self, at: At, default: Any) -> Any:
        if not self.is_own(at):
            raise ModelError(NOT_OUTSIDE)
        return super().load(at, default)


class Resampling(Query):
    """Resamples the particles of a query at each observe that all of them meet outside of branches and memos.

    What the procedures that are running hold was made in older frames, and is gathered when it is read, as it is where
    lanes have ended."""

    def weigh(self, score: Any) -> None:
        super().weigh(score)
        self.resample()

    def bury(self) -> None:
        if not self.all_are_here():
            return super().bury()
        self.deaths += 1
        self.resample()

    def all_are_here(self) -> bool:
        return here.frame.to_top is None and here.frame.size > 1 and not self.running

    def resample(self) -> None:
        logs = self.log_weights
        most = logs.max()
        if most == -np.inf:
            raise Dead
        if self.all_are_here() and (logs < most).any():
            ancestors = multinomial(self.chance.of_sweep(ANCESTORS), np.exp(logs - most), len(logs))
            self.log_weights = np.zeros(len(logs))
            run_in(here.frame.resampled(ancestors))


class Enumerating(Exhaustive, Query):
    """Follows some choices, and takes the first outcome of every choice after them."""

    def __init__(self, outside: Outside, found: _Known, asked: dict[Any, Any], prefix: Choices) -> None:
        super().__init__(Stream(), outside, found)
        self.asked = asked
        self.follow([prefix])
        self.log_weight = 0.0

    def places(self) -> Sequence[int]:
        return (0,)

    def endless(self, name: str) -> ModelError:
        return endless(name)

    def too_many(self) -> ModelError:
        return ModelError(TOO_MANY)

    def sample(self, at: At, source: Any) -> Any:
        if isinstance(source, ProcessInstance) or hasattr(source, "sampled"):
            raise ModelError(NO_PROCESS)
        return super().sample(at, source)

    def score(self, at: At, source: Any, value: Any) -> Any:
        if isinstance(source, ProcessInstance) or hasattr(source, "scored"):
            raise ModelError(NO_PROCESS)
        return super().score(at, source, value)

    def weigh(self, score: Any) -> None:
        if score != score:
            raise ModelError("the density of this observe is not a number")
        if score == -np.inf:
            raise Dead
        self.log_weight += score


def _enumerated(query: Any, outside: Outside, found: _Known) -> Any:
    """The table by all executions of the query, the last choice varied first."""
    run_in(outside.frame if outside.frame.size == 1 else Frame.first(1))
    weights: dict[Any, list[Any]] = {}
    asked: dict[Any, Any] = {}
    pending: list[Choices] = [()]
    executions = 0
    while pending:
        executions += 1
        if executions + len(pending) > MOST_EXECUTIONS:
            raise ModelError(TOO_MANY)
        run = Enumerating(outside, found, asked, pending.pop())
        run_in(here.frame, run)
        try:
            value = plain(call(run.root, query))
        except Dead:
            pass
        else:
            weights.setdefault(key_of(value), [value]).append(run.log_weight)
        pending += reversed(run.others)
    return _as_table([(value, np.logaddexp.reduce(logs)) for value, *logs in weights.values()])


def _weighed(query: Any, settings: Inner, outside: Outside, found: _Known) -> Any:
    """The table by particles, each weighted by the observes that it meets."""
    assert settings.particles is not None
    run_in(Frame.first(settings.particles))
    run = (Resampling if settings.resamples else Query)(Stream(), outside, found)
    run_in(here.frame, run)
    try:
        value = call(run.root, query)
    except Dead:
        raise ModelError(IMPOSSIBLE) from None
    frame = here.frame.top
    run_in(frame)
    weights: dict[Any, list[Any]] = {}
    for each, weight in zip(per_lane(value, frame), run.log_weights.tolist()):
        if weight > -np.inf:
            weights.setdefault(key_of(each), [each]).append(weight)
    return _as_table([(each, np.logaddexp.reduce(logs)) for each, *logs in weights.values()])


def _as_table(rows: list[tuple[Any, float]]) -> Any:
    """The distribution over values with log weights."""
    if not rows:
        raise ModelError(IMPOSSIBLE)
    logs = np.array([log_weight for _, log_weight in rows])
    shares = np.exp(logs - logs.max())
    return categorical(tuple((value, share) for (value, _), share in zip(rows, (shares / shares.sum()).tolist())))
