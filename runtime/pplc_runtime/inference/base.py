"""The contract of an inference method.

A method is a generator: given the plan of a program, the settings and a random generator, it yields one `Sweep`
after another. It is listed in `METHODS`, and offered with its settings in `settings.OFFERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from pplc_runtime.engine.plan import Plan
from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.resampling import SCHEMES, Scheme
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.settings import Offer

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


Run: TypeAlias = Callable[[Plan, Settings, np.random.Generator], Iterator[Sweep]]


Together: TypeAlias = Callable[[Plan, Settings, np.random.Generator, list[dict[At, Any]]], Iterator[Sweep]]


@dataclass(frozen=True, slots=True)
class Method:
    """An inference method: how it is offered, and how it runs."""

    offer: Offer
    run: Run
    together: Together | None = None
    """Several chains in the lanes of one run, from what they retain; gives nothing where they do not fit together."""
