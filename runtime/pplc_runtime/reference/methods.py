"""Importance sampling, SMC, iterated conditional SMC and PGAS in their simplest form (paper, sections 2.2 and 3).

The retained particle is number 0 in every generation. PGAS draws its ancestor with the weights

    w_{n-1|N}^l = w_{n-1}^l p(y_N, x_N^k[x_n^l] | F_N[y_n, x_n^l]),

where the second factor is found by running the suffix from the prefix of particle l with the retained choices, by
address. A suffix fits a prefix only if it draws exactly the addresses of the retained suffix, each of the same
kind and possible there; otherwise the factor is 0. `strict` also asks that every predicate be the retained
one. (With `paper` the suffix is regenerated as in the paper, which is not exact where there are memo entries.)

    F. Lindsten, M. Jordan and T. Schoen (2012), "Ancestor sampling for particle Gibbs", NIPS.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pplc_runtime.addresses import At
from pplc_runtime.frames import Frame, here
from pplc_runtime.reference.draws import Random
from pplc_runtime.reference.environment import (
    DEEPEST,
    ByPath,
    Draw,
    Given,
    Impossible,
    InOrder,
    Mismatch,
    Scoring,
)
from pplc_runtime.reference.execution import (
    Generation,
    Particle,
    Plan,
    Segment,
    extend,
    plan,
    start,
)
from pplc_runtime.reference.regenerate import Regeneration
from pplc_runtime.reference.syntax import Assume, Observe, Program
from pplc_runtime.results.json_values import from_python
from pplc_runtime.results.sweeps import Column, Sweep
from pplc_runtime.values import ModelError
from pplc_runtime.weights import ZeroWeights, log_sum_exp, normalise_and_sum

Floats: TypeAlias = NDArray[np.float64]
MOST_TO_START = 100_000


class Boundary(NamedTuple):
    """Told to `on_boundary`: the generations that the prefixes have, their log weights, and the log weights
    with which the ancestor of the retained particle is drawn, before they are normalised."""

    generation: int
    log_weights: Floats
    ancestor_log_weights: Floats


@dataclass(frozen=True, slots=True)
class Settings:
    """How pgas attaches suffixes, and who is told."""

    ancestors: bool = False
    strict: bool = False
    paper: bool = False
    on_boundary: Callable[[Boundary], None] | None = None


# One sweep


def sweep(
    run: Plan, size: int, random: Random, retained: Particle | None = None, settings: Settings = Settings()
) -> tuple[list[Particle], Floats, float]:
    """SMC, conditional on a particle if one is given: particles, weights that sum to 1, log evidence."""
    particles = [start(run) for _ in range(size)]
    follow = None if retained is None else _Retained(retained, settings)
    log_evidence = 0.0
    for n, segment in enumerate(run.segments):
        for l, particle in enumerate(particles):
            if follow is not None and l == 0:
                follow.extend(particle, n, segment)
            else:
                extend(particle, segment, Draw(random))
        log_weights = np.array([particle.log_weight for particle in particles])
        weights, log_total = _normalised(log_weights, segment)
        log_evidence += log_total - np.log(size)
        if n + 1 == len(run.segments):
            break
        ancestors = [random.index(weights) for _ in range(size if follow is None else size - 1)]
        if follow is not None:
            ancestors.insert(0, follow.ancestor(particles, log_weights, n + 1, run, random))
        particles = [particles[a].fork() for a in ancestors]
    return particles, weights, log_evidence


def _normalised(log_weights: Floats, segment: Segment) -> tuple[Floats, float]:
    try:
        return normalise_and_sum(log_weights)
    except ZeroWeights:
        error = ModelError("no particle can have come this far: all weights are zero")
        observes = [step.statement for step in segment if isinstance(step.statement, Observe)]
        error.place = observes[-1].place if observes else None
        raise error from None


class _Retained:
    """The retained particle of a sweep: what it still has to do."""

    def __init__(self, particle: Particle, settings: Settings) -> None:
        self.particle = particle
        self.settings = settings
        self.given = Given(particle.choices(), particle.predicates(), settings.strict)

    def extend(self, particle: Particle, n: int, segment: Segment) -> None:
        """Particle 0 follows the retained values through segment n."""
        if self.settings.paper:
            regenerate_generation(particle, self.particle, n, segment)
            return
        extend(particle, segment, self.given)
        self.given = self.given.rest()

    def ancestor(
        self, particles: list[Particle], log_weights: Floats, n: int, run: Plan, random: Random
    ) -> int:
        """The ancestor of particle 0 in segment n."""
        if not self.settings.ancestors:
            return 0
        if self.settings.paper:
            scores = [paper_suffix_score(p, self.particle, n, run) for p in particles]
        else:
            scores = [suffix_score(p, self.given, n, run) for p in particles]
        ancestor_log_weights = log_weights + np.array(scores)
        if self.settings.on_boundary is not None:
            self.settings.on_boundary(Boundary(n, log_weights, ancestor_log_weights))
        return random.index(normalise_and_sum(ancestor_log_weights)[0])


def suffix_score(prefix: Particle, retained: Given, n: int, run: Plan) -> float:
    """log p(suffix | prefix): the segments from n on, run from the prefix with the retained choices."""
    if prefix.log_weight == -np.inf:
        return -np.inf
    particle = prefix.fork()
    given = retained.rest()
    total = 0.0
    for segment in run.segments[n:]:
        extend(particle, segment, given)
        total += given.log_prior + particle.log_weight
        if total == -np.inf:
            return total
        given = given.rest()
    return -np.inf if given.remaining else total


# The paper's way


def paper_suffix_score(prefix: Particle, retained: Particle, n: int, run: Plan) -> float:
    """The log weight of the rescored trace R(T_n, R_{n-1}), T_n the traces of the retained suffix."""
    if prefix.log_weight == -np.inf:
        return -np.inf
    regeneration = Regeneration(prefix.R, _choices(retained))
    total = 0.0
    try:
        for segment, generation in zip(run.segments[n:], retained.generations[n:]):
            total += _regenerated(regeneration, segment, generation)
    except Impossible:
        return -np.inf
    return total + regeneration.delta_samples


def regenerate_generation(particle: Particle, retained: Particle, n: int, segment: Segment) -> None:
    """Particle 0 takes the regenerated traces of the retained particle's generation n."""
    regeneration = Regeneration(particle.R, _choices(retained))
    old = retained.generations[n]
    log_weight = _regenerated(regeneration, segment, old)
    particle.R = regeneration.R
    traces = [tuple([regeneration.regenerate(tau) for tau in traces]) for traces in old.traces]
    drawn = {alpha: choice for alpha, choice in retained.choices().items() if alpha in regeneration.sampled}
    particle.generations.append(Generation(traces, drawn, old.predicates, log_weight))


