"""Notes below a summary: what is wrong with a run, in words, and what would help."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from pplc_runtime.composition import parsed
from pplc_runtime.results.degeneracy import degeneracy_of, importance_sentences
from pplc_runtime.results.evidence import DOUBTFUL, HEAVY, WIDE, tail_shape

if TYPE_CHECKING:
    from pplc_runtime.results.posterior import Posterior

FEW_EFFECTIVE: Final = 20.0
LARGE_RHAT: Final = 1.05
FEW_TAKEN: Final = 0.29
"""So many runs of pimh are taken if their log evidences have a standard deviation of 1.5 (`evidence.WIDE`)."""


class Row(Protocol):
    """A row of the summary."""

    @property
    def label(self) -> str: ...
    @property
    def effective(self) -> float: ...
    @property
    def rhat(self) -> float | None: ...


def notes_on(posterior: Posterior, rows: Sequence[Row]) -> tuple[str, ...]:
    """What has to be said about a run; nothing if all is well."""
    known = [row for row in rows if isfinite(row.effective)]
    worst = min(known, key=lambda row: row.effective, default=None)
    draws = len(posterior.sweeps) * posterior.particles
    few = worst if worst is not None and worst.effective < FEW_EFFECTIVE < draws else None
    explain = _of_chains if posterior.is_chain else _of_weights
    why = explain(posterior, rows, few is not None)
    notes = []
    if few is not None:
        count = f"only {few.effective:.1f} effective draws" if few.effective >= 1 else "less than one effective draw"
        more = "" if why else f"; use more {'sweeps' if posterior.is_chain else 'particles'}"
        notes.append(f"note: {count} of {few.label}{more}")
    notes += why
    if (few is not None or why) and posterior.inside and posterior.method != "importance":
        lines = ", ".join(map(str, posterior.inside))
        where = f"line{'s' if len(posterior.inside) > 1 else ''} {lines}"
        notes.append(
            f"note: particles are not resampled at an observe that only some of them come to, or in a memo ({where}); "
            "lift it out of there"
        )
    return (*posterior.remarks, *notes, *_of_lost(posterior), *_of_evidence(posterior))


def _of_chains(posterior: Posterior, rows: Sequence[Row], are_few: bool) -> list[str]:
    notes = []
    rhats = [row.rhat for row in rows if row.rhat is not None and row.rhat > LARGE_RHAT]
    if rhats:
        notes.append(f"note: rhat up to {max(rhats):.2f}; the chains do not agree yet, use more sweeps")
    notes += _of_held(posterior)
    mixing = posterior.mixing()
    if mixing is None:
        return notes
    stuck = mixing.sentences()
    if not stuck and are_few and mixing.is_alone and mixing.outline.first is not None:
        stuck = mixing.before_the_first_observe()
    return notes + stuck


def _of_held(posterior: Posterior) -> list[str]:
    """Of composed methods: whether executions that draw other choices can be reached at all."""
    if not any(part.get("missed") for sweep in posterior.sweeps for part in sweep.diagnostics.get("parts", ())):
        return []
    if any(not single.targets for single in parsed(posterior.method).singles()):
        return []
    return [
        "note: particles were dropped since they would make other choices than those that are held; executions that do "
        f"may never be reached, add a part that moves all: '{posterior.method} + lmh'"
    ]


def _of_weights(posterior: Posterior, rows: Sequence[Row], are_few: bool) -> list[str]:
    """Of importance and smc: why there are few effective draws, or perhaps are."""
    if posterior.method == "importance":
        return importance_sentences(posterior.sweeps, are_few)
    found = degeneracy_of(posterior.sweeps, posterior.particles)
    if found is None:
        return []
    # One sweep cannot see that others would have kept other values, and where one is left there is nothing to see.
    blind = found.is_degenerate and (len(posterior.sweeps) == 1 or not all(isfinite(row.effective) for row in rows))
    said = found.sentences() if are_few or blind else []
    if said or found.forks:
        return said
    return importance_sentences(posterior.sweeps, are_few, advise=not posterior.inside)  # nothing was resampled


def _of_lost(posterior: Posterior) -> list[str]:
    """Of importance and smc: how many sweeps have lost all their particles."""
    estimates = [] if posterior.is_chain else posterior.log_estimates()
    lost = sum(int((own == -np.inf).sum()) for own in estimates)
    if not lost:
        return []
    return [
        f"note: {lost} of {len(posterior.sweeps)} sweeps {'has' if lost == 1 else 'have'} lost all particles, and count with "
        "the evidence zero; use more particles"
    ]


def _of_evidence(posterior: Posterior) -> list[str]:
    error = posterior.log_evidence_se
    if error is None:
        return []
    logs = np.concatenate(posterior.log_estimates())
    spread = float(logs.std()) if len(logs) > 1 and isfinite(logs.min()) else 0.0
    heavy = posterior.is_chain and tail_shape(np.exp(logs.min() - logs)) > HEAVY
    mixing = posterior.mixing() if posterior.is_chain else None
    if mixing is not None and mixing.sentences():
        return ["note: the log evidence is not to be trusted: the chain is stuck"]
    taken = [sweep.diagnostics.get("accepted", 1) for sweep in posterior.sweeps] if posterior.method == "pimh" else [1]
    if np.mean(taken) < FEW_TAKEN:
        return [
            f"note: the log evidence is not to be trusted: of {len(taken)} runs {sum(taken)} were taken, since their "
            "estimates lie far apart; use more particles"
        ]
    if error <= (DOUBTFUL / 2 if posterior.is_chain else DOUBTFUL) and spread <= WIDE and not heavy:
        return []
    if len(logs) == 1:
        return ["note: the log evidence is not to be trusted: it rests on few draws"]
    decides = "smallest" if posterior.is_chain else "largest"
    return [
        f"note: the log evidence is not to be trusted: the sweeps' estimates lie between {logs.min():.6g} and "
        f"{logs.max():.6g}, and the {decides} decides"
    ]
