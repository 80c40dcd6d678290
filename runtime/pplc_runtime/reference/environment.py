"""The global environment R of one execution, and the ways to answer its samples and observes.

`Draw` runs the program F[y]: choices are drawn. `Given` runs F[y, x]: choices are taken from a map by
address, and their densities added up. `InOrder` does so with a list of choices in the order of execution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from pplc_runtime.engine.observed import Observed
from pplc_runtime.lanes.addresses import At
from pplc_runtime.program.stochastic import Dist, ProcessInstance, observable
from pplc_runtime.reference.draws import (
    Choice,
    Random,
    States,
    fits,
    kind_of,
    log_density,
    log_likelihood,
    seat,
)
from pplc_runtime.reference.trace import Symbol, Trace
from pplc_runtime.values import ModelError, key_of

DEEPEST = 10_000
Seating: TypeAlias = tuple[At, Any]
"""What a process took in: the address of the sample or observe, and the value."""


class Impossible(Exception):  # not an error: the execution ends here
    """The execution has weight zero and ends here."""


class Ended(Exception):  # not an error: it is not a query that has ended, but the program around it
    """An execution ends on the way to what a query in it asks for."""

    def __init__(self, R: Environment, reason: Impossible) -> None:
        super().__init__()
        self.R = R
        self.reason = reason


class Mismatch(Impossible):
    """The given choices are not those of the execution."""


class Environment:
    """R: the variables that were assumed and the memo entries made so far, and the states of processes.

    `running` are the memo entries that are being computed."""

    __slots__ = (
        "asked", "bindings", "deepest", "depth", "handler", "known", "observed", "running", "standing", "states",
    )  # fmt: skip

    def __init__(self, handler: Handler, deepest: int = DEEPEST, observed: Observed | None = None) -> None:
        self.bindings: dict[Symbol, Trace] = {}
        self.states: States = {}
        self.known: dict[At, tuple[Any, ...]] = {}
        """Of each Gaussian process, the points where its value is known (see `gaussian`)."""
        self.handler = handler
        self.running: set[Symbol] = set()
        self.asked: list[Trace] = []
        """What a query was given from outside."""
        self.depth = 0
        self.deepest = deepest
        self.observed = observed
        """Other data for the observes."""
        self.standing: dict[At, Mapping[str, Trace]] = {}
        """The globals that there were where each predict stands that waits."""

    def fork(self, handler: Handler) -> Environment:
        """An environment of its own for an execution that goes on from here."""
        copy = Environment(handler, self.deepest, self.observed)
        copy.bindings = dict(self.bindings)
        copy.states = dict(self.states)
        copy.known = dict(self.known)
        copy.standing = dict(self.standing)
        return copy

    def asks(self, at: At) -> Environment | None:
        """Where an entry of the memo at an address belongs, if not here."""
        return None

    def global_trace(self, name: str) -> Trace:
        trace = self.bindings.get(name)
        if trace is None:
            raise ModelError(f"'{name.split('%')[0]}' is used before it is assumed")
        return trace


class Held(NamedTuple):
    """Values that no particle draws: all take those of the retained run, whose density is weight."""

    holds: Callable[[At], bool]
    choices: Mapping[At, Choice]

    def are_used(self, choices: Iterable[At]) -> bool:
        """Whether an execution that makes some choices has taken all of them."""
        return sum(map(self.holds, choices)) == len(self.choices)


class Handler:
    """Answers samples, observes and predicates, and records them."""

    held: Held | None = None

    def __init__(self) -> None:
        self.log_held = 0.0
        """The log density of the values that are held."""
        self.drawn: dict[At, Choice] = {}
        self.predicates: list[bool] = []
        self.seated: list[Seating] = []
        self.log_prior = 0.0
        """The log density of the choices that were given, not drawn."""

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        raise NotImplementedError

    def sample(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        """The choice of the sample at an address; a process takes it in."""
        if self.held is not None and self.held.holds(alpha):
            choice = self.take(alpha, source, states, self.held)
        else:
            choice = self.choose(alpha, source, states)
        self.drawn[alpha] = Choice(choice, kind_of(source, choice, states))
        self.seat(alpha, source, choice, states)
        return choice

    def take(self, alpha: At, source: Dist | ProcessInstance, states: States, held: Held) -> Any:
        """A value that is held: the execution ends where there is none, or it is of another kind or impossible."""
        choice = held.choices.get(alpha)
        if choice is None or not fits(choice.value, source, states):
            raise Mismatch
        density = log_density(source, choice.value, states)
        if choice.kind != kind_of(source, choice.value, states) or density == -np.inf:
            raise Mismatch
        self.log_held += density
        return choice.value

    def observe(self, alpha: At, source: Any, value: Any, states: States) -> float:
        """The log likelihood of the observe at an address; a process takes the value in."""
        density = log_likelihood(source, value, states)
        if density == -np.inf:
            raise Impossible
        self.seat(alpha, source, value, states)
        return density

    def seat(self, alpha: At, source: Any, value: Any, states: States) -> None:
        """A process takes in what was drawn or observed at an address."""
        if isinstance(source, ProcessInstance):
            self.seated.append((alpha, key_of(observable(source, value))))
        seat(source, value, states)

    def decided(self, truth: bool) -> None:
        """Told of the predicate of every if."""
        self.predicates.append(truth)


class Draw(Handler):
    """Every choice is drawn."""

    def __init__(self, random: Random, held: Held | None = None) -> None:
        super().__init__()
        self.random = random
        self.held = held

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        return self.random.choice(alpha, source, states)


class Scoring(Handler):
    """Choices are given, and their densities added up."""

    def score(self, source: Dist | ProcessInstance, choice: Any, states: States) -> None:
        density = log_density(source, choice, states)
        if density == -np.inf:
            raise Impossible
        self.log_prior += density


class Given(Scoring):
    """Choices are taken from a map by address, each of them once.

    The execution ends where it draws at an address that is not there, or what is there is of another kind or
    impossible. It also ends where a process takes in something else than processes did at that point of the
    retained generation: with the same values in the same order, what they take in during the suffix can be
    scored as a block. With `strict` it ends as well where a predicate is not the retained one, in order.

    Both rules are exact, as each asks that the prefix and the suffix together have the same sequence as the
    retained particle: that is an equivalence among the candidates, whoever of them is retained."""

    def __init__(
        self,
        choices: Mapping[At, Choice],
        seated: Sequence[Sequence[Seating]],
        predicates: Sequence[Sequence[bool]],
        strict: bool = False,
        held: Held | None = None,
    ) -> None:
        super().__init__()
        self.held = held
        self.remaining = dict(choices)
        self.seated_before = seated
        self.predicates_before = predicates
        self.strict = strict

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        choice = self.remaining.pop(alpha, None)
        if choice is None or not fits(choice.value, source, states):
            raise Mismatch
        if choice.kind != kind_of(source, choice.value, states):
            raise Mismatch
        self.score(source, choice.value, states)
        return choice.value

    def seat(self, alpha: At, source: Any, value: Any, states: States) -> None:
        super().seat(alpha, source, value, states)
        if not _as_before(self.seated, self.seated_before[0]):
            raise Mismatch

    def decided(self, truth: bool) -> None:
        super().decided(truth)
        if self.strict and not _as_before(self.predicates, self.predicates_before[0]):
            raise Mismatch

    @property
    def done(self) -> bool:
        """Whether the generation has done all that it did in the retained particle."""
        return len(self.seated) == len(self.seated_before[0]) and (
            not self.strict or len(self.predicates) == len(self.predicates_before[0])
        )

    def rest(self) -> Given:
        """What is left, for the generations to come."""
        return Given(self.remaining, self.seated_before[1:], self.predicates_before[1:], self.strict, self.held)

    def fresh(self) -> Given:
        """The same, for another execution of this generation."""
        return Given(self.remaining, self.seated_before, self.predicates_before, self.strict, self.held)

    def holding(self, holds: Callable[[At], bool]) -> Given:
        """The same, where some of the choices are held."""
        held = Held(holds, {alpha: choice for alpha, choice in self.remaining.items() if holds(alpha)})
        rest = {alpha: choice for alpha, choice in self.remaining.items() if not holds(alpha)}
        return Given(rest, self.seated_before, self.predicates_before, self.strict, held)


def _as_before(now: Sequence[Any], before: Sequence[Any]) -> bool:
    """Whether a sequence that has just grown still begins as another one does, if it did so far."""
    return len(now) <= len(before) and bool(now[-1:] == before[len(now) - 1 : len(now)])


class ByPath(Scoring):
    """Choices are taken from a map by the paths of their addresses."""

    def __init__(self, choices: Mapping[tuple[Any, ...], Any]) -> None:
        super().__init__()
        self.remaining = dict(choices)

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        path = alpha.path()
        if path not in self.remaining:
            raise Mismatch
        choice = self.remaining.pop(path)
        if not fits(choice, source, states):
            raise Mismatch
        self.score(source, choice, states)
        return choice


class InOrder(Scoring):
    """Choices are taken from a list, in the order of execution."""

    def __init__(self, choices: Iterable[Any]) -> None:
        super().__init__()
        self.remaining = list(choices)

    def choose(self, alpha: At, source: Dist | ProcessInstance, states: States) -> Any:
        if not self.remaining:
            raise Mismatch
        choice = self.remaining.pop(0)
        if not fits(choice, source, states):
            raise Mismatch
        self.score(source, choice, states)
        return choice