def _regenerated(regeneration: Regeneration, segment: Segment, generation: Generation) -> float:
    """Regenerate the statements of a generation in order; the log weight of its observes."""
    before = regeneration.delta_observes
    total = 0.0
    for step, traces in zip(segment, generation.traces):
        for tau in traces:
            new = regeneration.regenerate(tau)
            total += tau.l
            if isinstance(step.statement, Assume):
                regeneration.R.bindings[step.statement.name] = new
    return total + regeneration.delta_observes - before


def _choices(particle: Particle) -> dict[At, Any]:
    return {alpha: choice.value for alpha, choice in particle.choices().items()}


# The methods


def importance(run: Plan, size: int, random: Random, number: int) -> Sweep:
    """F[y] ~> W, x: the weights sum to the estimate of the evidence; draws of weight zero are left out."""
    alive: list[Particle] = []
    log_weights: list[float] = []
    for _ in range(size):
        particle, total = start(run), 0.0
        for segment in run.segments:
            extend(particle, segment, Draw(random))
            total += particle.log_weight
            if total == -np.inf:
                break
        if total > -np.inf:
            alive.append(particle)
            log_weights.append(total - np.log(size))
    weights = np.array(log_weights)
    evidence = log_sum_exp(weights) if log_weights else -np.inf
    return Sweep(0, number, weights, columns(alive, run), evidence)


