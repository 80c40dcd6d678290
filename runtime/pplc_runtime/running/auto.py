"""The method that is chosen for you: by what a program is, until there are enough effective draws.

First match wins, and is said with its reason:

1. Finitely many executions: `enumerate`, which is exact.
2. Every execution draws and observes the same things, and there is machine code for its density. Where all draws are
   globals, which many statements share: `rw`, then `nuts`. With draws that few statements read (the states of a path,
   the effects of groups): `smc`, if ten sweeps of it have a hundred effective draws of each predict, else
   `pgas + rw*20`, since single moves may never leave one of several modes.
3. Anything else: `pgas + lmh`, particles for what holds each other in place and single moves for what many observes
   read.

Chains are four. They run for some sweeps, and as many again, until each predict has the effective draws that are wanted
and the chains agree, or the time is over. Where there is another method to try, the first has two thirds of the time;
its draws are thrown away, unless the other comes to fewer. What is chosen goes by the text and the data, and by how
far a method came, never by what the draws are.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from pplc_runtime.composed import Target
from pplc_runtime.composition import PATHS
from pplc_runtime.engine.enumeration import NotFinite
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.targets import covering, everything, statement_of
from pplc_runtime.native.engine import NativeEngine
from pplc_runtime.native.values import Unsupported
from pplc_runtime.results.convergence import aligned, rank_rhat
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.settings import OFFERS, SETTINGS
from pplc_runtime.specialise.engine import scripted
from pplc_runtime.values import ModelError

if TYPE_CHECKING:
    from pplc_runtime.running.program import Program

CHAINS: Final = 4
FEWEST: Final = 50
"""Effective draws are told from so many sweeps on."""
AGREEING: Final = 1.01
"""The largest rhat of chains that agree."""
ENOUGH_OF_SMC: Final = 100
"""Effective draws in the first sweeps of smc."""
GENERAL: Final = "pgas + lmh"
STATIC: Final = "pgas + rw*20"
_FIRST: Final = {"rw": 500, "nuts": 250, "smc": 10, GENERAL: FEWEST, STATIC: FEWEST}
"""Sweeps to begin with, where they are not 100."""


class Choice(NamedTuple):
    """A method, and why it is tried."""

    method: str
    reason: str


def choices(plan: Plan) -> list[Choice]:
    """The methods for a program that cannot be enumerated, the best first."""
    from pplc_runtime.native.sites import sites_of

    plan = scripted(plan)
    if plan.scripts is None:
        return [Choice(GENERAL, "executions differ in what they draw")]
    engine = NativeEngine(plan)
    try:
        sites_of(engine.joint, everything)
    except Unsupported as missing:
        return [Choice(GENERAL, f"there is no machine code for {missing}")]
    if not engine.joint.layout.draws:
        return [Choice("importance", "nothing is drawn")]
    path = covering(plan, Target(frozenset({PATHS})))
    local = next((draw.at for draw in engine.joint.layout.draws if path(draw.at)), None)
    if local is None:
        reason = "every execution draws the same things, which many statements share"
        return [Choice("rw", reason), Choice("nuts", f"{reason}, and single moves did not come far enough")]
    name, _ = plan.assumed.get(statement_of(plan, local), ("", False))
    reason = f"every execution draws the same things, and few statements read those of '{name}'"
    return [Choice("smc", reason), Choice(STATIC, reason)]


class Wanted(NamedTuple):
    """When a run is good enough, and when it ends."""

    effective: int
    until: float
    """On the clock."""


def automatic(
    program: Program,
    data: Any,
    max_depth: int,
    target_ess: int = SETTINGS["target_ess"].default,
    seconds: int = SETTINGS["seconds"].default,
    chains: int = 1,
    seed: int | None = None,
    **settings: Any,
) -> Posterior:
    """Draws by the method that fits, until there are enough."""
    begun = time.monotonic()
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    own: dict[str, Any] = {"data": data, "max_depth": max_depth, "seed": seed, **settings}
    try:
        exact = program.infer("enumerate", **own)
        exact.remarks.append("auto: enumerate, since executions are few; by hand --method enumerate")
        return exact
    except NotFinite:
        pass
    values = program.data(data)
    found = program.once(lambda: choices(program.plan(values)), max_depth)
    best: Posterior | None = None
    told: list[str] = []
    for place, (method, reason) in enumerate(found):
        is_last = place == len(found) - 1
        until = begun + seconds * (1.0 if is_last else 2 / 3)
        many = {"chains": max(CHAINS, chains)} if OFFERS.get(method, OFFERS["auto"]).is_chain else {}
        sweeps = settings.get("sweeps") or _FIRST.get(method, 100)
        try:
            posterior = program.infer(method, **{**own, **many, **_burn_in(method), "sweeps": sweeps})
        except ModelError as error:
            if best is None:
                raise
            told.append(f"{method} cannot be used: {str(error).splitlines()[0]}")
            break
        lacks = until_enough(posterior, Wanted(target_ess, until), is_last)
        by_hand = f"--method '{method}'" + (f" --chains {posterior.chains}" if many else "")
        if best is None or effective_of(posterior) > effective_of(best):
            best, chosen = posterior, f"auto: {method}, since {reason}; by hand {by_hand}"
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


def _burn_in(method: str) -> dict[str, int]:
    """Sweeps to leave out, of methods that do much in one."""
    return {"burn_in": 50} if method in (GENERAL, STATIC) else {}


def until_enough(posterior: Posterior, wanted: Wanted, is_last: bool) -> str | None:
    """Go on until there is enough; what is lacking when the time is over, or at once if smc will not come there."""
    begun = time.monotonic()
    already = len(posterior.sweeps) // posterior.chains
    if not is_last and posterior.method == "smc" and effective_of(posterior) < ENOUGH_OF_SMC:
        return f"{effective_of(posterior):.0f} effective draws in {already} sweeps"
    while (told := lacking(posterior, wanted.effective)) and not posterior.interrupted:
        left = wanted.until - time.monotonic()
        if left <= 0:
            return told
        done = len(posterior.sweeps) // posterior.chains
        pace = max(time.monotonic() - begun, 1e-3) / max(1, done - already)
        in_time = int(left / pace) if done > already else done
        try:
            posterior.extend(max(1, min(done, in_time)))
        except KeyboardInterrupt:
            posterior.interrupted = True
    return told


def effective_of(posterior: Posterior) -> float:
    """The effective draws of the predict that has the fewest; of chains that do not agree those are not to be had."""
    found = [posterior.effective_draws(label) for label in posterior.labels]
    return min((each for each in found if each == each), default=float("inf"))


def lacking(posterior: Posterior, target_ess: int) -> str | None:
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
    return None


def _worst(posterior: Posterior, label: str) -> float:
    """The rank-normalised R-hat of the worst component of a predict."""
    if not posterior.is_chain or posterior.chains < 2:
        return 1.0
    found = [rank_rhat(aligned(posterior.series(label, column))) for column in posterior.indicators(label)]
    return max((each for each in found if each == each), default=1.0)
