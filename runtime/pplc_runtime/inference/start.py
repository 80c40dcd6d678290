"""Where a chain starts: a first particle to retain."""

from __future__ import annotations

from typing import Any

from pplc_runtime.inference.base import Engine, Settings
from pplc_runtime.inference.sweep import sweep
from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.keys import Key
from pplc_runtime.values import Impossible

FEWEST_TO_START = 16
MOST_AT_ONCE = 8192
"""More particles than this are tried in several sweeps: arrays stay in the cache, and the first success ends it."""
MOST_TO_START = 100_000
"""Particles that are tried before a program is taken for impossible: of evidence 1e-4, one in 20,000 is by mistake."""


def first_retained(engine: Engine, settings: Settings, key: Key) -> dict[At, Any]:
    """A first particle to retain, from a sweep with as many particles as it takes.

    A chain may start anywhere, so that having to try again does no harm."""
    size = max(settings.particles, FEWEST_TO_START)
    most_at_once = max(size, MOST_AT_ONCE)
    tried = 0
    found = engine.first(size, settings.resampling, settings.ess_threshold, key.fold(0))
    if found is not None:
        return found
    while True:
        try:
            own = key.fold(tried)
            particles = engine.particles(own, size, remember=True)
            weights = sweep(particles, settings.scheme, settings.ess_threshold).weights
            return particles.trajectory(int(particles.pick(weights)))
        except Impossible as error:
            if tried == 0 and engine.is_hopeless(error):
                raise
            tried += size
            if tried >= MOST_TO_START:
                raise
            size = min(size * 8, most_at_once)
