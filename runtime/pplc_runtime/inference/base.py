"""The contract of an inference method, and what it asks of an engine.

A method is a kernel: `init` gives the state of a chain, `step` the next one and a `Sweep`. The driver has the loop. A
method is listed in `METHODS`, and offered with its settings in `settings.OFFERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.engine.held import Held, Holds
from pplc_runtime.lanes.addresses import At
from pplc_runtime.lanes.frames import Index, Kept
from pplc_runtime.native.modes import Asked
from pplc_runtime.numerics.keys import Key
from pplc_runtime.numerics.resampling import SCHEMES, Scheme
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.regeneration.trace import Execution, Update
from pplc_runtime.results.ancestry import Outline, Weakest
from pplc_runtime.results.genealogy import Genealogy
from pplc_runtime.results.kept import Kept as KeptDraws
from pplc_runtime.results.sweeps import Column, Sweep
from pplc_runtime.settings import Offer
from pplc_runtime.values import Impossible, ModelError, Place

if TYPE_CHECKING:
    from pplc_runtime.native.blocks import Blocks
    from pplc_runtime.native.mover import Mover
    from pplc_runtime.native.parts import Part

Floats: TypeAlias = NDArray[np.float64]

SELDOM: Final = 10
"""What costs time is looked at in one of so many sweeps."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a method may be told, beside the program."""

    particles: int
    sweeps: int
    chain: int = 0
    resampling: str = "multinomial"
    ess_threshold: float = 1.0
    """Resample when the effective share of the particles is below this; 1 is at every observe."""
    burn_in: int = 0
    strict: bool = False
    """pgas: reject an ancestor also when a branch is taken otherwise than in the retained run."""
    proposals: int | None = None
    """lmh: the proposals of a sweep; None for as many as a first execution has choices."""
    waste_free: bool = False
    """smc with moves: all states of the moves are particles."""
    nodes: int = 8
    """ipmcmc: runs of a sweep, half of them conditional."""
    delayed: bool = False
    """Draws that can be integrated out are not made before they are needed."""
    genealogy: int = 0
    """smc, icsmc, pgas: keep the genealogy of so many sweeps, the last ones."""

    @property
    def scheme(self) -> Scheme:
        return SCHEMES[self.resampling]

    def of(self, chain: int) -> Settings:
        """The same for a chain, counted from this one."""
        return replace(self, chain=self.chain + chain)

    def keeps_genealogy(self, number: int) -> bool:
        """Whether the genealogy of a sweep is kept."""
        return number >= self.sweeps - self.genealogy


class Planned(Protocol):
    """A run of a program: the segments between its observes, and the lines that notes about it speak of."""

    @property
    def segments(self) -> Sequence[Any]: ...
    @property
    def outline(self) -> Outline: ...


