"""What is wrong with weighted draws that are worth little, and what would help: importance and smc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from pplc_runtime.numerics.weights import effective_sample_size
from pplc_runtime.results.ancestry import Ancestry, Outline, Weakest
from pplc_runtime.results.sweeps import Sweep

FEW_LINES: Final = 10
"""So few lines of ancestors, or fewer, are too few."""
ALONE: Final = 2.0
"""With fewer particles than this that count, one has nearly all of the weight."""
SHARP: Final = 0.01
"""An observe that leaves less than this share of the particles is to blame for what follows."""
MANY: Final = 1000
"""Where one of so many particles has nearly all of the weight, a few more will not do."""


@dataclass(frozen=True, slots=True)
class Degeneracy:
    """What is known of the lines in the sweep that counts most, and of the weights in those that were watched."""

    particles: int
    lines: int
    """How many lines of ancestors are left."""
    generation: int
    """In which generation; all lines have met there, or it is the first."""
    forks: int
    outline: Outline
    weakest: Weakest

    @property
    def is_degenerate(self) -> bool:
        return self.lines <= FEW_LINES < self.particles

    def sentences(self) -> list[str]:
        """What is wrong with the sweep, and what to do about it; nothing if all is well."""
        said = []
        if self.forks and self.is_degenerate:
            first = "" if self.outline.first is None else f" from line {self.outline.first}"
            said.append(
                f"note: degenerate: all {self.particles} particles of a sweep descend from {self.lines} at "
                f"{self.outline.observe(self.generation)}; what is drawn{first} up to there has "
                f"{'one value' if self.lines == 1 else f'{self.lines} values'} left"
            )
        if self.weakest.effective < max(ALONE, SHARP * self.particles) < self.particles:
            helps = f"; {self.wider_prior()}" if self.outline.is_observed(self.weakest.generation) else ""
            said.append(f"note: {worst_observe(self.outline, self.weakest, self.particles)}{helps}")
        elif said:
            spared = self.forks < len(self.outline.observes) - 1
            keep = "" if spared else "an ess-threshold of 0.5, systematic resampling or "
            said.append(
                f"note: lines end where particles are resampled; {keep}more particles keep more of them; "
                "pgas renews what is drawn after the first observe, and hardly what is drawn before it"
            )
        return said

    def wider_prior(self) -> str:
        """What helps where an observe leaves next to nothing of what the prior gives."""
        if self.weakest.effective < ALONE and self.particles >= MANY:
            return "a narrower prior helps, more particles do not"
        return "use a narrower prior, or many more particles"


def worst_observe(outline: Outline, weakest: Weakest, particles: int) -> str:
    """How little an observe leaves, or all that is observed inside of expressions."""
    what = outline.observe(weakest.generation)
    if not outline.is_observed(weakest.generation):
        what = f"what is observed before {what}"
    return (
        f"{what} leaves {weakest.effective:.1f} of {particles} particles, "
        f"whose weights span {weakest.decades:.3g} decades"
    )


def degeneracy_of(sweeps: Sequence[Sweep], particles: int) -> Degeneracy | None:
    """The lines of the sweep of the largest evidence, and the weakest observe of those that were watched."""
    watched = [sweep.diagnostics for sweep in sweeps if sweep.diagnostics.get("weakest") is not None]
    if not watched:
        return None
    facts = min(watched, key=lambda each: float(each["weakest"].effective))
    ancestry: Ancestry = max(sweeps, key=lambda sweep: sweep.log_evidence or 0.0).diagnostics["ancestry"]
    lines = ancestry.lines[-1] if ancestry.lines else None
    left, generation = (particles, 0) if lines is None else (lines.left(), lines.generation)
    return Degeneracy(particles, left, generation, ancestry.forks, facts["outline"], facts["weakest"])


def importance_sentences(sweeps: Sequence[Sweep], are_few: bool, advise: bool = True) -> list[str]:
    """How far apart the weights of draws are that were not resampled, and what would help, where few of them count."""
    logs = np.concatenate([sweep.log_weights[sweep.log_weights > -np.inf] for sweep in sweeps])
    outline: Outline | None = next((s.diagnostics["outline"] for s in sweeps if "outline" in s.diagnostics), None)
    if not logs.size or outline is None:
        return []
    effective = effective_sample_size(np.exp(logs - logs.max()))
    if not are_few and not effective <= FEW_LINES < logs.size:
        return []
    decades = float(logs.max() - logs.min()) / log(10)
    observes = sum(line > 0 for line in outline.observes)
    hopeless = effective < ALONE and logs.size >= MANY
    helps = "a narrower prior helps" if hopeless else "use more particles"
    if observes > 1:
        helps += f", or smc, which resamples at each of the {observes} observes"
    elif hopeless:
        helps += ", more particles do not"
    said = f"note: {effective:.1f} of {logs.size} draws have the weight, which spans {decades:.3g} decades"
    return [f"{said}; {helps}" if advise else said]
