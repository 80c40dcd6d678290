"""Sweeps of programs in general by machine code, as the driver hands them over.

Whether a program is run so is decided before the run, by its text, its data and its settings, never by what it draws.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.plan import Plan
from pplc_runtime.general.assembly import Assembled, assembled
from pplc_runtime.general.engine import Block, GeneralEngine, Stopped
from pplc_runtime.general.naming import Naming, drawn_of
from pplc_runtime.general.types import Maybe, Scalar, Type, Untyped, Vector
from pplc_runtime.inference.base import SELDOM, Settings, keeping
from pplc_runtime.inference.icsmc import Icsmc
from pplc_runtime.inference.importance import Importance
from pplc_runtime.inference.pgas import Pgas
from pplc_runtime.inference.smc import Smc
from pplc_runtime.machine.machine import Machine, is_available
from pplc_runtime.numerics.keys import Key
from pplc_runtime.program.errors import Places, Reached
from pplc_runtime.program.inner_observes import observes_inside
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.ancestry import Ancestry, Weakest
from pplc_runtime.results.blocks import Block as Handed
from pplc_runtime.results.blocks import Some
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.kept import MOST_PARTICLES, Kept, equal_places
from pplc_runtime.results.kept import Block as Values
from pplc_runtime.results.sweeps import Column, Sweep

LEAST_WORK: Final = 20_000
"""From so many segments of particles on machine code is worth the time that it takes to make it."""
MOST_SWEEPS: Final = 1000
BLOCK_SECONDS: Final = 0.02
MOST_FAILURES: Final = 10
"""So many sweeps are done by lanes before all of them are."""
MOST_NUMBERS: Final = 4_000_000
"""What a block may hand over."""


def general_engine(kernel: Any, plan: Plan, settings: Settings, below: Any) -> General | None:
    """What does the sweeps of a method in machine code; None where lanes do them."""
    if os.environ.get("PPLC_NATIVE") == "off" or plan.scripts is not None or not is_available():
        return None
    method = _method(kernel)
    work = (settings.sweeps + settings.burn_in) * settings.particles * len(plan.segments)
    if method is None or work < LEAST_WORK or settings.strict:
        return None
    if plan.observes_inside:  # where lanes may resample
        return None
    if settings.resampling != "multinomial" or settings.particles < 2:
        return None
    if method != "importance" and observes_inside(plan.module):
        return None  # lanes resample there, too
    try:
        program = assembled(plan)
    except Untyped:
        return None
    if any(not is_reported(type_) for type_ in program.predicted):
        return None
    return General(plan, program, method, settings, kernel, below)


def _method(kernel: Any) -> str | None:
    match kernel:
        case Importance():
            return "importance"
        case Smc():
            return "smc"
        case Icsmc(holds=None, particles=None):
            return "icsmc"
        case Pgas(holds=None, particles=None):
            return "pgas"
    return None


def why_not(plan: Plan, places: Places) -> tuple[str, tuple[int, int, int] | None] | None:
    """Why a program has no machine code of its own, and the line, column and width in its source; None if it has."""
    if observes_inside(plan.module):
        return "observes inside of expressions, at which lanes resample where all particles come to them", None
    try:
        program = assembled(plan)
    except Untyped as reason:
        node = reason.node
        found = None
        if node is not None:
            found = places.get((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))
        return str(reason), found
    for label, type_ in zip(program.labels, program.predicted):
        if not is_reported(type_):
            return f"a predict of a {type_}: {label}", None
    return None


def is_reported(type_: Type) -> bool:
    """Whether a value of a type can be handed over."""
    match type_:
        case Vector(inner) | Maybe(inner):
            return is_reported(inner)
    return isinstance(type_, Scalar)


class KeptLater(Kept):
    """Some particles of a sweep, whose draws are looked for when somebody asks for them."""

    __slots__ = ("found", "make")

    found: tuple[Values, ...] | None
    make: Callable[[], tuple[Values, ...]]

    def __init__(self, particles: NDArray[np.intp], make: Callable[[], tuple[Values, ...]]) -> None:
        object.__setattr__(self, "particles", particles)
        object.__setattr__(self, "make", make)
        object.__setattr__(self, "found", None)

    @property
    def blocks(self) -> tuple[Values, ...]:
        found = self.make() if self.found is None else self.found
        object.__setattr__(self, "found", found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptLater, (self.particles, self.make)


class OfChain:
    """The draws of the particle that a chain retains."""

    def __init__(self, naming: Naming, words: NDArray[np.int64]) -> None:
        self.naming = naming
        self.words = words

    def __call__(self) -> tuple[Values, ...]:
        return self.naming.deep(lambda: Kept.alone(0, self.naming.named(self.words)).blocks)


class OfSweep:
    """The draws of some particles of an independent sweep, which is done again for them."""

    def __init__(
        self, naming: Naming, method: str, settings: Settings, key: tuple[int, int], places: list[int]
    ) -> None:
        self.naming, self.method, self.key, self.places = naming, method, key, places
        self.particles, self.threshold = settings.particles, settings.ess_threshold

    def __call__(self) -> tuple[Values, ...]:
        return self.naming.deep(self.again)

    def again(self) -> tuple[Values, ...]:
        plan = self.naming.planned
        engine = GeneralEngine(
            assembled(plan), len(plan.segments), self.method, self.particles, Machine, threshold=self.threshold
        )
        engine.run([self.key], logging=True)
        lines = engine.lines(self.places)
        blocks: list[Values] = []
        for lane, words in enumerate(lines):
            for block in Kept.alone(0, self.naming.named(words)).blocks:
                blocks.append(Values(block.addresses, np.array([lane]), block.data))
        return tuple(blocks)


class General:
    """Runs the sweeps of one chain, or independent ones."""

    def __init__(
        self, plan: Plan, program: Assembled, method: str, settings: Settings, kernel: Any, below: Any
    ) -> None:
        self.kernel, self.below = kernel, below
        """The method and the lane engine, which do a sweep that cannot be done here, from the same numbers."""
        self.plan = plan
        self.program = program
        self.method = method
        self.settings = settings
        self.is_chain = method in ("icsmc", "pgas")
        self.engine = GeneralEngine(
            program, len(plan.segments), method, settings.particles, Machine, threshold=settings.ess_threshold
        )
        owner = plan.module["PROGRAM"]
        self.naming = Naming(owner, {name: plan.inputs[name] for name in owner.inputs if name in plan.inputs}, plan)

    def of_chain(self, settings: Settings) -> General:
        """The same for another chain, which begins anew."""
        other = copy(self)
        other.settings = settings
        return other

    def sweeps(self, state: Any, key: Key, first: int | None) -> Iterator[Some]:
        """The sweeps from a state on, without those of the burn-in."""
        settings = self.settings
        number = -settings.burn_in if first is None else first
        if self.is_chain:
            self.engine.retain(drawn_of(self.plan, state.held[0]))
        numbers = settings.particles * (len(self.plan.segments) + self.engine.predicts + 1)
        most = 1 if self.engine.has_references else max(1, min(MOST_SWEEPS, MOST_NUMBERS // numbers))
        size, failures = 1, 0
        while number < settings.sweeps:
            left = -number if number < 0 else settings.sweeps - number
            count = min(left, size, most)
            keys = [key.fold(number + place + settings.burn_in) for place in range(count)]
            began = time.perf_counter()
            block: Block | None = None
            try:
                if failures >= MOST_FAILURES:
                    raise Stopped(1, 0, 0, None)
                block = self.engine.run([(own.k0, own.k1) for own in keys], self.is_chain)
                done = count
            except Reached as reached:
                reached.statement = self.stopped_at()
                raise
            except Stopped as stopped:  # lanes do the next one; what is too large for memory always is
                block = stopped.done
                done = 0 if block is None else len(block.log_evidence)
                failures = MOST_FAILURES if stopped.code == 1 else failures + 1
            size = 2 * size if time.perf_counter() - began < BLOCK_SECONDS else size
            if block is not None and number == 0 and not (block.log_evidence > -np.inf).any():
                self.kernel.step(self.below, None, settings, 0, keys[0], report=False)  # an error, if that is always so
            if block is not None and number >= 0:
                yield from self.handed(block, number, keys)
            if done < count:
                yield from self.by_lanes(number + done, keys[done])
                done += 1
            number += done

    def stopped_at(self) -> tuple[int, int] | None:
        """Where in the source machine code was when it was told to stop."""
        _, where = self.program.failures.get(int(self.engine.arrays["E"][0]), (None, None))
        form = self.plan.module["PROGRAM"].places.get(where)
        return None if form is None else form[:2]

    def handed(self, block: Block, number: int, keys: list[Key]) -> Iterator[Some]:
        """The sweeps of a block: as one, where all are alike."""
        count = len(block.log_evidence)
        if self.engine.has_references or (self.method == "importance" and not (block.log_weights > -np.inf).all()):
            yield from (self.alone(block, place, number + place, keys[place]) for place in range(count))
            return
        everybody = np.ones(self.settings.particles * count, np.bool_)
        columns = {
            label: _by_sweep(self.engine.column(block, block.words[:, :, place].ravel(), type_, everybody), count)
            for place, (label, type_) in enumerate(zip(self.program.labels, self.program.predicted))
        }
        log_weights = block.log_weights if self.is_chain else block.log_weights + block.log_evidence[:, None]
        telling = _Telling(self, block, number, keys)
        standing = block.chosen[:, None].astype(np.intp) if self.is_chain else None
        yield Handed(
            self.settings.chain, number, log_weights, columns, block.log_evidence, telling.told, telling.kept, standing
        )

    def alone(self, block: Block, place: int, number: int, key: Key) -> Sweep:
        """One sweep by itself; of importance with those particles only whose weight is not zero."""
        settings = self.settings
        evidence, log_weights = float(block.log_evidence[place]), block.log_weights[place]
        living = log_weights > -np.inf if evidence > -np.inf else np.zeros(settings.particles, np.bool_)
        columns = self.engine.columns(block, place, living) if living.any() else {}
        told = self.told(block, place, number)
        if self.method != "importance":
            weights = log_weights if self.is_chain else log_weights + evidence
            kept = self.kept(block, place, weights, number, key)
            return Sweep(settings.chain, number, weights, columns, evidence, told, kept)
        columns = {
            label: [value for value, alive in zip(column, living) if alive]
            if isinstance(column, list)
            else column[..., living]
            for label, column in columns.items()
        }
        weights = log_weights[living] + evidence if living.any() else np.full(settings.particles, -np.inf)
        kept = self.standing(weights, number, key, np.flatnonzero(living)) if living.any() else None
        return Sweep(settings.chain, number, weights, columns, evidence, told, kept)

    def told(self, block: Block, place: int, number: int) -> dict[str, Any]:
        """The diagnostics of a sweep."""
        settings, outline = self.settings, self.plan.outline
        if self.method == "importance":
            return {"ancestry": Ancestry(settings.particles), "outline": outline}
        ancestors, due = block.ancestors[place], block.due[place] == 1
        looked = number % SELDOM == 0
        weakest = Weakest(int(block.weakest[place, 0]), *block.weakest[place, 1:].tolist()) if looked else None
        told: dict[str, Any]
        if self.method == "smc":
            if not block.log_evidence[place] > -np.inf:  # it has lost all its particles
                return {}
            forks = ((n - 1, ancestors[n]) for n in range(len(ancestors) - 1, 0, -1) if due[n])
            told = {"ancestry": Ancestry.of(settings.particles, forks), "weakest": weakest, "outline": outline}
            if settings.keeps_genealogy(number):
                told["genealogy"] = Genealogy.of(settings.particles, list(ancestors[1:][due[1:]]))
            return told
        chosen = int(block.chosen[place])
        genealogy = Genealogy.of(settings.particles, list(ancestors[1:]), chosen)
        told = {"renewed": (genealogy.line(chosen) != 0).tolist()}
        if looked:
            told |= {"weakest": weakest, "outline": outline}
            told["ancestors"] = [len(np.unique(lines)) for lines in _lines(ancestors)]
        if self.method == "pgas":
            boundaries = max(1, len(self.plan.segments) - 1)
            told |= {"moved": float(block.moved[place]) / boundaries, "replays": 0, "dropped": {}}
            told["candidates"] = boundaries * settings.particles
        told["chosen"] = chosen
        if settings.keeps_genealogy(number):
            told["genealogy"] = Genealogy.of(settings.particles, list(ancestors[1:][due[1:]]), chosen)
        return told

    def kept(self, block: Block, place: int, log_weights: NDArray[np.float64], number: int, key: Key) -> Kept | None:
        """What is kept of a sweep."""
        if not self.is_chain:
            return self.standing(log_weights, number, key, np.arange(self.settings.particles))
        words = block.drawn[place]
        chosen = np.array([int(block.chosen[place])])
        return None if words is None else KeptLater(chosen, OfChain(self.naming, words))

    def standing(
        self, log_weights: NDArray[np.float64], number: int, key: Key, living: NDArray[np.intp]
    ) -> Kept | None:
        """What is kept of an independent sweep."""
        if self.settings.particles > MOST_PARTICLES or not (log_weights > -np.inf).any():
            return None
        places = equal_places(log_weights, self.settings.chain, number, is_chain=False)
        again = OfSweep(self.naming, self.method, self.settings, (key.k0, key.k1), living[places].tolist())
        return KeptLater(places, again)

    def by_lanes(self, number: int, key: Key) -> Iterator[Sweep]:
        """A sweep that something is wrong with, by lanes: it is the same sweep, and they know what to say."""
        state: Any = None
        if self.is_chain:
            assert self.engine.retained is not None
            state = Retained([self.naming.named(self.engine.retained.words)])
        state, sweeps = self.kernel.step(self.below, state, self.settings, number, key)
        if self.is_chain:
            self.engine.retain(drawn_of(self.plan, state.held[0]))
        if number >= 0:
            yield from keeping(state, sweeps)


class _Telling:
    """What is told of single sweeps of a block, when somebody asks."""

    def __init__(self, owner: General, block: Block, number: int, keys: list[Key]) -> None:
        self.owner, self.block, self.number, self.keys = owner, block, number, keys

    def told(self, place: int) -> dict[str, Any]:
        return self.owner.told(self.block, place, self.number + place)

    def kept(self, place: int) -> Kept | None:
        block = self.block
        log_weights = block.log_weights[place]
        if not self.owner.is_chain:
            log_weights = log_weights + block.log_evidence[place]
        return self.owner.kept(block, place, log_weights, self.number + place, self.keys[place])


def _by_sweep(column: Column, count: int) -> Column:
    """A column of all particles of all sweeps, by sweep where it is an array."""
    return column if isinstance(column, list) else column.reshape((*column.shape[:-1], count, -1))


def _lines(ancestors: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The ancestors of the final particles in each generation."""
    lanes = np.arange(ancestors.shape[1])
    found = [lanes]
    for n in range(len(ancestors) - 1, 0, -1):
        lanes = ancestors[n][lanes]
        found.append(lanes)
    return found[::-1]