class Particles(Protocol):
    """The particles of one sweep, or of one sweep each of several chains, row by row."""

    size: int
    """Those of one chain."""
    chains: int
    kept: Kept
    """The places of those that are retained, and their chains."""
    watched: bool
    weakest: Weakest | None
    perished: bool
    parted: bool
    """Whether an observe was no resampling point, since only some came to it, or it was met in a memo."""

    @property
    def missed(self) -> int | None:
        """How many ended since they would draw other addresses than those that are held; None if nobody counts."""

    @property
    def plan(self) -> Planned: ...
    @property
    def outline(self) -> Outline:
        """The lines of the observes that ended its generations, for notes."""

    # To run them

    @property
    def segments(self) -> Sequence[Any]:
        """What they are extended by, one after the other."""

    @property
    def log_weights(self) -> Floats:
        """What the observes since the last fork add to each particle's log weight."""

    def extend(self, segment: Any, between: Callable[[], None] | None = None) -> None:
        """Run all particles to the end of a segment; `between` is called where all stand at an observe inside of it."""

    def weights(self, log_weights: Floats | None = None) -> tuple[Floats, Any]:
        """The weights up to a factor, and the log of what they sum to; if there are several chains a row each."""

    def clear_weights(self) -> None:
        """Weigh from here on; what there was is kept by the caller."""

    def fork(self, ancestors: Index) -> None:
        """Continue with these particles, each as often as it is named."""

    def leave(self, living: Index) -> None:
        """Continue with these particles alone, each of which draws in its slot."""

    def fork_by(self, scheme: Scheme, weights: Floats) -> None:
        """Continue with particles by weight."""

    def fork_around(self, scheme: Scheme, weights: Floats, kept: Any = None) -> None:
        """Continue with particles by weight; the first of each chain continues the one given, or the retained one."""

    def pick(self, weights: Floats) -> Any:
        """A particle by weight; one for each chain if there are several."""

    def impossible(self) -> ModelError:
        """The error when all weights are zero."""

    def failure(self, message: str) -> ModelError:
        """An error of the statement that was run last."""

    # What they come to

    def lanes(self, chosen: Any) -> list[int]:
        """The lanes of particles that are given by their places in their chains."""

    def predicts(self) -> dict[str, Column]:
        """The reported values of every particle, by label."""

    def trajectory(self, lane: int) -> dict[At, Any]:
        """The values drawn along the ancestry of a lane, by address."""

    def trajectories(self, lanes: list[int]) -> list[dict[At, Any]]:
        """The same for several lanes."""

    def drawn_by(self, lanes: Index) -> KeptDraws | None:
        """All that the particles in some lanes drew; None where that is not remembered."""

    # Who continued whom

    def lines(self, lanes: Index) -> list[Index]:
        """The places of the ancestors of some lanes in each segment."""

    def forks(self) -> Iterator[tuple[int, Index]]:
        """The forks, the last first: the segment that ended with each, and the ancestors of the lanes after it."""

    def distinct_ancestors(self, lanes: Index) -> list[int]:
        """How many ancestors some lanes have in each segment."""

    def genealogy(self, chain: int = 0, chosen: int | None = None) -> Genealogy:
        """Who continued whom; a conditional sweep has a chosen particle."""


class ConditionalRun(Protocol):
    """The particles of a conditional sweep around what chains retain, and the rest of that, their suffix."""

    chain: int
    """The first of its chains, counted from that of the settings."""

    @property
    def particles(self) -> Particles: ...

    def rescore(self, number: int) -> Any:
        """The log density of the suffix from generation `number` on, after the prefix of each particle."""

    def to_retain(self, lanes: list[int]) -> Retained:
        """A particle of each chain as one to retain."""

    @property
    def replays(self) -> int:
        """How many segments were replayed."""

    @property
    def dropped(self) -> Mapping[Place, int]:
        """How many candidates the suffix did not fit, by the place that is to blame."""


class Engine(Protocol):
    """What runs a program: particles, which are extended, weighed and forked, suffixes, which are rescored, and traces,
    which are updated."""

    @property
    def plan(self) -> Planned: ...

    def particles(
        self, key: Key, size: int, retained: list[dict[At, Any]] | None = None, remember: bool = False
    ) -> Particles:
        """Particles at the start of a sweep; the first of each chain takes what it retains."""

    def conditional(self, key: Key, settings: Settings, retained: Retained) -> Iterator[ConditionalRun]:
        """What chains retain with their suffixes: one run for all where that can be, else one for each."""

    def together(self, states: list[Retained]) -> Retained | None:
        """What several chains retain as one, whose suffixes can be rescored at once; None where that cannot be."""

    def is_hopeless(self, error: Impossible) -> bool:
        """Whether the statement at which all particles ended is impossible whatever is drawn."""

    def holding(self, key: Key, settings: Settings, retained: Retained, holds: Holds) -> Iterator[ConditionalRun]:
        """One run for each chain, in which all particles have the retained values at the addresses that are held."""

    def with_held(self, key: Key, size: int, held: Held) -> Particles:
        """Particles at the start of a sweep that retain nothing, and all have the held values."""

    def blocks(self, asked: Asked) -> Blocks | None:
        """What does many sweeps of a kind at once; None where they are done one after the other."""

    def first(self, size: int, resampling: str, ess_threshold: float, key: Key) -> dict[At, Any] | None:
        """What a particle draws that is chosen by weight after a sweep, if machine code does that; else None."""

    def moves(self, part: Part) -> bool:
        """Whether there is machine code for some moves of the program's values, which has a static structure then."""

    def mover(self, parts: tuple[Part, ...], held: dict[At, Any]) -> Mover:
        """What moves the values of an execution of static structure."""

    def trace(self, values: Mapping[At, Any], rng: np.random.Generator) -> Execution:
        """The execution that draws some values by address; what they lack is drawn."""

    def log_density(self, trace: Any) -> float:
        """The log density of all that an execution draws and observes."""

    def update(
        self, trace: Any, changes: Mapping[At, Any], rng: np.random.Generator, moved: Mapping[At, At] | None = None
    ) -> Update:
        """Replace values of an execution, and run anew what reads them; the trace is changed in place. A value that is
        `REDRAWN` is drawn from its distribution or process as it is there; one that is `moved` is found at another
        address."""


