"""From the text of a program to the reference engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pplc.passes.expand import expand
from pplc.passes.read import read
from pplc.passes.resolve import resolve
from pplc.passes.sites import sites
from pplc.passes.to_reference import to_reference
from pplc.source import Source
from pplc_runtime import reference
from pplc_runtime.inference.base import Settings
from pplc_runtime.reference import Program
from pplc_runtime.results.sweeps import Sweep


def program_of(text: str) -> Program:
    """The program of the reference engine."""
    source = Source("test.clj", text)
    return to_reference(sites(resolve(expand(read(source), source)[0], source)[0]), source)


def infer(
    program: Program, method: str, *, seed: int, chains: int = 1, data: Any = None, **settings: Any
) -> Iterator[Sweep]:
    """The sweeps of a method by the reference engine."""
    own = [Settings(chain=chain, **settings) for chain in range(chains)]
    return reference.infer(program, method, own, seed, data or {})


def frequencies(sweeps: Iterable[Sweep]) -> dict[str, dict[Any, float]]:
    """The weighted frequency of every value of every predict."""
    mass: defaultdict[str, defaultdict[Any, float]] = defaultdict(lambda: defaultdict(float))
    total = 0.0
    for sweep in sweeps:
        weights = np.exp(sweep.log_weights)
        total += float(weights.sum())
        for label, values in sweep.predicts.items():
            for value, weight in zip(values, weights):
                if weight > 0.0:
                    mass[label][value] += float(weight)
    return {label: {v: m / total for v, m in values.items()} for label, values in mass.items()}
