"""Statistics: the numbers by which draws are compared, and how far two sets of them may differ by chance.

Whatever a predict is (a vector, a map, a word), its parts have an order, and tests of ranks need no more. Equal values
are put in order at random, so that the tests are exact for discrete values as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from pplc_runtime.results.columns import components, regular, shown
from pplc_runtime.results.sweeps import Column

Floats: TypeAlias = NDArray[np.float64]
Draw: TypeAlias = Mapping[str, Any]
"""The value of each predict."""
MOST_PARTS: Final = 8
"""So many parts of a predict are looked at, evenly chosen."""
LIKELIHOOD: Final = "log likelihood"
"""What the draws say of the data: M. Modrak et al. 2023, "Simulation-based calibration checking for Bayesian
computation: the choice of test quantities shapes sensitivity"."""


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number of every draw."""

    label: str
    values: Floats


@dataclass(frozen=True, slots=True)
class Finding:
    """What a test of one statistic found: the probability of a difference as large by chance."""

    test: str
    label: str
    p: float
    ranks: Floats
    """Between 0 and 1, one for each data set: uniform if the method is exact."""


def draw_in(predicts: Mapping[str, Column], place: int) -> dict[str, Any]:
    """What is predicted of one particle."""
    return {
        label: column[place] if isinstance(column, list) else plain(column[..., place])
        for label, column in predicts.items()
    }


def plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if np.ndim(value) == 0 and isinstance(value, np.generic | np.ndarray) else value


def statistics(draws: Sequence[Draw], log_likelihood: Floats | None) -> list[Statistic]:
    """The statistics of some draws; what is the same in all of them tells nothing."""
    found: list[Statistic] = []
    labels = [label for label in draws[0] if all(label in draw for draw in draws)]
    for label in labels:
        parts = list(components(label, regular([draw[label] for draw in draws])))
        chosen = np.unique(np.linspace(0, len(parts) - 1, min(len(parts), MOST_PARTS)).round().astype(int))
        found += [Statistic(part.label, _numbers(part.values)) for part in (parts[place] for place in chosen.tolist())]
    if log_likelihood is not None:
        found.append(Statistic(LIKELIHOOD, log_likelihood))
    return [each for each in found if len(np.unique(each.values)) > 1]


def _numbers(values: Any) -> Floats:
    """Numbers in the order of some values: words and lists are ordered by how they are written."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return np.nan_to_num(values.astype(np.float64), nan=np.inf)
    texts = [shown(value) for value in values]
    places = {text: place for place, text in enumerate(sorted(set(texts)))}
    return np.array([places[text] for text in texts], np.float64)


def same_law(test: str, label: str, first: Floats, second: Floats, rng: np.random.Generator) -> Finding:
    """Whether two sets of independent numbers have one law (Kolmogorov and Smirnov)."""
    pooled = np.concatenate([first, second])
    order = np.lexsort((rng.random(len(pooled)), pooled))
    ranks = np.empty(len(pooled))
    ranks[order] = np.arange(len(pooled))
    p = stats.ks_2samp(ranks[: len(first)], ranks[len(first) :]).pvalue
    others = np.sort(ranks[len(first) :])
    return Finding(test, label, float(p), np.searchsorted(others, ranks[: len(first)]) / max(1, len(others)))


def uniform_ranks(test: str, label: str, own: Floats, draws: Floats, rng: np.random.Generator) -> Finding:
    """Whether a number has every rank among the draws of its row equally often."""
    below = (draws < own[:, None]).sum(1)
    ties = (draws == own[:, None]).sum(1)
    ranks = below + rng.integers(0, ties + 1)
    spread = (ranks + rng.random(len(ranks))) / (draws.shape[1] + 1)
    return Finding(test, label, float(stats.kstest(spread, "uniform").pvalue), spread)


def as_expected(test: str, label: str, counts: NDArray[Any], law: Floats, rng: np.random.Generator) -> Finding:
    """Whether counts of values are those of a law: a likelihood ratio, whose own law is simulated."""
    total = int(counts.sum())

    def ratio(counts: NDArray[Any]) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(counts > 0, counts * np.log(counts / (total * law)), 0.0)
        result: Floats = terms.sum(-1)
        return result

    simulated = ratio(rng.multinomial(total, law / law.sum(), 10_000))
    p = (1 + np.count_nonzero(simulated >= ratio(counts) - 1e-9)) / (1 + len(simulated))
    return Finding(test, label, float(p), np.empty(0))
