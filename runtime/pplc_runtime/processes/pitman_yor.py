"""The Chinese restaurant process with a discount, that of Pitman and Yor.

J. Pitman and M. Yor (1997), "The two-parameter Poisson-Dirichlet distribution derived from a stable subordinator".
With c_k customers at each of T tables and n in all, the next one sits at table k with probability
(c_k - d) / (n + alpha) and opens a new table with probability (alpha + d T) / (n + alpha). With d = 0 it is the Chinese
restaurant process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pplc_runtime.distributions.base import Lanes, Parameter, Raw
from pplc_runtime.distributions.lanewise import everywhere
from pplc_runtime.processes.base import Index, State
from pplc_runtime.processes.crp import Crp, fewest_tables, selected
from pplc_runtime.processes.domains import DISCOUNT, FINITE
from pplc_runtime.processes.rising import log_rising


class PitmanYor(Crp):
    """The state is that of the Chinese restaurant process."""

    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("alpha", FINITE), Parameter("discount", DISCOUNT))

    def problem(self, *parameters: Raw) -> str | None:
        alpha, discount = parameters
        return None if everywhere(alpha > -discount) else "alpha must be more than minus the discount"

    def sample(self, rng: np.random.Generator, state: State, index: Index, *parameters: Raw) -> Lanes:
        alpha, discount = parameters
        counts, tables, customers = selected(state, index)
        seats = np.where(counts > 0, counts - discount, 0.0)
        point = rng.random(len(tables)) * (customers + alpha)
        return np.where(customers > 0, np.minimum((np.add.accumulate(seats, 0) <= point).sum(0), tables), 0)

    def log_density(self, state: State, index: Index, value: Raw, *parameters: Raw) -> Lanes:
        alpha, discount = parameters
        counts, tables, customers = selected(state, index)
        labels = np.broadcast_to(np.asarray(value), tables.shape)
        inside = (labels >= 0) & (labels < len(counts))
        seated = counts[labels * inside, np.arange(len(tables))] * inside
        mass = np.where(seated > 0, seated - discount, (labels == tables) * (alpha + discount * tables))
        first = customers == 0  # who has no choice, whatever alpha is
        with np.errstate(divide="ignore"):
            density = np.log(np.where(first, labels == 0, mass)) - np.log(np.where(first, 1.0, customers + alpha))
        return np.asarray(density)

    def block(self, state: State, values: Sequence[Raw], *parameters: Raw) -> Lanes:
        """As for the Chinese restaurant process, by how often each label occurs:

            prod over new tables t of (alpha + d t)  prod_k (c_k - d) ... (c_k - d + m_k - 1)
            /  (alpha + n) ... (alpha + n + m - 1),

        where the first customer of a new table has opened it; the first of all opens table 0 for sure."""
        alpha, discount = parameters
        counts, tables, customers = state
        occurrences = Counter(values)
        if not occurrences:
            return np.zeros(len(tables))
        if min(occurrences) < 0:
            return np.full(len(tables), -np.inf)
        total = np.zeros(len(tables))
        for label, times in occurrences.items():
            before = counts[label] if label < len(counts) else np.zeros(len(tables))
            old = log_rising(np.where(before > 0, before - discount, 1.0), times)
            new = log_rising(np.zeros(len(tables)) + 1.0 - discount, times - 1)
            total += np.where(before > 0, old, new)
        for table in range(1, max(occurrences) + 1):
            total += np.where(tables <= table, np.log(alpha + discount * table), 0.0)
        first = customers == 0
        total -= np.where(
            first,
            log_rising(np.zeros(len(tables)) + alpha + 1.0, len(values) - 1),
            log_rising(np.where(first, 1.0, customers + alpha), len(values)),
        )
        total[tables < fewest_tables(list(occurrences))] = -np.inf
        return total