def smc(run: Plan, size: int, random: Random, number: int) -> Sweep:
    """The weights sum to the estimate of the evidence."""
    particles, weights, log_evidence = sweep(run, size, random)
    return Sweep(0, number, _log(weights) + log_evidence, columns(particles, run), log_evidence)


def conditional(
    run: Plan, size: int, random: Random, number: int, retained: Particle, settings: Settings
) -> tuple[Sweep, Particle]:
    """One sweep of icsmc or pgas, and the particle that it retains."""
    particles, weights, log_evidence = sweep(run, size, random, retained, settings)
    chosen = particles[random.index(weights)]
    return Sweep(0, number, _log(weights), columns(particles, run), log_evidence), chosen


def first_retained(run: Plan, size: int, random: Random) -> Particle:
    """A first particle to retain, from SMC with as many particles as it takes."""
    size = max(size, 16)
    while True:
        try:
            particles, weights, _ = sweep(run, size, random)
            return particles[random.index(weights)]
        except ModelError as error:
            if "all weights are zero" not in error.args[0] or size >= MOST_TO_START:
                raise
            size *= 8


def columns(particles: Sequence[Particle], run: Plan) -> dict[str, Column]:
    """The predicts of all particles; nil where an execution has ended before."""
    rows = [particle.predicts(run.segments) for particle in particles]
    labels = {label: None for row in rows for label in row}
    return {label: [row.get(label) for row in rows] for label in labels}


