"""The Chinese restaurant process.

D. Aldous (1985), "Exchangeability and related topics", section 11. With c_k customers at table k and n in
all, the next one sits at table k with probability c_k / (n + alpha) and opens a new table with probability
alpha / (n + alpha). Tables are labelled 0, 1, 2, ... in the order in which they were opened, so the only
labels possible in a lane with T tables are 0 to T.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Lanes, Parameter, Raw
from pplc_runtime.processes.base import Index, Process, State
from pplc_runtime.processes.domains import POSITIVE
from pplc_runtime.processes.rising import LOG_GAMMA, log_rising

_FIRST_CAPACITY = 8
MANY = 256
"""From so many lanes on arrays of them are passed over row by row."""


class Crp(Process):
    """The state is (counts (K, L), tables (L,), customers (L,)); rows of the counts past the tables are 0.

    Counts and customers are floats: with few lanes, converting them costs more than the arithmetic."""

    name: ClassVar[str] = "crp"
    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("alpha", POSITIVE),)
    discrete: ClassVar[bool] = True
    value_kind: ClassVar[str] = "integer"
    has_tables: ClassVar[bool] = True

    def empty(self, lanes: int, *parameters: Raw) -> State:
        return (
            np.zeros((_FIRST_CAPACITY, lanes)),
            np.zeros(lanes, dtype=np.int64),
            np.zeros(lanes),
        )

    def outcomes(self, state: State, index: Index, *parameters: Raw) -> Sequence[Raw]:
        _, tables, _ = selected(state, index)
        return range(int(tables.max()) + 1)

    def sample(self, rng: np.random.Generator, state: State, index: Index, *parameters: Raw) -> Lanes:
        (alpha,) = parameters
        if (at_tables := getattr(rng, "at_tables", None)) is not None:  # at once, the same
            found: Lanes | None = at_tables(len(state[1]) if index is None else len(index), state, index, alpha)
            if found is not None:
                return found
        counts, tables, customers = selected(state, index)
        point = rng.random(len(tables)) * (customers + alpha)
        # A point past all customers is past every row, empty ones too: it means the next new table.
        counts = counts[: tables[tables.argmax()]]
        if len(tables) < MANY:  # the number of operations counts, not their size
            return np.minimum(np.add.reduce(np.add.accumulate(counts, 0) <= point, 0, np.int64), tables)
        label = np.zeros(len(tables), np.int64)
        running = np.zeros(len(tables))
        for row in counts:
            running += row
            label += running <= point
        return np.minimum(label, tables)

    def log_density(self, state: State, index: Index, value: Raw, *parameters: Raw) -> Lanes:
        (alpha,) = parameters
        counts, tables, customers = selected(state, index)
        if isinstance(value, np.ndarray):
            inside = (value >= 0) & (value < len(counts))
            weight = counts[value * inside, np.arange(len(tables))] * inside
        else:
            weight = counts[value] if 0 <= value < len(counts) else np.zeros(len(tables))
        density: Lanes = _log(weight + alpha * (tables == value)) - np.log(customers + alpha)
        return density

    def seat(self, state: State, index: Index, value: Raw) -> State:
        """A label that is impossible in a lane leaves that lane, of weight 0, without a meaning."""
        counts, tables, customers = state
        try:
            if not isinstance(value, np.ndarray) and index is None:
                counts[value] += 1
            else:
                places = (np.arange(len(tables)) if index is None else index) + value * len(tables)
                counts.reshape(-1)[places] += 1  # one index is quicker than two; states are contiguous
        except IndexError:
            counts = _seat_beyond(counts, tables, index, value)
        if index is None:
            tables += tables == value
            customers += 1
        else:
            tables[index] += tables[index] == value
            customers[index] += 1
        return counts, tables, customers

    def block(self, state: State, values: Sequence[Raw], *parameters: Raw) -> Lanes:
        """Given the counts, the density depends on how often each label occurs, not on the order:

            alpha^(new tables)  prod_k Gamma(c_k + m_k) / Gamma(c_k)  /  (alpha + n) ... (alpha + n + m - 1),

        where Gamma(0) counts as 1. The order decides only in which lanes the labels are possible at all."""
        (alpha,) = parameters
        counts, tables, customers = state
        occurrences = Counter(values)
        if not occurrences:
            return np.zeros(len(tables))
        if min(occurrences) < 0:
            return np.full(len(tables), -np.inf)
        fewest = fewest_tables(list(occurrences))
        known = [label for label in occurrences if label < len(counts)]
        repeats = np.array([occurrences[label] for label in known], dtype=np.int64)[:, None]
        before = counts[known].astype(np.intp)
        log_gamma = LOG_GAMMA.up_to(int(customers.max(initial=0)) + len(values))
        total: Lanes = (log_gamma[before + repeats] - log_gamma[before]).sum(0)
        if len(known) < len(occurrences):
            total += sum(log_gamma[times] for label, times in occurrences.items() if label >= len(counts))
        total += np.maximum(max(occurrences) + 1 - tables, 0) * np.log(alpha)
        total -= log_rising(customers + alpha, len(values))
        total[tables < fewest] = -np.inf
        return total


def selected(state: State, index: Index) -> State:
    """The state of some lanes."""
    return state if index is None else tuple(part.take(index, axis=-1) for part in state)


@np.errstate(divide="ignore")
def _log(weight: Lanes) -> Lanes:
    """The log, -inf of 0."""
    logarithm: Lanes = np.log(weight)
    return logarithm


def _seat_beyond(counts: Lanes, tables: Lanes, index: Index, value: Raw) -> Lanes:
    """Seat labels some of which are past the rows of `counts`: double these if one of them is possible."""
    lanes = np.arange(len(tables)) if index is None else index
    labels = np.broadcast_to(value, lanes.shape)
    possible = (labels >= 0) & (labels <= tables[lanes])
    lanes, labels = lanes[possible], labels[possible]
    if labels.max(initial=0) >= len(counts):
        counts = np.concatenate([counts, np.zeros_like(counts)])
    counts[labels, lanes] += 1
    return counts


def fewest_tables(first_seen: list[int]) -> int:
    """The number of tables that a lane must have for the labels to be possible, given in order of appearance.

    A lane with T tables needs those from T up to appear as T, T+1, ...; if that holds for T it holds for T+1.
    So it fails first, from the top down, where a label is missing or appears after its successor:

        [0, 2, 1, 3]  ->  2: with 2 tables, 2 and 3 are opened in order; with 1 table, 2 would come before 1.
    """
    position = {label: place for place, label in enumerate(first_seen)}
    label = max(first_seen)
    while label > 0 and position.get(label - 1, len(first_seen)) < position[label]:
        label -= 1
    return label
