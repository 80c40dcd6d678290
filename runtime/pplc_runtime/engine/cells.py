"""Cells: globals and memo entries, which all lanes have, or some of them, or each under a key of its own."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.engine.tables import MOST_ROWS, Table, Unfit
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame, here
from pplc_runtime.lanes.messages import given
from pplc_runtime.lanes.varying import Lane, by_value, join, part
from pplc_runtime.program.control import call
from pplc_runtime.values import Memo, ModelError

MISSING: Final = object()


class Partial:
    """A memo entry that only some lanes have."""

    __slots__ = ("present", "value")

    def __init__(self, present: Lane, value: Any) -> None:
        self.present = present
        self.value = value


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


class Cells:
    """The store of a run: one value a cell for all lanes, memo entries also as tables."""

    def __init__(self, store: dict[Any, Any]) -> None:
        self.store = store
        self.written: list[Any] = []
        """The cells that were written, and the processes that took something in, one after the other."""
        self.tables: dict[Any, Table] = {}
        """The memos whose entries are in tables, by address, and those that cannot be."""
        self.untabled: set[At] = set()
        self.running: set[At] = set()
        """The entries that are being computed."""
        self.by_lane = True
        """Whether entries of different keys may be computed at once, where nothing in them ends a lane."""

    def read(self, name: str) -> Any:
        value = self.store.get(name, MISSING)
        if value is MISSING:
            raise ModelError(f"'{name.split('%')[0]}' is used before it is assumed")
        return value

    def write(self, name: str, value: Any) -> None:
        self.store[name] = value
        self.written.append(name)

    def keep(self, turn: int, names: tuple[str, ...]) -> None:
        """Keep globals for the predict of a turn, those that have been assumed by then."""
        for name in names:
            if name in self.store:
                self.store[turn, name] = self.store[name]

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
            if memo.by_lane and self.by_lane and len(missing) > 1:
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
            raise ModelError(
                f"the memoised procedure '{name}' needs its own value for {given(arguments[0])}"
                if arguments
                else f"the memoised procedure '{name}' needs its own value"
            )
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
