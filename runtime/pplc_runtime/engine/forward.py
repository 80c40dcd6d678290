"""Handlers: what a sample, an observe, a look-up or a memoised call does in a run.

`Forward` draws; given retained values, its kept lane follows them (a conditional sweep), which is the only
difference. The handler that replays retained values to score them is in `regeneration/replay`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.cells import Cells
from pplc_runtime.engine.held import Held
from pplc_runtime.engine.numbers import Chance
from pplc_runtime.engine.observed import OBSERVED
from pplc_runtime.lanes.addresses import Addresses, At
from pplc_runtime.lanes.frames import Frame, here, run_in
from pplc_runtime.lanes.messages import refused
from pplc_runtime.lanes.varying import Dead, Lane, Mix, by_option, by_value, raw
from pplc_runtime.program.conditional import Inner
from pplc_runtime.program.control import call
from pplc_runtime.program.stochastic import Derived, Dirac, Dist, ProcessInstance, log_density, observable
from pplc_runtime.values import ModelError, Place


class Seats:
    """The state of a process in every lane of a generation."""

    __slots__ = ("frame", "state")

    def __init__(self, state: Any, frame: Frame) -> None:
        self.state = state
        self.frame = frame


class Forward(Cells):
    """Draws every sample, and weighs every observe.

    It is the `Handler` of a run (`lanes/handler.py`). What the engine asks beside that: `begin` and `end` of a segment,
    `add`, `weigh` and `score` for top-level observes. `draw`, `drawn` and `seated` are for those that do it otherwise.
    What it has done is in lists that grow (`draws`, `used`, `written`): who wants to know what is new remembers how far
    it has read.

    `retained` has for each chain the values that its kept lane takes, by address; each is used up as it is drawn.
    `draws` is what was drawn: address, frame and value; where lanes differ in the address, all their `Addresses`."""

    prints = True
    """Whether `print` prints: not where what has been run is run again."""

    def __init__(self, chance: Chance, store: dict[Any, Any], retained: list[dict[At, Any]] | None = None) -> None:
        super().__init__(store)
        self.chance = chance
        self.retained = retained
        self.draws: list[tuple[At, Frame, Any]] | None = None
        self.held: Held | None = None
        """What is not drawn."""
        self.events: dict[At, Any] = {}
        """What the retained run gives to processes in observes, by address; used up likewise."""
        self.seats: dict[At, Seats] = {}
        self.used: list[At] = []
        """The retained values that the kept lane has taken, one after the other."""
        self.formulas: dict[Any, Any] | None = None
        """The last value of every formula, where segments are run more than once."""
        self.deaths = 0
        """How often lanes were found dead."""
        self.place: Place = (0, 0)
        """Where the statement that is running stands, in the runs that have to know."""
        self.whole: Frame | None = None
        """The frame of all living lanes, where a segment is run: it is running where none of them are parted."""
        self.pause: Callable[[At], None] | None = None
        """What is done at an observe that all lanes come to together."""
        self.parted = False
        """Whether there was an observe that only some came to, or that was met in a memo."""
        self.log_weights: NDArray[np.float64] = np.zeros(here.frame.size)

    def continued(self) -> Forward:
        """One that goes on with the same cells and weights, and retains nothing."""
        other = Forward(self.chance, self.store)
        other.tables, other.untabled = self.tables, self.untabled
        other.log_weights = self.log_weights
        return other

    def hold(self, held: Held) -> None:
        """Do not draw what is held."""
        self.held = held
        self.by_lane = False  # a held value may end a lane

    def finish(self) -> None:
        """Particles have come to the end of the program: those that have not used all held values have weight zero."""
        if self.held is not None:
            unfinished = self.held.unfinished(here.frame.top)
            self.held.missed += int(np.count_nonzero(self.log_weights[unfinished] > -np.inf))
            self.log_weights[unfinished] = -np.inf

    def begin(self) -> None:
        """Particles begin a segment."""

    def next_statement(self) -> None:
        """They begin a statement."""

    def resume(self) -> None:
        """They go on after a pause, maybe as other lanes."""

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
            run_in(frame.part(living))
            if frame is self.whole:
                self.whole = here.frame

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
        if isinstance(source, Derived):
            return source.value_of(self.draw(at, source.chosen))
        if hasattr(source, "sampled"):
            return self.undivided(at, lambda: source.sampled(self, at))
        raise refused("sample takes a distribution or a process", source)

    def undivided(self, at: At, work: Callable[[], Any]) -> Any:
        """What some work comes to in which no generation ends, since it cannot be begun in its middle."""
        self.running.add(at)
        try:
            return work()
        finally:
            self.running.discard(at)

    def draw(self, at: At, source: Dist) -> Any:
        if self.held is not None and self.held.holds(at):
            return self.take(at, source, self.held)
        frame = here.frame
        return self.drawn(at, frame, source.sample(self.chance.at(at, frame)))

    def take(self, at: At, source: Dist, held: Held) -> Any:
        """A value that is held: its density is weight."""
        if not held.fits(at, source):
            held.miss()
            self.weigh(-np.inf)
        value = self.taken(at, held)
        self.weigh(source.log_density(value))
        return value

    def taken(self, at: At, held: Held) -> Any:
        """A value that is held, for all lanes of the running frame; the kept lane uses it up."""
        frame = here.frame
        value = held.values[at]
        held.use()
        if frame.kept and self.retained is not None:
            for _, chain in frame.kept:
                del self.retained[chain][at]
            self.used.append(at)
        if self.draws is not None:
            self.draws.append((at, frame, value))
        return value

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
        result = Lane(data, frame)
        if self.draws is not None:
            self.draws.append((at, frame, result))
        return result

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
        if self.held is not None and self.held.holds(at):
            return self.take_from_process(at, source, self.held)
        frame = here.frame
        seats = self.seats_of(source)
        index = frame.to_top
        data = source.family.sample(self.chance.at(at, frame), seats.state, index, *map(raw, source.parts))
        if frame.size == 1:
            data = data[..., 0].item() if data.ndim == 1 else data[..., 0]
        value = self.drawn(at, frame, data)
        seats.state = source.family.seat(seats.state, index, value.data if type(value) is Lane else value)
        self.seated(at, source, value)
        return value

    def take_from_process(self, at: At, source: ProcessInstance, held: Held) -> Any:
        """A value that is held, for a process. Where that has atoms, it must be an old or a fresh one as it was."""
        if not held.fits(at, source):
            held.miss()
            self.weigh(-np.inf)
        value = self.taken(at, held)
        frame, seats = here.frame, self.seats_of(source)
        density = source.family.log_density(seats.state, frame.to_top, value, *map(raw, source.parts))
        fresh = source.family.fresh(seats.state, frame.to_top, value)
        if fresh is not None:
            density = np.where(fresh == held.fresh[at], density, -np.inf)
        seats.state = source.family.seat(seats.state, frame.to_top, value)
        self.seated(at, source, value)
        self.weigh(density if frame.size > 1 else float(density[0]))
        return value

    def seated(self, at: At, source: ProcessInstance, value: Any) -> None:
        """Told of every value that a process takes in."""
        self.written.append(source)

    # Nested inference

    def nested(self, query: Any, settings: Inner) -> Any:
        """The distribution of what a query gives."""
        from pplc_runtime.engine.nested import nested  # which has handlers of its own

        return nested(self, query, settings)

    # Observes

    def observe(self, at: At, source: Any, value: Any) -> Any:
        """An observe inside an expression. Where all lanes come to it together there is a pause, in which particles may
        be resampled, so that other lanes go on. No entry of a memo is left half done by that."""
        value = self.observed(at, value)
        score = raw(self.score(at, source, value))
        self.weigh(score)
        if self.pause is not None:
            if here.frame is self.whole and not self.running:
                self.pause(at)
            else:
                self.parted = True
        return value

    def observed(self, at: At, value: Any) -> Any:
        """What is observed at an address: the value that the program has there, or one that replaces it."""
        replaced = self.store.get(OBSERVED)
        return value if replaced is None else replaced.at(at)

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
        if kind is ProcessInstance:
            return self.score_in_process(at, source, observable(source, value))
        if hasattr(source, "scored"):
            return self.undivided(at, lambda: source.scored(self, at, value))
        return log_density(source, value, "observe takes a distribution or a process")

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
