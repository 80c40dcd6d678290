"""Enumeration: the draws of a method beside the exact posterior, where a program has finitely many executions.

The program has its own data here, and a chain is run as a user runs it, thinned until its draws are about independent.
So it tests that the chain gets there, too. Weighted sweeps, which have a bias of one over their particles, are not
tested in this way.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.exactness.calibration import draws_of
from pplc_runtime.exactness.joint import Subject
from pplc_runtime.exactness.statistics import Draw, Finding, as_expected, statistics
from pplc_runtime.numerics.keys import Key
from pplc_runtime.results.columns import components, shown
from pplc_runtime.results.convergence import effective_draws
from pplc_runtime.values import ModelError

PILOT: Final = 300
LONGEST: Final = 20_000
"""Sweeps of a chain that tells how many sweeps are worth a draw; and beyond which it is not judged."""
MOST_VALUES: Final = 50
"""Of a predict that has more values than this they are too rare to be counted."""
_CHAINS, _TIES = 1, 2


def finite_test(subject: Subject, key: Key, size: int, burn_in: int) -> list[Finding]:
    """The test with so many draws; nothing where the program is not finite."""
    program = subject.program
    try:
        exact = program.infer("enumerate", data=subject.data, progress=False)
    except ModelError:
        return []

    def run(number: int, sweeps: int) -> list[Draw]:
        told = {"particles": subject.settings.particles, "burn_in": burn_in, **subject.options()}
        seed = key.fold(_CHAINS).fold(number).k0
        return draws_of(
            program.infer(subject.method, sweeps=sweeps, seed=seed, data=subject.data, progress=False, **told)
        )

    pilot = run(0, PILOT)
    worth = [effective_draws(each.values[None]) for each in statistics(pilot, None)]
    thinning = max([1, *(int(np.ceil(2 * PILOT / max(each, 1))) for each in worth if each == each)])
    if thinning * size > LONGEST:
        return []
    draws = run(1, size * thinning)[thinning - 1 :: thinning]
    rng = key.fold(_TIES).generator()
    found: list[Finding] = []
    for label in exact.labels:
        values, weights = exact.values(label)
        last = [draw[label] for draw in draws]
        every = [*_parts(values), *(_plain(each) for each in last)]
        texts = {part.label: [shown(_plain(each)) for each in part.values] for part in components(label, every)}
        for name, words in texts.items():
            known = sorted(set(words[: len(weights)]))
            if not 1 < len(known) <= MOST_VALUES:
                continue
            law = np.array([sum(weights[k] for k in range(len(weights)) if words[k] == word) for word in known])
            counts = np.array([words[len(weights) :].count(word) for word in known])
            if counts.sum() < size:  # a value that the posterior does not have
                found.append(Finding("enumeration", name, 0.0, np.empty(0)))
            else:
                found.append(as_expected("enumeration", name, counts, law, rng))
    return found


def _parts(values: Any) -> list[Any]:
    return [_plain(value) for value in values]


def _plain(value: Any) -> Any:
    """A value as all engines write it: whole numbers without a point."""
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value
