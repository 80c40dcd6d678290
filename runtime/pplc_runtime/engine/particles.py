"""Particles: the lanes of one sweep, extended segment by segment and forked between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.drawn import drawn_by, trajectories
from pplc_runtime.engine.forward import Forward
from pplc_runtime.engine.held import Held
from pplc_runtime.engine.numbers import ANCESTOR, ANCESTORS, CHOSEN, Chance, chance_of
from pplc_runtime.engine.plan import Bound, Keep, Plan, Segment
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Frame, Index, Kept, run_in
from pplc_runtime.lanes.messages import given, reportable
from pplc_runtime.lanes.varying import Dead, Lane, per_lane, raw, varies
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.resampling import Scheme, conditional_rows, pick, pick_rows
from pplc_runtime.numerics.weights import BadWeights, ZeroWeights, effective_sample_size, relative, relative_rows
from pplc_runtime.program.steps import Assume, Observe
from pplc_runtime.program.stochastic import Dist
from pplc_runtime.results.ancestry import Outline, Weakest
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.kept import Kept as KeptDraws
from pplc_runtime.results.sweeps import Column
from pplc_runtime.values import Impossible, List, Map, ModelError, Symbol, children, rebuild


class Particles:
    """The particles of one sweep, or of one sweep each of several chains, row by row.

    `retained` makes it conditional: the first particle of each chain takes those values. `remember` keeps what is
    drawn, so that a particle can be retained at the end. What is `held` no particle draws."""

    def __init__(
        self,
        plan: Plan,
        key: Key,
        size: int,
        retained: list[dict[At, Any]] | None = None,
        remember: bool = False,
        handler: type[Forward] = Forward,
        root: Frame | None = None,
        held: Held | None = None,
    ) -> None:
        self.size = size
        self.chains = 1 if retained is None else len(retained)
        self.kept: Kept = () if retained is None else tuple((chain * size, chain) for chain in range(self.chains))
        self.root = root if root is not None or self.chains == 1 else Frame.first(self.chains)
        """One lane for each chain, where there are several: the lanes of particles continue those."""
        if self.root is None:
            self.frame = Frame.first(size, self.kept)
        else:
            self.frame = self.root.resampled(np.arange(self.chains).repeat(size), self.kept)
        run_in(self.frame)
        self.chance: Chance = chance_of(key, size)
        self.handler = handler(self.chance, dict(plan.inputs), retained)
        run_in(self.frame, self.handler)
        self.handler.draws = [] if remember else None
        self.held = held
        if held is not None:
            self.handler.hold(held)
        self.generations: list[tuple[Frame, list[tuple[At, Frame, Any]]]] = []
        self.remembered = 0  # how many of the handler's draws are in the generations
        self.ran: list[Frame] = []
        """The frames that the segments ran in."""
        self.plan = plan
        self.scripts = plan.scripts
        self.cells: list[Any] = [] if plan.scripts is None else [None] * plan.scripts.cells
        """What scripts keep."""
        self.reports: list[tuple[int, Any, Any]] = []
        """What is predicted: its turn in the program, label and value."""
        self.is_reported = False
        self.parted = plan.scripts is not None and plan.scripts.program.parted
        """Whether an observe was no resampling point, since only some came to it, or it was met in a memo."""
        self.done = 0
        """How many segments are."""
        self.lines_ended: list[int] = []
        """The lines of the observes that ended the generations."""
        self.standing: tuple[int, At] | None = None
        """Where all particles stand inside of a segment: the number of the statement in it, and the observe."""
        self.last: Bound | None = None
        self.step = 0
        """The statement that was run last, and its number in the segment."""
        self.seen: Any = None
        self.source: Any = None
        """What the last observe observed, and of what."""
        self.watched = False
        self.weakest: Weakest | None = None
        """Where they are watched: the observe that left the fewest of them."""
        self.perished = False
        """And whether some had weight zero."""

    @property
    def missed(self) -> int | None:
        """How many ended since they would draw other addresses than those that are held."""
        return None if self.held is None else self.held.missed

    @property
    def log_weights(self) -> NDArray[np.float64]:
        """What the observes since the last fork add to each particle's log weight."""
        return self.handler.log_weights

    @property
    def segments(self) -> Sequence[Any]:
        """What they are extended by, one after the other."""
        return self.plan.segments if self.scripts is None else self.scripts.segments

    @property
    def outline(self) -> Outline:
        """The lines of the observes that ended its generations."""
        return Outline(tuple(self.lines_ended), self.plan.outline.first)

    def extend(self, segment: Any, between: Callable[[], None] | None = None) -> None:
        """Run all particles to the end of a segment; `between` is called where all stand at an observe inside of it."""
        run_in(self.frame, self.handler)
        handler = self.handler
        self.chance.generation = len(self.ran)
        if self.scripts is None:
            handler.whole = self.frame
            if between is not None and self.plan.observes_inside:
                handler.pause = partial(self.pause, between)
            handler.begin()
            self.run(segment)
            handler.end()
            handler.pause = None
            self.parted = handler.parted
            if self.done == len(self.plan.segments) - 1:
                handler.finish()
            line = self.plan.outline.observes[self.done]
        else:
            segment.run(self)
            line = segment.line
        self.done += 1
        self.end_generation(line)

    def pause(self, between: Callable[[], None], at: At) -> None:
        """All particles stand at an observe inside of a segment: a generation ends there, and another one goes on."""
        assert self.last is not None
        self.end_generation(self.last.place[0])
        self.standing = self.step, at
        between()
        self.standing = None
        self.chance.generation = len(self.ran)
        self.handler.whole = self.frame
        self.handler.resume()

    def end_generation(self, line: int) -> None:
        """Remember what a generation has drawn, and in which lanes."""
        self.ran.append(self.frame)
        self.lines_ended.append(line)
        draws = self.handler.draws
        if draws is not None:
            new, self.remembered = draws[self.remembered :], len(draws)
            if self.generations and self.generations[-1][0] is self.frame:  # there was no fork since
                self.generations[-1][1].extend(new)
            else:
                self.generations.append((self.frame, new))

    def run(self, segment: Segment) -> None:
        """Run the statements of a segment."""
        handler = self.handler
        try:
            for number, step in enumerate(segment):
                self.last, self.step = step, number
                handler.next_statement()
                if step.step is Assume:
                    handler.write(step.name, step.function(step.at, *step.arguments))
                elif step.step is Observe:
                    source, value = step.function(step.at, *step.arguments)
                    value = handler.observed(step.at, value)
                    self.seen, self.source = value, source
                    score = raw(handler.score(step.at, source, value))
                    handler.add(score) if step is segment[-1] else handler.weigh(score)
                elif step.step is Keep:
                    step.function(step.at)
                else:
                    step.put_back(handler.store)
                    self.reports.append((step.turn, *reportable(*step.function(step.at, *step.arguments))))
        except Dead:
            pass
        except Exception as error:
            if self.last is not None:
                error.statement = self.last.place  # type: ignore[attr-defined] # for errors.located
            raise
        run_in(self.frame)

    def weights(self, log_weights: NDArray[np.float64] | None = None) -> tuple[NDArray[np.float64], Any]:
        """The weights up to a factor, and the log of what they sum to; if there are several chains a row each."""
        own = self.log_weights if log_weights is None else log_weights
        try:
            found = relative(own) if self.chains == 1 else relative_rows(own.reshape(self.chains, -1))
            if self.watched and log_weights is None:
                self.watch(found[0])
            return found
        except ZeroWeights:
            raise self.impossible() from None
        except BadWeights:
            raise self.failure("the density of this observe is not a number") from None

    def watch(self, weights: NDArray[np.float64]) -> None:
        """Remember the observe after which the fewest particles count; of several chains, in the first."""
        self.perished = self.perished or bool(self.log_weights.min() == -np.inf)
        effective = effective_sample_size(weights if self.chains == 1 else weights[0])
        if self.weakest is None or effective < self.weakest.effective:
            own = self.log_weights[: self.size]
            span = own.max() - own.min(initial=np.inf, where=own > -np.inf)
            self.weakest = Weakest(len(self.ran) - 1, effective, float(span / np.log(10)))

    def impossible(self) -> ModelError:
        """The error when all weights are zero: it names the observe and what was seen there."""
        if self.last is not None and self.last.step is Observe:
            message = "all weights are zero: in no particle is "
            nowhere = self.source.family.nowhere if type(self.source) is Dist else None
            if nowhere is not None:
                message = f"all weights are zero: {nowhere}"
            elif varies(self.seen):
                message += f"its value possible here; that of the first is {given(self.seen)}"
            else:
                message += f"the value {given(self.seen)} possible here"
        else:
            message = "all weights are zero: no particle can pass the observes in here"
        return self.failure(message, Impossible)

    def failure(self, message: str, kind: type[ModelError] = ModelError) -> ModelError:
        error = kind(message)
        if self.last is not None:
            error.place = (*self.last.place, 1)
        return error

    def fork(self, ancestors: NDArray[np.intp]) -> None:
        """Continue with these particles, each as often as it is named."""
        self.frame = self.frame.resampled(ancestors, self.kept)
        run_in(self.frame)
        self.handler.log_weights = np.zeros(len(ancestors))

    def leave(self, living: NDArray[np.intp]) -> None:
        """Continue with these particles alone, each of which draws in its slot."""
        slots = self.chance.slots
        self.chance.slots = living if slots is None else slots[living]
        self.fork(living)

    def clear_weights(self) -> None:
        """Weigh from here on; what there was is kept by the caller."""
        self.handler.log_weights = np.zeros(len(self.log_weights))

    def fork_by(self, scheme: Scheme, weights: NDArray[np.float64]) -> None:
        """Continue with particles by weight."""
        self.fork(scheme.draw(self.numbers_for(ANCESTORS), weights, self.size))

    def fork_around(self, scheme: Scheme, weights: NDArray[np.float64], kept: Any = None) -> None:
        """Continue with particles by weight; the first of each chain continues the one given, or the retained one."""
        rng = self.numbers_for(ANCESTORS)
        if self.chains == 1:
            self.fork(scheme.conditional(rng, weights, self.size, 0 if kept is None else int(kept)))
        else:
            self.fork(conditional_rows(scheme, rng, weights, kept))

    def pick(self, weights: NDArray[np.float64]) -> Any:
        """A particle by weight; one for each chain if there are several."""
        rng = self.numbers_for(CHOSEN if self.done == len(self.segments) else ANCESTOR)
        return pick(rng, weights) if self.chains == 1 else pick_rows(rng, weights)

    def numbers_for(self, purpose: int) -> Any:
        """Random numbers for what is drawn of the particles before the next segment."""
        self.chance.generation = len(self.ran)
        return self.chance.of_sweep(purpose)

    def lanes(self, chosen: Any) -> list[int]:
        """The lanes of particles that are given by their places in their chains."""
        return [chosen] if self.chains == 1 else (chosen + np.arange(self.chains) * self.size).tolist()

    def before(self) -> Iterator[tuple[Frame, list[tuple[At, Frame, Any]], Index | None]]:
        """The generations from the last to the first: their frames, what they drew, and the ancestors of the lanes."""
        for frame, draws in reversed(self.generations):
            yield frame, draws, None if frame.parent is self.root else frame.index

    def trajectory(self, lane: int) -> dict[At, Any]:
        """The values drawn along the ancestry of a lane, by address."""
        return self.trajectories([lane])[0]

    def trajectories(self, lanes: list[int]) -> list[dict[At, Any]]:
        """The same for several lanes."""
        return trajectories(self, lanes)

    def drawn_by(self, lanes: Index) -> KeptDraws:
        """All that the particles in some lanes drew, where that was remembered."""
        return drawn_by(self, lanes)

    def distinct_ancestors(self, lanes: Index) -> list[int]:
        """How many ancestors some lanes have in each segment."""
        return [len(np.unique(lanes)) for lanes in self.lines(lanes)]

    def lines(self, lanes: Index) -> list[Index]:
        """The places of the ancestors of some lanes in each segment; particles need not be resampled after all."""
        found = []
        after: Frame | None = None
        for frame in reversed(self.ran):
            if after is not None and after is not frame:
                assert after.index is not None
                lanes = after.index[lanes]
            found.append(lanes)
            after = frame
        return found[::-1]

    def forks(self) -> Iterator[tuple[int, Index]]:
        """The forks, the last first: the segment that ended with each, and the ancestors of the lanes after it."""
        after = self.ran[-1]
        for number in range(len(self.ran) - 2, -1, -1):
            frame = self.ran[number]
            if frame is not after:
                assert after.index is not None
                yield number, after.index
                after = frame

    def genealogy(self, chain: int = 0, chosen: int | None = None) -> Genealogy:
        """Who continued whom, where what is drawn is remembered; a conditional sweep has a chosen particle."""
        first = chain * self.size
        rows = [ancestors for _, _, ancestors in self.before() if ancestors is not None]
        own = slice(first, first + self.size)
        return Genealogy.of(self.size, [row[own] - first for row in reversed(rows)], chosen)

    def report(self) -> None:
        """Run what is predicted of the finished particles, those whose weight is not zero.

        What it draws is read by nothing else, so that nobody retains it: every particle draws it afresh."""
        if self.is_reported:
            return
        self.is_reported = True
        self.chance.generation = len(self.ran)
        self.handler = self.handler.continued()
        run_in(self.frame, self.handler)
        self.handler.bury()
        if self.scripts is None:
            self.run(self.plan.reports)
        else:
            self.scripts.reports.run(self)
        run_in(self.frame)

    def predicts(self) -> dict[str, Column]:
        """The reported values of every particle, by label."""
        self.report()
        return columns_of(self.reports, self.frame)


def columns_of(reports: list[tuple[int, Any, Any]], frame: Frame) -> dict[str, Column]:
    """What is reported, each with its turn in the program, by label; a label that comes again is numbered."""
    columns: dict[str, Column] = {}
    seen: dict[str, int] = {}
    for _, label, value in sorted(reports, key=itemgetter(0)):
        text = label if type(label) is str else given(label)
        seen[text] = seen.get(text, 0) + 1
        if seen[text] > 1:
            text = f"{text}#{seen[text]}"
        columns[text] = _column(value, frame)
    return columns


def _column(value: Any, frame: Frame) -> Column:
    if type(value) is Lane and frame.size > 1:
        data: NDArray[Any] = value.at(frame)
        return data
    return [_shown(each) for each in per_lane(value, frame)]


def _shown(value: Any) -> Any:
    """A reported value: a procedure as a string, also inside of structures."""
    match value:
        case List() | tuple() | Map():
            return rebuild(value, tuple(map(_shown, children(value))))
        case None | bool() | int() | float() | str() | Symbol() | np.ndarray():
            return value
        case _:
            return str(value)
