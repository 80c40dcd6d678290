"""Another seat for one draw of a Chinese restaurant process: tables are identities, whatever their numbers.

The labels of a crp number its tables in the order in which they were opened. Another seat for one customer may open a
table, close one, or change who opened one first; then the labels of other customers change too, and what a program
remembers by label, (mu k), has to go with its table. Given all others, a customer sits at table k with probability
c_k / (n + alpha) and alone with alpha / (n + alpha): the draws are exchangeable, so it may as well be the last one.

A proposal is a new seat from that law, and then a permutation of labels and of the memo entries that are asked for by
random keys: a bijection of addresses, whose inverse is that of the way back. The density of the process is the same for
both ways but for the two seats. What the table that is closed remembered is stale, what a new one remembers is fresh.

That holds where the process draws the same addresses in the same order before and after, and observes give it no
values; `is_way_back` tells.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from pplc_runtime.lanes.addresses import At
from pplc_runtime.numerics.resampling import pick
from pplc_runtime.program.stochastic import ProcessInstance
from pplc_runtime.regeneration.trace import Execution


class SeatMove(NamedTuple):
    """Another seat: the labels that change, and the choices that go to another address."""

    process: At
    drawn: list[At]
    changes: Mapping[At, int]
    moved: Mapping[At, At]
    log_back: float
    """The log probability of the old seat less that of the new one."""


def has_seats(trace: Execution, at: At) -> bool:
    """Whether a choice is a label of a process with tables, to which no observe gives values."""
    source = trace.choices[at].source
    return isinstance(source, ProcessInstance) and source.family.has_tables and not is_observed(trace, source.at)


def is_observed(trace: Execution, process: At) -> bool:
    return any(process in record.observed for record in trace.records)


def draws_of(trace: Execution, process: At) -> list[At]:
    """Where a process is drawn from, in the order of execution."""
    found = []
    for record in trace.records:
        for at in record.draws:
            source = trace.choices[at].source
            if type(source) is ProcessInstance and source.at is process:
                found.append(at)
    return found


def another_seat(trace: Execution, at: At, rng: np.random.Generator) -> SeatMove | None:
    """A seat from its law given all others; None if it is the one at hand."""
    source, label = trace.choices[at].source, trace.choices[at].value
    assert isinstance(source, ProcessInstance)
    drawn = draws_of(trace, source.at)
    labels = {own: trace.choices[own].value for own in drawn}
    counts = Counter(labels[own] for own in drawn if own is not at)
    tables = max(labels.values()) + 1
    alpha = float(source.parts[0])
    seats = [*counts, tables]  # the last one is a table of its own
    weights = np.array([*counts.values(), alpha], float)
    seat = seats[pick(rng, weights)]
    alone = label not in counts
    if seat == label or (seat == tables and alone):
        return None
    old, new = (alpha if alone else counts[label]), (alpha if seat == tables else counts[seat])
    numbers: dict[int, int] = {}
    after = {own: numbers.setdefault(seat if own is at else labels[own], len(numbers)) for own in drawn}
    numbers.setdefault(label, len(numbers))  # of a table that is closed
    changes = {own: number for own, number in after.items() if number != labels[own]}
    return SeatMove(source.at, drawn, changes, dict(renamed(trace, numbers)), math.log(old / new))


def is_way_back(trace: Execution, move: SeatMove) -> bool:
    """Whether the way back from here, with the old seat, leads to where the move came from."""
    return draws_of(trace, move.process) == move.drawn and not is_observed(trace, move.process)


def renamed(trace: Execution, numbers: Mapping[int, int]) -> Iterator[tuple[At, At]]:
    """The choices in memo entries whose keys are labels that change, and where they go."""
    for memo in trace.plan.shared_memos:  # those that are asked for by random keys, which is told from the text
        for old, new in numbers.items():
            if old != new and old in memo:
                yield from below(trace, memo[old], memo[new])


def below(trace: Execution, node: At, other: At) -> Iterable[tuple[At, At]]:
    """The choices below an address, and the same below another one."""
    stack = [(node, other)]
    while stack:
        one, two = stack.pop()
        if one in trace.choices:
            yield one, two
        stack.extend((child, two[site]) for site, child in one.items())
