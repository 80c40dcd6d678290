"""Particle independent Metropolis-Hastings: a whole run of smc is proposed, and accepted by its evidence.

A run u of smc, drawn from psi(u), has an estimate Z^(u) of the evidence. The chain goes from u to another run u' with
probability min(1, Z^(u') / Z^(u)), else it stays. So it leaves psi(u) Z^(u) / Z invariant, under which a particle of
u that is chosen by weight has the posterior as its law, and the average over all of them is as good and varies less.
(C. Andrieu, A. Doucet and R. Holenstein 2010, "Particle Markov chain Monte Carlo methods", sections 2.4.1 and 4.6.)
A run that loses all particles has Z^ = 0, and is never accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

from pplc_runtime.inference.base import Engine, Kernel, Settings, keeping
from pplc_runtime.inference.runs import Runs, chosen
from pplc_runtime.inference.start import MOST_TO_START
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.numerics.metropolis import accepts
from pplc_runtime.regeneration.records import Retained
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import Impossible

ACCEPTANCE: Final = START + 2
"""The part of the key of a sweep by which its run is accepted; and that of a run around an execution."""
AROUND: Final = START + 3


@dataclass(frozen=True, slots=True)
class Pimh:
    """A chain of runs of smc; its state is the sweep that was accepted last."""

    conditional: Kernel
    """Sweeps around an execution: where a chain starts from one, it is a particle of such a run."""
    runs: ClassVar = Runs()

    def bound(self, engine: Engine, settings: Settings) -> Pimh:
        return self

    def init(self, engine: Engine, settings: Settings, key: Key) -> Sweep:
        """A first run that keeps particles; a chain may start anywhere, so that having to try again does no harm."""
        tried = 0
        while True:
            try:
                return chosen(self.runs.once(engine, settings, 0, key.fold(tried)), key.fold(tried))
            except Impossible as error:
                tried += settings.particles
                if tried >= MOST_TO_START or engine.is_hopeless(error):
                    raise

    def resumed(self, engine: Engine, after: Sweep) -> Sweep | Retained:
        """The state after a sweep: that sweep, or what it keeps where it is of another chain."""
        if after.log_evidence is not None:
            return after
        plan: Any = engine.plan
        assert after.kept is not None
        return Retained([after.kept.first(plan.root)])

    def around(self, engine: Engine, state: Sweep | Retained, settings: Settings, number: int, key: Key) -> Sweep:
        """A run around an execution, drawn given it; a state that is a run as it is."""
        if isinstance(state, Sweep):
            return state
        retained, sweeps = self.conditional.step(engine, state, settings, number, key.fold(AROUND))
        return next(keeping(retained, sweeps))

    def step(
        self, engine: Engine, state: Sweep | Retained, settings: Settings, number: int, key: Key,
        report: bool = True,
    ) -> tuple[Sweep, list[Sweep]]:  # fmt: skip
        state = self.around(engine, state, settings, number, key)
        _, (proposed,) = self.runs.step(engine, None, settings, number, key, report)
        state = self.decided(state, proposed, number, key)
        return state, [state]

    def decided(self, state: Sweep, proposed: Sweep, number: int, key: Key) -> Sweep:
        """The run after a proposal."""
        assert state.log_evidence is not None and proposed.log_evidence is not None
        taken = accepts(key.fold(ACCEPTANCE).generator(), proposed.log_evidence - state.log_evidence)
        found = chosen(proposed, key) if taken else state
        told = {**found.diagnostics, "accepted": int(taken), "perished": not proposed.log_evidence > -np.inf}
        return replace(found, number=number, diagnostics=told, whole=True)

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None

    # In blocks, where an engine has them

    def block(self, engine: Engine, state: Any, settings: Settings) -> int:
        return self.runs.block(engine, None, settings)

    def steps(
        self, engine: Engine, state: Sweep | Retained, settings: Settings, number: int, count: int, key: Key
    ) -> tuple[Sweep, Sequence[Sweep]]:
        """The runs that are proposed do not depend on the state: all of them, and then the chain through them."""
        first = number + settings.burn_in
        state = self.around(engine, state, settings, number, key.fold(first))
        all_count = replace(settings, burn_in=0, sweeps=settings.sweeps + settings.burn_in)
        _, proposed = self.runs.steps(engine, None, all_count, first, count, key)
        sweeps = []
        for place, each in enumerate(proposed):
            state = self.decided(state, each, number + place, key.fold(first + place))
            sweeps.append(state)
        return state, sweeps if number >= 0 else []