def _log(weights: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(weights)
    return logs


METHODS = ("importance", "smc", "icsmc", "pgas")
OnSweep: TypeAlias = Callable[[Sweep], None]


def infer(
    program: Program,
    method: str,
    *,
    particles: int,
    sweeps: int,
    seed: int,
    data: Mapping[str, Any] | None = None,
    chains: int = 1,
    on_sweep: OnSweep | None = None,
    burn_in: int = 0,
    max_depth: int = DEEPEST,
    strict: bool = False,
    paper: bool = False,
    on_boundary: Callable[[Boundary], None] | None = None,
) -> Iterator[Sweep]:
    """The sweeps of all chains, one chain after the other; each has its own stream of random numbers."""
    if method not in METHODS:
        raise ValueError(f"there is no method '{method}'; there are {', '.join(METHODS)}")
    settings = Settings(method == "pgas", strict, paper, on_boundary)
    with one_lane(max_depth):
        run = planned(program, data, max_depth)
    for chain, stream in enumerate(np.random.SeedSequence(seed).spawn(chains)):
        random = Random(np.random.default_rng(stream))
        retained: Particle | None = None
        for number in range(-burn_in if method in ("icsmc", "pgas") else 0, sweeps):
            with one_lane(max_depth):
                if method == "importance":
                    done = importance(run, particles, random, number)
                elif method == "smc":
                    done = smc(run, particles, random, number)
                else:
                    retained = retained or first_retained(run, particles, random)
                    done, retained = conditional(run, particles, random, number, retained, settings)
            if number < 0:
                continue
            done = Sweep(chain, number, done.log_weights, done.predicts, done.log_evidence)
            if on_sweep is not None:
                on_sweep(done)
            yield done


def planned(program: Program, data: Mapping[str, Any] | None = None, max_depth: int = DEEPEST) -> Plan:
    """The plan of a run with inputs as Python gives them."""
    values = {name: from_python(value) for name, value in (data or {}).items()}
    unknown = [name for name in values if name not in program.inputs]
    if unknown:
        raise ValueError(f"the program has no input '{unknown[0]}'")
    return plan(program, values, max_depth)


@contextmanager
def one_lane(max_depth: int = DEEPEST) -> Iterator[None]:
    """Primitives see one particle, and recursion may go deep: Python calls of Python take no C stack."""
    frame, handler, limit = here.frame, here.handler, sys.getrecursionlimit()
    here.frame = Frame.first(1)
    sys.setrecursionlimit(max(limit, 20 * max_depth + 10_000))
    try:
        with np.errstate(all="ignore"):
            yield
    except RecursionError:
        raise ModelError("the recursion is too deep; raise the limit with --max-depth or max_depth=") from None
    finally:
        here.frame, here.handler = frame, handler
        sys.setrecursionlimit(limit)


# For comparison with other engines


class Replay(NamedTuple):
    """An execution with given choices."""

    log_prior: float
    log_likelihood: float
    predicts: dict[str, Any]


def replay(program: Program, values: Sequence[Any], data: Mapping[str, Any] | None = None) -> Replay:
    """The execution that makes the given choices, in order. Both logs are -inf if there is none: a choice is
    impossible, or there are too few or too many of them."""
    with one_lane():
        run = planned(program, data)
        return _replayed(run, InOrder(values))[0]


def log_joint(
    program: Program, choices: Mapping[At | tuple[Any, ...], Any], data: Mapping[str, Any] | None = None
) -> float:
    """The log density of the execution with the given choices by address, or path of an address."""
    paths = {alpha.path() if isinstance(alpha, At) else alpha: value for alpha, value in choices.items()}
    with one_lane():
        result, _ = _replayed(planned(program, data), ByPath(paths))
    return result.log_prior + result.log_likelihood


def executed(
    program: Program, values: Sequence[Any], data: Mapping[str, Any] | None = None
) -> tuple[Plan, Particle]:
    """The plan and the particle of an execution that makes the given choices, in order."""
    with one_lane():
        run = planned(program, data)
        replayed, particle = _replayed(run, InOrder(values))
    if replayed.log_prior == -np.inf:
        raise ValueError("the program has no execution with these choices")
    return run, particle


def _replayed(run: Plan, handler: InOrder | ByPath) -> tuple[Replay, Particle]:
    particle = _through(run, run.segments, handler)
    log_likelihood = sum(generation.log_weight for generation in particle.generations)
    if log_likelihood == -np.inf or handler.remaining:
        return Replay(-np.inf, -np.inf, {}), particle
    return Replay(handler.log_prior, log_likelihood, particle.predicts(run.segments)), particle


def _through(run: Plan, segments: Sequence[Segment], handler: Scoring) -> Particle:
    """A new particle taken through some segments, what is drawn and decided kept for each of them."""
    particle = start(run)
    for segment in segments:
        handler.drawn, handler.predicates = {}, {}
        extend(particle, segment, handler)
        if particle.log_weight == -np.inf:
            break
    return particle


def ancestor_log_weights(
    program: Program,
    generation: int,
    prefixes: Sequence[Sequence[Any]],
    retained: Sequence[Any],
    data: Mapping[str, Any] | None = None,
    *,
    strict: bool = False,
    paper: bool = False,
) -> Floats:
    """log w^l p(suffix | prefix^l) at the boundary after `generation` generations (1, 2, ...).

    A prefix is given by its choices up to there in order of execution, the retained particle by all of its."""
    with one_lane():
        run = planned(program, data)
        kept = _through(run, run.segments, InOrder(retained))
        given = Given(kept.choices(generation), kept.predicates(generation), strict)
        result = []
        for values in prefixes:
            handler = InOrder(values)
            prefix = _through(run, run.segments[:generation], handler)
            if handler.remaining:
                raise Mismatch
            if paper:
                score = paper_suffix_score(prefix, kept, generation, run)
            else:
                score = suffix_score(prefix, given, generation, run)
            result.append(prefix.log_weight + score)
    return np.array(result)
