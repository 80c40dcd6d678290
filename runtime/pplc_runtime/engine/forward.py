"""Handlers: what a sample, an observe, a look-up or a memoised call does in a run.

`Forward` draws; given retained values, its kept lane follows them (a conditional sweep), which is the only
difference. The handler that replays retained values to score them is in `regenerate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.tables import MOST_ROWS, Table, Unfit
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.messages import given, refused
from pplc_runtime.lanes.varying import Dead, Lane, Mix, by_option, by_value, join, part, raw
from pplc_runtime.primitives.comparison import eq
from pplc_runtime.program.control import call
from pplc_runtime.program.stochastic import Categorical, Dirac, Dist, ProcessInstance, observable, pick
from pplc_runtime.values import Memo, ModelError

MISSING: Final = object()


class Partial:
    """A memo entry that only some lanes have."""

    __slots__ = ("present", "value")

    def __init__(self, present: Lane, value: Any) -> None:
        self.present = present
        self.value = value


class Seats:
    """The state of a process in every lane of a generation."""

    __slots__ = ("frame", "state")

    def __init__(self, state: Any, frame: Frame) -> None:
        self.state = state
        self.frame = frame


def raw_at(value: Lane, frame: Frame) -> Any:
    """The array of a Lane in a frame, also of one lane."""
    return np.atleast_1d(value.at(frame))


def entry_of(table: Table, key: int) -> Any:
    """An entry of a table as it would be stored by itself."""
    present = table.present[key]
    lanes = np.flatnonzero(present)
    if not len(lanes):
        return MISSING
    frame = table.frame if len(lanes) == table.frame.size else table.frame.part(lanes)
    value = table.get(key, frame)
    return value if frame is table.frame else Partial(Lane(present.copy(), table.frame), value)


class Forward:
    """Draws every sample, and weighs every observe.

    `retained` has for each chain the values that its kept lane takes, by address; each is used up as it is drawn.
    `draws` is what was drawn: address, frame and value."""

    def __init__(
        self, rng: np.random.Generator, store: dict[Any, Any], retained: list[dict[At, Any]] | None = None
    ) -> None:
        self.rng = rng
        self.store = store
        self.retained = retained
        self.draws: list[tuple[At, Frame, Any]] | None = None
        self.events: dict[At, Any] = {}
        """What the retained run gives to processes in observes, by address; used up likewise."""
        self.seats: dict[At, Seats] = {}
        self.written: list[Any] = []
        """The cells written since the caller last emptied the list, and the processes used."""
        self.used: list[At] = []
        """The retained values that the kept lane has taken since then."""
        self.tables: dict[Any, Table] = {}
        """The memos whose entries are in tables, by address, and those that cannot be."""
        self.untabled: set[At] = set()
        self.running: set[At] = set()
        self.formulas: dict[Any, Any] | None = None
        """The last value of every formula, where segments are run more than once."""
        self.deaths = 0
        """How often lanes were found dead."""
        self.log_weights: NDArray[np.float64] = np.zeros(here.frame.size)

    def continued(self) -> Forward:
        """One that goes on with the same cells and weights, and retains nothing."""
        other = Forward(self.rng, self.store)
        other.tables, other.untabled = self.tables, self.untabled
        other.log_weights = self.log_weights
        return other

    def begin(self) -> None:
        """Particles begin a segment."""

    def end(self) -> None:
        """They have come to its end."""

    # Control

    call: Callable[..., Any] = staticmethod(call)
    """How procedures that are handed to a primitive are called."""

    def decided(self, truth: Any) -> Any:
        """Told of every predicate: true, false, or an array of booleans where lanes disagree."""
        return truth

    def bury(self) -> None:
        """Go on with the lanes of the running frame whose weight is not zero."""
        frame = here.frame
        weights = self.log_weights if frame.to_top is None else self.log_weights[frame.to_top]
        living = np.flatnonzero(weights > -np.inf)
        self.deaths += 1
        if not len(living):
            raise Dead
        if len(living) < frame.size:
            here.frame = frame.part(living)

    # Cells

    def read(self, name: str) -> Any:
        value = self.store.get(name, MISSING)
        if value is MISSING:
            raise ModelError(f"'{name.split('%')[0]}' is used before it is assumed")
        return value

    def write(self, name: str, value: Any) -> None:
        self.store[name] = value
        self.written.append(name)

    def entries(self, memo: Memo, argument: Lane) -> Any:
        """The entries of a memo for whole numbers that vary by lane."""
        frame = here.frame
        keys = argument.at(frame)
        small = type(keys) is np.ndarray and keys[keys.argmin()] >= 0 and keys[keys.argmax()] < MOST_ROWS
        if small and memo.at not in self.untabled:
            try:
                return self.tabled(memo, argument, keys, self.table_of(memo))
            except Unfit:
                self.untable(memo.at)
        return by_value(argument, lambda value: self.entry(memo, memo.at[value], (value,)))

    def table_of(self, memo: Memo) -> Table:
        """The table of a memo in the running generation; entries that it has already move into it."""
        top = here.frame.top
        table = self.tables.get(memo.at)
        if table is None:
            table = self.tables[memo.at] = Table(top)
            for key, at in memo.at.items():
                value = self.store.get(at, MISSING)
                if value is MISSING:
                    continue
                if type(key) is not int or not 0 <= key < MOST_ROWS:
                    raise Unfit
                present = np.flatnonzero(raw_at(value.present, top)) if type(value) is Partial else None
                if present is None:
                    table.put(key, top, value)
                elif len(present):
                    table.put(key, top.part(present), value.value)
                del self.store[at]
        table.move_to(top)
        return table

    def tabled(self, memo: Memo, argument: Lane, keys: Any, table: Table) -> Any:
        frame = here.frame
        table.grow(int(keys[keys.argmax()]) + 1)
        present = table.present[keys, table.lanes(frame)]
        if np.count_nonzero(present) < len(present):
            missing = np.flatnonzero(~present)
            if memo.by_lane and len(missing) > 1:
                part([missing], lambda _: self.compute_by_lane(memo, argument, table))
            else:
                distinct = np.unique(keys[missing]).tolist()
                groups = [missing[keys[missing] == key] for key in distinct]

                def compute(number: int) -> None:
                    self.compute(memo, memo.at[distinct[number]], (distinct[number],))

                part(groups, compute)
            if memo.at in self.untabled:
                raise Unfit
            frame = here.frame
            keys = argument.at(frame)
        return table.get(keys, frame)

    def compute_by_lane(self, memo: Memo, argument: Lane, table: Table) -> None:
        """Compute the entries of a memo in all lanes of the running frame at once, though their keys differ."""
        frame = here.frame
        keys = argument.at(frame)
        value = call(Addresses(memo.at, argument), memo.procedure, argument)
        distinct = sorted(set(keys.tolist()))
        self.written += [memo.at[key] for key in distinct]
        try:
            table.put(keys, frame, value)
        except Unfit:
            self.untable(memo.at)
            groups = [np.flatnonzero(keys == key) for key in distinct]
            part(groups, lambda number: self.remember(memo.at[distinct[number]], value))

    def untable(self, memo: At) -> None:
        """Give a memo up as a table: its entries become separate ones."""
        self.untabled.add(memo)
        table = self.tables.pop(memo, None)
        if table is not None:
            for key in np.flatnonzero(table.present.any(1)).tolist():
                self.store[memo[key]] = entry_of(table, key)

    def stored(self, at: Any) -> Any:
        """What is stored in a cell: a value, a Partial, or MISSING."""
        value = self.store.get(at, MISSING)
        if value is MISSING and self.tables and type(at) is At and at.parent in self.tables:
            table = self.tables[at.parent]
            table.move_to(here.frame.top)
            if type(at.site) is int and 0 <= at.site < len(table.present):
                return entry_of(table, at.site)
        return value

    def entry(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        """The entry of a memo at an address, computed in the lanes that do not have it yet."""
        stored = self.stored(at)
        if stored is MISSING:
            return self.compute(memo, at, arguments)
        if type(stored) is not Partial:
            return stored
        present = stored.present.at(here.frame)
        if type(present) is bool:
            return stored.value if present else self.compute(memo, at, arguments)
        count = np.count_nonzero(present)
        if count == len(present):
            return stored.value
        if count == 0:
            return self.compute(memo, at, arguments)
        groups = (np.flatnonzero(present), np.flatnonzero(~present))
        return part(groups, lambda missing: self.compute(memo, at, arguments) if missing else stored.value)

    def compute(self, memo: Memo, at: At, arguments: tuple[Any, ...]) -> Any:
        if at in self.running:
            name = getattr(memo.procedure, "name", "it")
            raise ModelError(f"the memoised procedure '{name}' needs its own value for {given(arguments[0])}"
                             if arguments else f"the memoised procedure '{name}' needs its own value")
        self.running.add(at)
        try:
            value = call(at, memo.procedure, *arguments)
        finally:
            self.running.discard(at)
        self.remember(at, value)
        return value

    def remember(self, at: At, value: Any) -> None:
        """Enter a value for the lanes of the running frame."""
        frame = here.frame
        self.written.append(at)
        top = frame.top
        if self.tables and at.parent is not None and at.parent in self.tables:
            table = self.tables[at.parent]
            table.move_to(top)
            try:
                if type(at.site) is not int or not 0 <= at.site < MOST_ROWS:
                    raise Unfit
                table.put(at.site, frame, value)
                return
            except Unfit:
                self.untable(at.parent)
        if frame is top:
            self.store[at] = value
            return
        old = self.store.get(at, MISSING)
        present = np.zeros(top.size, np.bool_)
        if type(old) is Partial:
            before = raw_at(old.present, top)
            lanes = np.flatnonzero(before)
            if len(lanes):
                present |= before
                value = join(top, [(top.part(lanes), old.value), (frame, value)])
        present[frame.to_top] = True
        self.store[at] = value if present.all() else Partial(Lane(present, top), value)

    def load(self, at: At, default: Any) -> Any:
        """What is kept under an address, in the lanes of the running frame."""
        return self.store.get(at, default)

    def save(self, at: At, value: Any) -> None:
        """Keep a value under an address, in the lanes of the running frame."""
        self.store[at] = self.with_others(value, self.store.get(at, ()))
        self.written.append(at)

    def with_others(self, value: Any, old: Any) -> Any:
        """A value of the running frame for the whole generation: the other lanes have what they had."""
        frame = here.frame
        if frame.to_top is None:
            return value
        others = np.setdiff1d(np.arange(frame.top.size), frame.to_top)
        return join(frame.top, [(frame.top.part(others), old), (frame, value)]) if len(others) else value

    # Samples

    def sample(self, at: At, source: Any) -> Any:
        kind = type(source)
        if kind is Dist:
            return self.draw(at, source)
        if type(at) is Addresses:
            return by_value(at.labels, lambda key: self.sample(at.of(key), source))
        if kind is ProcessInstance:
            return self.draw_from_process(at, source)
        if kind is Mix:
            return by_option(source, lambda option: self.sample(at, option))
        if kind is Dirac:
            return source.parts[0]
        if kind is Categorical:
            return pick(source.values, self.draw(at, source.positions))
        if hasattr(source, "sampled"):
            return source.sampled(self, at)
        raise refused("sample takes a distribution or a process", source)

    def draw(self, at: At, source: Dist) -> Any:
        return self.drawn(at, here.frame, source.sample(self.rng))

    def drawn(self, at: At, frame: Frame, data: Any) -> Any:
        """A value from what was drawn: the kept lane takes its retained one."""
        if type(at) is Addresses:
            return self.drawn_apart(at, frame, data)
        if frame.kept and self.retained is not None:
            for position, chain in frame.kept:
                value = self.retained[chain].pop(at)
                if frame.size == 1:
                    data = value
                else:
                    data[..., position] = value
            self.used.append(at)
        result = data if frame.size == 1 else Lane(data, frame)
        if self.draws is not None:
            self.draws.append((at, frame, result))
        return result

    def drawn_apart(self, at: Addresses, frame: Frame, data: Any) -> Any:
        """The same of a draw that has different addresses in different lanes."""
        keys = at.labels.at(frame)
        if frame.size == 1:
            return self.drawn(at.of(keys), frame, data)
        if self.retained is not None:
            for position, chain in frame.kept:
                own = at.of(keys.item(position))
                data[..., position] = self.retained[chain].pop(own)
                self.used.append(own)
        if self.draws is not None:
            for key in sorted(set(keys.tolist())):
                inner = frame.part(np.flatnonzero(keys == key))
                own = Lane(data, frame).at(inner)
                self.draws.append((at.of(key), inner, own if inner.size == 1 else Lane(own, inner)))
        return Lane(data, frame)

    def seats_of(self, source: ProcessInstance) -> Seats:
        """The state of a process in the running generation."""
        top = here.frame.top
        seats = self.seats.get(source.at)
        if seats is None:
            state = source.family.empty(top.size, *map(raw, source.parts))
            seats = self.seats[source.at] = Seats(state, top)
        elif seats.frame is not top:
            seats.state = source.family.gather(seats.state, top.map_from(seats.frame))
            seats.frame = top
        return seats

    def draw_from_process(self, at: At, source: ProcessInstance) -> Any:
        frame = here.frame
        seats = self.seats_of(source)
        index = frame.to_top
        data = source.family.sample(self.rng, seats.state, index, *map(raw, source.parts))
        if frame.size == 1:
            data = data[..., 0].item() if data.ndim == 1 else data[..., 0]
        value = self.drawn(at, frame, data)
        seats.state = source.family.seat(seats.state, index, value.data if type(value) is Lane else value)
        self.seated(at, source, value)
        return value

    def seated(self, at: At, source: ProcessInstance, value: Any) -> None:
        """Told of every value that a process takes in."""
        self.written.append(source)

    # Observes

    def observe(self, at: At, source: Any, value: Any) -> Any:
        """An observe inside an expression."""
        score = raw(self.score(at, source, value))
        self.weigh(score)
        return value

    def add(self, score: Any) -> None:
        """Add to the log weights of the running frame at the end of a segment; nobody asks who is dead."""
        frame = here.frame
        if frame.to_top is None:
            self.log_weights += score
        else:
            self.log_weights[frame.to_top] += score

    def weigh(self, score: Any) -> None:
        """Add to the log weights of the running frame; lanes that have become impossible end here."""
        frame = here.frame
        if type(score) is not np.ndarray:
            lowest = score
        else:
            lowest = score.min()
        if lowest != lowest:
            raise ModelError("the density of this observe is not a number")
        if frame.to_top is None:
            self.log_weights += score
        else:
            self.log_weights[frame.to_top] += score
        if lowest == -np.inf:
            self.bury()

    def score(self, at: At, source: Any, value: Any) -> Any:
        """The log density of a value, as a number or a Lane; a process takes the value in."""
        kind = type(source)
        if kind is Mix:
            return by_option(source, lambda option: self.score(at, option, value))
        if type(value) is Mix:
            return by_option(value, lambda option: self.score(at, source, option))
        if kind is Dist:
            density = source.log_density(observable(source, value))
        elif kind is ProcessInstance:
            return self.score_in_process(at, source, observable(source, value))
        elif kind is Dirac:
            return _log(eq(source.parts[0], value))
        elif kind is Categorical:
            return self.score_categorical(at, source, value)
        elif hasattr(source, "scored"):
            return source.scored(self, at, value)
        else:
            raise refused("observe takes a distribution or a process", source)
        return Lane(density, here.frame) if type(density) is np.ndarray else density

    def score_categorical(self, at: At, source: Categorical, value: Any) -> Any:
        total: Any = 0.0
        for position, option in enumerate(source.values):
            mass = np.exp(source.positions.log_density(position))
            matches = raw(eq(option, value))
            total = total + mass * matches
        with np.errstate(divide="ignore"):
            density = np.log(total)
        return Lane(density, here.frame) if type(density) is np.ndarray else float(density)

    def score_in_process(self, at: At, source: ProcessInstance, value: Any) -> Any:
        frame = here.frame
        seats = self.seats_of(source)
        data = raw(value)
        density = source.family.log_density(seats.state, frame.to_top, data, *map(raw, source.parts))
        seats.state = source.family.seat(seats.state, frame.to_top, data)
        if frame.kept:
            self.events.pop(at, None)
        self.seated(at, source, value)
        return float(density[0]) if frame.size == 1 else Lane(density, frame)


def _log(truth: Any) -> Any:
    """0 where true, -inf where false."""
    if type(truth) is bool:
        return 0.0 if truth else -np.inf
    data = raw(truth)
    if type(data) is bool:
        return _log(data)
    return Lane(np.where(data, 0.0, -np.inf), here.frame)
