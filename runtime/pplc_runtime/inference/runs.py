"""Whole runs of smc: independent sweeps, and such a run as the sweep of a chain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pplc_runtime.inference.base import SELDOM, Engine, Particles, Settings
from pplc_runtime.inference.blocks import BySweeps
from pplc_runtime.inference.independent import Independent
from pplc_runtime.inference.sweep import standing_for, sweep
from pplc_runtime.native.modes import Mode
from pplc_runtime.numerics.keys import START, Key
from pplc_runtime.numerics.weights import log_sum_exp
from pplc_runtime.results.ancestry import Ancestry
from pplc_runtime.results.kept import MOST_PARTICLES
from pplc_runtime.results.sweeps import Sweep

CHOICE: Final = START + 1
"""The part of the key of a run by which one of its particles is chosen; and that of the comb before it."""
COMB: Final = START + 9


def independent(particles: Particles, settings: Settings, number: int, report: bool = True) -> Sweep:
    """A run of particles that retain nothing: its weights sum to its estimate of the evidence."""
    particles.watched = number % SELDOM == 0
    swept = sweep(particles, settings.scheme, settings.ess_threshold)
    log_evidence = float(swept.log_evidence)
    told: dict[str, Any] = {
        "ancestry": Ancestry.of(settings.particles, particles.forks()),
        "weakest": particles.weakest,
        "outline": particles.outline,
        "parted": particles.parted,
    }
    if settings.keeps_genealogy(number):
        told["genealogy"] = particles.genealogy()
    log_weights = particles.log_weights - swept.log_total + log_evidence
    predicts = particles.predicts() if report else {}
    kept = standing_for(particles, settings, number, log_weights)
    return Sweep(settings.chain, number, log_weights, predicts, log_evidence, told, kept)


class Runs(Independent, BySweeps):
    """Runs one after the other; in blocks, where an engine has them."""

    __slots__ = ()
    mode = Mode()

    def once(self, engine: Engine, settings: Settings, number: int, key: Key, report: bool = True) -> Sweep:
        remember = settings.keeps_genealogy(number) or settings.particles <= MOST_PARTICLES
        particles = engine.particles(key, settings.particles, remember=remember)
        return independent(particles, settings, number, report)


def chosen(run: Sweep, key: Key) -> Sweep:
    """A run as the sweep of a chain: its weights sum to one, and it keeps one particle, chosen by weight."""
    told = {name: value for name, value in run.diagnostics.items() if name != "ancestry"}
    kept = run.kept
    if kept is not None:  # these stand for all with equal weights
        kept = kept.one(int(key.fold(CHOICE).generator().integers(len(kept.particles))))
        told["chosen"] = int(kept.particles[0])
    return replace(run, log_weights=run.log_weights - log_sum_exp(run.log_weights), kept=kept, diagnostics=told)


def comb_of(key: Key) -> int:
    """A chain, by chance: the comb that finds what stands for a run has its position from the chain and the number of
    the sweep. A particle that a chain goes on from is one by weight only if that position is drawn."""
    return key.fold(COMB).k0 >> 2