class Kernel(Protocol):
    """An inference method: where a chain starts, and how it goes on. What it needs of the past is the state.

    A step leaves the posterior invariant, or is an independent estimate with its weights."""

    def bound(self, engine: Engine, settings: Settings) -> Kernel:
        """The same for the program of an engine; nothing in it depends on what a chain draws."""

    def init(self, engine: Engine, settings: Settings, key: Key) -> Any:
        """The first state of a chain."""

    def step(
        self,
        engine: Engine,
        state: Any,
        settings: Settings,
        number: int,
        key: Key,
        report: bool = True,
    ) -> tuple[Any, list[Sweep]]:
        """The next state, and the sweep of each chain; without a report nothing is predicted.

        The key is that of the sweep."""

    def together(self, engine: Engine, states: list[Any]) -> Any:
        """The states of several chains as one, whose steps do all of them at once; None where that cannot be."""


class Unbound(Protocol):
    """What becomes a kernel for a program."""

    def bound(self, engine: Engine, settings: Settings) -> Kernel:
        """The kernel for the program of an engine; nothing in it depends on what a chain draws."""


@runtime_checkable
class InBlocks(Kernel, Protocol):
    """A kernel that does several steps at once."""

    def block(self, engine: Engine, state: Any, settings: Settings) -> int:
        """How many; 0 where it takes one after the other."""

    def steps(
        self, engine: Engine, state: Any, settings: Settings, number: int, count: int, key: Key
    ) -> tuple[Any, Sequence[Sweep]]:
        """The state after several steps, and their sweeps. The key is the chain's, of which each
        sweep has that of its number, the burn-in counted: `key.fold(number + settings.burn_in)`."""


@runtime_checkable
class Resumed(Kernel, Protocol):
    """A kernel whose state is more than what it retains: it is found again in the last sweep."""

    def resumed(self, engine: Engine, after: Sweep) -> Any:
        """The state after a sweep."""


@runtime_checkable
class Confined(Kernel, Protocol):
    """A kernel that stays among executions which draw alike. It is an error if it meets others, where no kernel beside
    it may lead there."""

    def beside_others(self) -> Kernel:
        """The same where another kernel may."""


@runtime_checkable
class OfParts(Kernel, Protocol):
    """A kernel of parts that are run without a pause between them."""

    @property
    def parts(self) -> tuple[Any, ...]: ...

    def repeated(self, times: int) -> Kernel:
        """The same several times in a sweep."""

    def followed_by(self, other: OfParts) -> Kernel:
        """One after the other, in a sweep of both."""


@dataclass(frozen=True, slots=True)
class Method:
    """An inference method: how it is offered, and its kernel."""

    offer: Offer
    kernel: Unbound


def keeping(state: Any, sweeps: Sequence[Sweep]) -> Iterator[Sweep]:
    """The sweeps of chains with what each retains now: the particle that was chosen by weight."""
    if not isinstance(state, Retained):
        yield from sweeps
        return
    for sweep, values in zip(sweeps, state.held):
        yield replace(sweep, kept=KeptDraws.alone(sweep.diagnostics.get("chosen", 0), values))
