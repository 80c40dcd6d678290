"""Points of a Gaussian process for one particle, in the middle language.

A point is x, the diagonal element of the Cholesky factor, the whitened value, the value, and the row of the factor.
While it is conditioned on those before it, it has the variance and the mean so far in place of the second and third.
"""

from __future__ import annotations

from pplc_runtime.general.store import State, alloc, keep_state, scored
from pplc_runtime.machine.words import sqrt
from pplc_runtime.native.densities import lp_normal


def new_point(S: State, count: int, mean: float, prior: float) -> int:
    """A point after so many others, whose x is to be written."""
    q = alloc(S, 4 + count)
    S.H[q + 1] = prior
    S.H[q + 2] = mean
    return q


def add_entry(S: State, q: int, p: int, position: int, covariance: float) -> None:
    """Condition on an earlier point, with which there is some covariance."""
    entry = covariance
    for j in range(position):
        entry = entry - S.H[p + 4 + j] * S.H[q + 4 + j]
    entry = entry / S.H[p + 1]
    S.H[q + 4 + position] = entry
    S.H[q + 2] = S.H[q + 2] + entry * S.H[p + 2]
    S.H[q + 1] = S.H[q + 1] - entry * entry


def is_uncertain(S: State, q: int, prior: float) -> int:
    """Whether a point has any deviation, which is then found from its variance."""
    if not (S.H[q + 1] > 1e-14 * prior):
        return 0
    S.H[q + 1] = sqrt(S.H[q + 1])
    return 1


def learn(S: State, where: int, state: int, q: int, value: float) -> None:
    """The value at a point is known from now on."""
    S.H[q + 2] = (value - S.H[q + 2]) / S.H[q + 1]
    S.H[q + 3] = value
    count = 0 if state == 0 else S.I[state]
    own = alloc(S, 2 + count)
    if S.fail != 0:
        return
    S.I[own] = count + 1
    for j in range(count):
        S.I[own + 1 + j] = S.I[state + 1 + j]
    S.I[own + 1 + count] = q
    keep_state(S, where, own)


def certain(S: State, value: float, seen: float) -> float:
    """What is observed where the value is certain."""
    if value != seen:
        S.fail = 3
    return value


def uncertain(S: State, mean: float, sd: float, seen: float) -> float:
    """What is observed where it is not."""
    scored(S, lp_normal(seen, mean, sd))
    return seen
