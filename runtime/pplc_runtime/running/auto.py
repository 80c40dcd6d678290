"""The method that is chosen for you: by what a program is, until there are enough effective draws.

First match wins, and is said with its reason:

1. Every execution draws and observes the same things, and there is machine code for its density: `rw` where all draws
   are globals, which many statements share; with draws that few statements read (the states of a path, the effects of
   groups), `pgas + rw*20`, since single moves may never leave one of several modes.
2. Anything else: `pgas + lmh`, particles for what holds each other in place and single moves for what many observes
   read.

Four chains run for the sweeps that are given, and as many again, until each predict has the effective draws that are
wanted and the chains agree, or the time is over; then the summary says how far they came.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pplc_runtime.composition import PATHS, Target
from pplc_runtime.engine.plan import Plan
from pplc_runtime.inference.targets import covering, everything, statement_of
from pplc_runtime.native.engine import NativeEngine
from pplc_runtime.native.values import Unsupported
from pplc_runtime.results.posterior import Posterior
from pplc_runtime.settings import SETTINGS
from pplc_runtime.specialise.engine import scripted

if TYPE_CHECKING:
    from pplc_runtime.running.program import Program

CHAINS: Final = 4
FEWEST: Final = 50
"""Effective draws are told from so many sweeps on."""
AGREEING: Final = 1.01
"""The largest rhat of chains that agree."""
GENERAL: Final = "pgas + lmh"
STATIC: Final = "pgas + rw*20"


class Choice(NamedTuple):
    """A method, and why it was chosen."""

    method: str
    reason: str


def choice(plan: Plan) -> Choice:
    """The method for a program."""
    from pplc_runtime.native.sites import sites_of

    plan = scripted(plan)
    if plan.scripts is None:
        return Choice(GENERAL, "executions differ in what they draw")
    engine = NativeEngine(plan)
    try:
        sites_of(engine.joint, everything)
    except Unsupported as missing:
        return Choice(GENERAL, f"there is no machine code for {missing}")
    if not engine.joint.layout.draws:
        return Choice("importance", "nothing is drawn")
    path = covering(plan, Target(frozenset({PATHS})))
    local = next((draw.at for draw in engine.joint.layout.draws if path(draw.at)), None)
    if local is not None:
        name, _ = plan.assumed.get(statement_of(plan, local), ("", False))
        return Choice(STATIC, f"every execution draws the same things, and few statements read those of '{name}'")
    return Choice("rw", "every execution draws the same things, which many statements share")


def automatic(
    program: Program,
    data: Any,
    max_depth: int,
    target_ess: int = SETTINGS["target_ess"].default,
    seconds: int = SETTINGS["seconds"].default,
    chains: int = 1,
    **settings: Any,
) -> Posterior:
    """Draws by the method that fits, until there are enough."""
    values = program.data(data)
    method, reason = program.once(lambda: choice(program.plan(values)), max_depth)
    begun = time.monotonic()
    posterior = program.infer(method, data=data, max_depth=max_depth, chains=max(CHAINS, chains), **settings)
    while (told := lacking(posterior, target_ess)) and not posterior.interrupted:
        used = time.monotonic() - begun
        if used >= seconds:
            posterior.remarks.append(f"note: {told} after {seconds} s; give it more by --seconds")
            break
        done = len(posterior.sweeps) // posterior.chains
        in_time = int(done * (seconds - used) / max(used, 1e-3))
        posterior.extend(max(1, min(done, in_time)))
    posterior.remarks.append(f"auto: {method}, since {reason}; by hand --method '{method}' --chains {posterior.chains}")
    return posterior


def lacking(posterior: Posterior, target_ess: int) -> str | None:
    """What is missing: effective draws of a predict, or chains that agree; None if all is well."""
    done = len(posterior.sweeps) // posterior.chains
    if posterior.is_chain and done < FEWEST:
        return f"{done} sweeps, too few to tell effective draws,"
    for label in posterior.labels:
        rhat = posterior.rhat(label)
        if rhat is not None and rhat > AGREEING:
            return f"the chains do not agree on {label} (rhat {rhat:.2f})"
        effective = posterior.effective_draws(label)
        if effective < target_ess:
            return f"{effective:.0f} of {target_ess} effective draws of {label}"
    return None
