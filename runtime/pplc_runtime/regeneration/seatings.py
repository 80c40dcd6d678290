"""Seatings: the values that processes still take in during the suffix, and their density as a block.

Which process a value goes to may depend on the prefix: the transition of an infinite HMM is drawn from the row of the
state before. Where lanes differ in that, the value is *varying*, and the lanes are scored group by group. All other
values of a process are scored for all lanes at once, from the counts of each lane, and only when something changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pplc_runtime.engine.forward import Forward
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.varying import Lane, join, per_lane, raw, settle
from pplc_runtime.program.stochastic import ProcessInstance


class Seatings:
    """The rest of the retained run's seatings, in the order of execution."""

    def __init__(self, segments: Iterable[Any], assigned: dict[At, Any], values: dict[At, Any]) -> None:
        self.assigned: dict[At, Any] = assigned
        """The process that each value goes to: one for all lanes, or a Mix."""
        self.turn: dict[At, int] = {}
        self.members: dict[At, dict[At, Any]] = {}
        """The values of each process that go to it in all lanes."""
        self.varying: dict[At, Any] = {}
        self.processes: dict[At, ProcessInstance] = {}
        self.blocks: dict[At, Any] = {}
        self.values = values
        for segment in segments:
            for at in segment.seated:
                self.turn[at] = len(self.turn)
                self.place(at, assigned[at])

    def touch(self, process: At) -> None:
        """The state of a process has changed."""
        self.blocks.pop(process, None)

    def place(self, at: At, source: Any) -> None:
        if type(source) is ProcessInstance:
            self.members.setdefault(source.at, {})[at] = self.values[at]
            self.processes[source.at] = source
            self.touch(source.at)
        else:
            self.varying[at] = self.values[at]
            for option in source.options:
                self.processes[option.at] = option
                self.touch(option.at)

    def remove(self, at: At) -> None:
        source = self.assigned[at]
        self.varying.pop(at, None)
        for option in [source] if type(source) is ProcessInstance else source.options:
            self.members.get(option.at, {}).pop(at, None)
            self.touch(option.at)

    def passed(self, seated: Iterable[At]) -> None:
        """Those of a segment that is not part of the suffix any more."""
        for at in seated:
            self.remove(at)

    def assign(self, at: At, source: ProcessInstance) -> None:
        """The process that a value goes to, in the lanes of the running frame."""
        old = self.assigned[at]
        if old is source:
            return
        frame = here.frame
        new: Any = source
        if frame.to_top is not None:
            others = np.setdiff1d(np.arange(frame.top.size), frame.to_top)
            if len(others):
                new = join(frame.top, [(frame.top.part(others), old), (frame, source)])
        self.remove(at)
        self.assigned[at] = new
        self.place(at, new)

    def score(self, prefix: Forward, frame: Frame) -> Any:
        """The log density of all that is still to come, from the state in each lane."""
        if not self.turn:
            return 0.0
        run_in(frame)
        self.settle()
        total: Any = 0.0
        mixed = {option.at for at in self.varying for option in self.assigned[at].options}
        for process, members in self.members.items():
            if not members or process in mixed:
                continue
            block = self.blocks.get(process)
            if block is None:
                block = self.blocks[process] = Lane(self.block(process, list(members), prefix, frame), frame)
            total = total + np.atleast_1d(block.at(frame))
        return total + self.score_varying(mixed, prefix, frame) if self.varying else total

    def settle(self) -> None:
        """Values whose lanes agree by now on where they go."""
        for at in list(self.varying):
            source = settle(self.assigned[at])
            if type(source) is ProcessInstance:
                self.remove(at)
                self.assigned[at] = source
                self.place(at, source)

    def score_varying(self, mixed: set[At], prefix: Forward, frame: Frame) -> Any:
        """The processes that some value goes to in some lanes only."""
        rows = list(zip(*(per_lane(self.assigned[at].which, frame) for at in self.varying)))
        groups: dict[Any, list[int]] = {}
        for position, row in enumerate(rows):
            groups.setdefault(row, []).append(position)
        total = np.zeros(frame.size)
        for row, lanes in groups.items():
            index = np.array(lanes)
            extra: dict[At, list[At]] = {}
            for at, option in zip(self.varying, row):
                extra.setdefault(self.assigned[at].options[option].at, []).append(at)
            inner = frame if len(lanes) == frame.size else frame.part(index)
            for process in mixed:
                ats = [*self.members.get(process, ()), *extra.get(process, ())]
                if ats:
                    total[index] += self.block(process, ats, prefix, inner)
        return total

    def block(self, process: At, ats: list[At], prefix: Forward, frame: Frame) -> Any:
        """The log density of some values of one process, in the lanes of a frame."""
        source = self.processes[process]
        outer = here.frame
        run_in(frame)
        parameters = tuple(map(raw, source.parts))
        if process in prefix.seats:
            state = prefix.seats_of(source).state
            if frame.to_top is not None:
                state = source.family.gather(state, frame.to_top)
        else:
            state = source.family.empty(frame.size, *parameters)
        run_in(outer)
        values = [self.values[at] for at in sorted(ats, key=self.turn.__getitem__)]
        return source.family.block(state, values, *parameters)
