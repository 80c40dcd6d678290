"""Independent sweeps, each an estimate of the evidence with its weighted particles.

A sweep that loses all its particles has the estimate zero, and counts: the expectation of the estimates is the evidence
only if such sweeps are among them. So it has no draws and no weight, and is no error, unless every sweep is one.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.sweeps import Sweep
from pplc_runtime.values import Impossible


def lost(settings: Settings, number: int) -> Sweep:
    """A sweep that has lost all its particles: its estimate of the evidence is zero."""
    return Sweep(settings.chain, number, np.full(settings.particles, -np.inf), {}, -np.inf)


class Stateless:
    """A method whose sweeps are independent: there is nothing that a chain retains."""

    __slots__ = ()

    def bound(self, engine: Engine, settings: Settings) -> Self:
        return self

    def init(self, engine: Engine, settings: Settings, key: Key) -> None:
        return None

    def together(self, engine: Engine, states: list[Any]) -> None:
        return None


class Independent(Stateless):
    """One whose sweeps are weighted, and may lose all particles."""

    __slots__ = ()

    @abstractmethod
    def once(self, engine: Engine, settings: Settings, number: int, key: Key, report: bool = True) -> Sweep:
        """One sweep; `Impossible` where all particles are lost."""

    def step(
        self, engine: Engine, state: None, settings: Settings, number: int, key: Key, report: bool = True
    ) -> tuple[None, list[Sweep]]:
        """One sweep, which may have lost all particles; an error only where each will, whatever is drawn."""
        try:
            return None, [self.once(engine, settings, number, key, report)]
        except Impossible as error:
            if engine.is_hopeless(error):
                raise
            return None, [lost(settings, number)]
