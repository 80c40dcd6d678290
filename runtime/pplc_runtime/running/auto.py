"""The method that is chosen for you: by what a program is, until there are enough effective draws.

A program of finitely many executions is enumerated, which is exact. For all others `choices` has the methods that fit,
the best first, and what is tried is said with its reason.

Chains are four. They run for some sweeps, and as many again, until each predict has the effective draws that are wanted
and the chains agree, or the time is over. Where there is another method to try, the first has two thirds of the time;
its draws are thrown away, unless the other comes to fewer. What is chosen goes by the text and the data, and by how
far a method came, never by what the draws are.

With a journal what was decided is noted (`Course`), so that a run that is taken up again decides the same. It ends with
the draws of one that was never interrupted, unless the time is over before there is enough: how many sweeps there are
then, and where another method begins, goes by the clock.

Where gradients move the states of paths, chains may each have found a mode of their own, and report what hardly
differs: they must agree on all that they draw, too, if not as closely.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

from pplc_runtime.composed import method_in, offer_of
from pplc_runtime.engine.enumeration import NotFinite
from pplc_runtime.results.convergence import aligned, rank_rhat
from pplc_runtime.results.journal import FAILED, Journal, JournalError
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.running.choices import GENERAL, STATIC, Choice, choices
from pplc_runtime.settings import SETTINGS
from pplc_runtime.values import ModelError

if TYPE_CHECKING:
    from pplc_runtime.running.program import Program

Noted = TypeVar("Noted")

CHAINS: Final = 4
FEWEST: Final = 50
"""Effective draws are told from so many sweeps on."""
AGREEING: Final = 1.01
"""The largest rhat of chains that agree; and below that of anything drawn, of which there is much."""
AGREEING_EVERYWHERE: Final = 1.1
MOST_LOOKED_AT: Final = 200
"""So many of the values that are drawn are compared, evenly spread."""
ENOUGH_OF_SMC: Final = 100
"""Effective draws in the first sweeps of smc."""
PILOT: Final = 150
"""Sweeps of a pilot, after as many that adapt."""
_FIRST: Final = {"nuts": 250, "slice": 500, "smc": 10, GENERAL: FEWEST, STATIC: FEWEST}
"""Sweeps to begin with, where they are not 250."""
_OWN: Final = {"pgas": {"particles": 50, "burn_in": 50}, GENERAL: {"burn_in": 50}, STATIC: {"burn_in": 50}}
"""Settings of methods that do much in a sweep, where others are not given."""


class Wanted(NamedTuple):
    """When a run is good enough, and when it ends."""

    effective: int
    until: float
    """On the clock of the run."""
    everywhere: bool = False
    """Whether chains must agree on all that they draw."""


class Course:
    """The clock of a run, over all processes that it has had, and what was decided on the way."""

    def __init__(self, journal: Journal | None) -> None:
        self.journal = journal
        self.begun = time.monotonic() - (0.0 if journal is None else journal.seconds)

    def now(self) -> float:
        """Seconds since the run has begun."""
        return time.monotonic() - self.begun

    def noted(self, what: str, find: Callable[[], Noted], fits: Callable[[Any], bool]) -> tuple[Noted, float]:
        """What is decided, and when that was; `fits` tells what can have been."""
        at = self.now()
        return (find(), at) if self.journal is None else self.journal.noted(what, find, at, fits)


def automatic(
    program: Program,
    data: Any,
    max_depth: int,
    target_ess: int = SETTINGS["target_ess"].default,
    seconds: int = SETTINGS["seconds"].default,
    chains: int = 1,
    journal: Journal | None = None,
    **settings: Any,
) -> Posterior:
    """Draws by the method that fits, until there are enough."""
    course = Course(journal)
    own: dict[str, Any] = {"data": data, "max_depth": max_depth, **settings}
    try:
        exact = program.infer("enumerate", **{**own, "executor": None})
        exact.remarks.append("auto: enumerate, since executions are few; by hand --method enumerate")
        return exact
    except NotFinite:
        pass
    values = program.data(data)
    found = program.once(lambda: choices(program.plan(values)), max_depth)
    best: Posterior | None = None
    told: list[str] = []
    for place, choice in enumerate(found):
        is_last = place == len(found) - 1
        until = seconds * (1.0 if is_last else 2 / 3)
        try:
            method, _ = course.noted("method", partial(piloted, program, choice, own), choice.ways.__contains__)
            many = {"chains": max(CHAINS, chains)} if offer_of(method_in(method)).is_chain else {}
            sweeps = settings.get("sweeps") or _FIRST.get(method, 250)
            if choice.free:
                check_free(program, method, own)
            posterior = program.infer(
                method, **{**_OWN.get(method, {}), **own, **many, "sweeps": sweeps, "checkpoint": journal}
            )
        except JournalError:
            raise
        except ModelError as error:
            if is_last and best is None:
                raise
            why, _ = course.noted(FAILED, partial(str, error), lambda found: isinstance(found, str))
            told.append(f"{choice.method} cannot be used: {why.partition(chr(10))[0]}")
            continue
        wanted = Wanted(target_ess, until, choice.everywhere)
        lacks = until_enough(posterior, wanted, is_last, course, settings.get("executor"))
        by_hand = f"--method '{method}'" + (f" --chains {posterior.chains}" if many else "")
        by_hand += f" --particles {posterior.particles}" if method == "pgas" else ""
        if best is None or effective_of(posterior) > effective_of(best):
            best, chosen = posterior, f"auto: {method}, since {choice.reason}; by hand {by_hand}"
        if lacks is None:
            break
        told.append(f"{method}: {lacks}")
        if posterior.interrupted:
            break
    assert best is not None
    best.remarks.append(chosen)
    if lacks is not None:
        best.remarks.append(f"note: {told.pop()} after {seconds} s; give it more by --seconds")
    best.remarks.extend(f"note: {each}; so another method was tried" for each in told)
    return best


def piloted(program: Program, choice: Choice, own: dict[str, Any]) -> str:
    """The method of a choice: that which has most effective draws for its gradients, in a short run of one chain."""
    rates: dict[str, float] = {}
    for method in choice.ways if choice.others else ():
        rates[method] = 0.0
        given = {**own, "sweeps": PILOT, "burn_in": PILOT, "chains": 1, "cores": 1}
        try:
            pilot = program.infer(method, **{**given, "on_sweep": None, "progress": False, "executor": None})
        except ModelError:
            continue
        work = sum(sweep.diagnostics["gradients"] for sweep in pilot.sweeps)
        rates[method] = effective_of(pilot) / work
    return max(rates, key=rates.__getitem__, default=choice.method)


def check_free(program: Program, method: str, own: dict[str, Any]) -> None:
    """A ModelError if a pilot has met values that are impossible given all others: single moves may never go around
    them. If there are none, they come everywhere."""
    given = {**own, "sweeps": PILOT, "burn_in": PILOT, "chains": 1, "cores": 1}
    pilot = program.infer(method, **{**given, "on_sweep": None, "progress": False, "executor": None})
    if any(sweep.diagnostics.get("impossible") for sweep in pilot.sweeps):
        raise ModelError("values that are drawn hold each other in place")


def until_enough(
    posterior: Posterior, wanted: Wanted, is_last: bool, course: Course, executor: Executor | None = None
) -> str | None:
    """Go on until there is enough; what is lacking when the time is over, or at once if smc will not come there."""
    already = len(posterior.sweeps) // posterior.chains
    begun = course.now()
    if not is_last and posterior.method == "smc" and effective_of(posterior) < ENOUGH_OF_SMC:
        return f"{effective_of(posterior):.0f} effective draws in {already} sweeps"
    while (told := lacking(posterior, wanted.effective, wanted.everywhere)) and not posterior.interrupted:
        done = len(posterior.sweeps) // posterior.chains
        more, at = course.noted("more", partial(further, course, wanted.until, done, already, begun), is_number)
        if more <= 0:
            return told
        begun = at if done == already else begun
        try:
            posterior.extend(more, progress=False, executor=executor, journal=course.journal)
        except KeyboardInterrupt:
            posterior.interrupted = True
    return told


def is_number(found: Any) -> bool:
    """Whether it is a number of sweeps."""
    return type(found) is int and found >= 0


def further(course: Course, until: float, done: int, already: int, begun: float) -> int:
    """How many sweeps are done next: as many again, or what there is time for; 0 if it is over."""
    left = until - course.now()
    if left <= 0:
        return 0
    pace = max(course.now() - begun, 1e-3) / max(1, done - already)
    return max(1, min(done, int(left / pace) if done > already else done))


def effective_of(posterior: Posterior) -> float:
    """The effective draws of the predict that has the fewest; of chains that do not agree those are not to be had."""
    found = [posterior.effective_draws(label) for label in posterior.labels]
    return min((each for each in found if each == each), default=float("inf"))


def lacking(posterior: Posterior, target_ess: int, everywhere: bool = False) -> str | None:
    """What is missing: effective draws of a predict, or chains that agree; None if all is well."""
    done = len(posterior.sweeps) // posterior.chains
    if posterior.is_chain and done < FEWEST:
        return f"{done} sweeps, too few to tell effective draws,"
    for label in posterior.labels:
        rhat = _worst(posterior, label)
        if rhat > AGREEING:
            return f"the chains do not agree on {label} (rhat {rhat:.2f})"
        effective = posterior.effective_draws(label)
        if effective < target_ess:
            return f"{effective:.0f} of {target_ess} effective draws of {label}"
    if everywhere and (rhat := _worst_draw(posterior)) > AGREEING_EVERYWHERE:
        return f"the chains do not agree on something that is drawn (rhat {rhat:.2f})"
    return None


def _worst(posterior: Posterior, label: str) -> float:
    """The rank-normalised R-hat of the worst component of a predict."""
    if not posterior.is_chain or posterior.chains < 2:
        return 1.0
    found = [rank_rhat(aligned(posterior.series(label, column))) for column in posterior.indicators(label)]
    return max((each for each in found if each == each), default=1.0)


def _worst_draw(posterior: Posterior) -> float:
    """The same of what the chains have drawn."""
    chains: dict[int, list[Any]] = {}
    for sweep in posterior.sweeps:
        if sweep.kept is not None and sweep.kept.blocks:
            drawn = np.concatenate([np.ravel(block.data).astype(float) for block in sweep.kept.blocks])
            chains.setdefault(sweep.chain, []).append(drawn[:: -(-len(drawn) // MOST_LOOKED_AT)])
    if len(chains) < 2:
        return 1.0
    rows = [np.array(drawn) for drawn in chains.values()]
    found = [rank_rhat(aligned([row[:, k] for row in rows])) for k in range(rows[0].shape[1])]
    return max((each for each in found if each == each), default=1.0)
