"""Tiny programs aimed at breaking particle Gibbs with ancestor sampling, each with its exact posterior.

Every program has two or more top-level observes and discrete latents only, so that its twin can be
enumerated; each one is aimed at one way in which a suffix may be attached wrongly to a prefix.

    for name, program in TINY.items():
        evidence, marginals = enumerate_posterior(program.twin)

Labels are the source text of the predicted expressions. Conventions that the twins rely on: crp labels are
0, 1, 2, ... in order of appearance; `(polya-urn [a b])` gives indices; `(beta-flip a b)` gives booleans;
`(discrete [w ...])` gives an index; observing a process seats the value.
"""

from __future__ import annotations

from typing import Final

from tests.posteriors.enumeration import enumerate_joint, enumerate_posterior
from tests.posteriors.tiny import control, memo, processes, rescoring
from tests.posteriors.tiny.program import Programs, TinyProgram

__all__ = ["LABELS", "TINY", "TinyProgram", "enumerate_joint", "enumerate_posterior"]

TINY: Final[Programs] = {**memo.PROGRAMS, **control.PROGRAMS, **rescoring.PROGRAMS, **processes.PROGRAMS}


def _labels() -> dict[str, set[str]]:
    """Name to predict labels, from the sources: what the twins must return."""
    labels: dict[str, set[str]] = {}
    for name, program in TINY.items():
        lines = [line for line in program.source.splitlines() if line.startswith("[predict ")]
        labels[name] = {" ".join(line.removeprefix("[predict ").removesuffix("]").split()) for line in lines}
    return labels


LABELS: Final = _labels()
