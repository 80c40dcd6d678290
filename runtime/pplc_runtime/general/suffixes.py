"""The densities of what is retained after each prefix, in the middle language: the weights of ancestor sampling.

Particle 0 draws the ancestor l with probability proportional to w_{n-1}^l p(suffix | prefix^l). The suffix must draw
exactly its own addresses there (docs/design.md, rule 1). It is replayed as a whole after each prefix, or as far as it
has changed (`incremental`).
"""

from __future__ import annotations

from pplc_runtime.general.incremental import cell_of, density_of_seats, has_all, log_rising, seats_before
from pplc_runtime.general.particle import Run, enter_particle, segment
from pplc_runtime.general.store import State
from pplc_runtime.machine.generator import uniform
from pplc_runtime.machine.words import MASK, inf
from pplc_runtime.native.resample import pick, weigh


def enter_copy(S: State, R: Run, i: int, n: int) -> None:
    """Be particle i for a while: what it makes is forgotten."""
    enter_particle(S, R, i, n)
    spare = 2 * R.L * R.NG
    for k in range(R.NG):
        S.Q[spare + k] = S.Q[S.g + k]
    S.g = spare
    S.used = 0


def rescore(S: State, R: Run, i: int, n: int) -> float:
    """The log density of the suffix from segment n on after the prefix of particle i: -inf if it does not fit. It is
    run as a whole."""
    top = S.top
    enter_copy(S, R, i, n)
    S.mode = 2
    s = n
    while s < R.T and S.fail == 0:
        S.seg = s
        S.z = S.ZS[s]
        segment(S, s)
        if S.fail == 0 and S.z != S.ZS[s + 1]:
            S.fail = 3
        s += 1
    S.top = top
    if S.fail == 3 or (S.fail == 0 and S.used != S.left):
        S.fail = 0
        return -inf
    return S.lw


def note(S: State, R: Run) -> None:
    """Run what is retained, from the beginning, and note what its segments do: in which order processes take in
    values, and what replays of what has changed go by."""
    if R.even != 0:
        begin_notes(S, R)
    S.seats = 0
    logging = S.logging
    S.logging = 0
    enter_copy(S, R, 0, 0)
    S.mode = 4
    total = 0
    s = 0
    while s < R.T and S.fail == 0:
        S.seg = s
        S.used = 0
        S.AW[s] = S.noted
        S.ZS[s] = S.seats
        segment(S, s)
        S.AC[s] = S.used
        total += S.used
        s += 1
    S.AW[R.T] = S.noted
    S.ZS[R.T] = S.seats
    S.logging = logging
    if S.fail == 3 or (S.fail == 0 and total != R.entries):
        S.fail = 6
    if R.even != 0 and S.fail == 0 and S.seats > 0 and S.all == 0:
        log_rising(S, S.cmask)


def begin_notes(S: State, R: Run) -> None:
    """Nothing is noted yet for replays of what has changed."""
    S.all = 0
    S.cells = 0
    S.edges = 0
    S.noted = 0
    S.first = 0
    for j in range(S.cmask + 1):
        S.CK[j] = 0
        S.MZ[j] = 0
    for j in range(S.pmask + 1):
        S.PK[j] = 0
    for s in range(R.T):
        R.DM[s] = 0  # marks of the sweep before would be taken for those of this one
    for i in range(2 * R.L):
        R.ODD[i] = 0


def alone(S: State, R: Run, i: int, s: int, n: int) -> float:
    """The log density of segment s by itself, after the prefix of particle i up to n and what is noted between."""
    top = S.top
    enter_copy(S, R, i, n)
    S.mode = 3
    S.seg = s
    S.bound = n
    S.odd = 0
    S.z = S.ZS[s]
    segment(S, s)
    S.top = top
    if S.fail == 1 or S.fail == 2:
        return 0.0
    if S.fail == 3:
        S.fail = 0
        return -inf
    if S.fail != 0 or S.odd != 0 or not has_all(S, s):
        S.fail = 0
        R.ODD[R.now * R.L + i] = 1
        return 0.0
    if S.used != S.AC[s]:
        return -inf
    if S.z != S.ZS[s + 1]:
        R.ODD[R.now * R.L + i] = 1
    return S.lw


def ask_again(S: State, R: Run, i: int, n: int, key: int) -> None:
    """Run the segments of the suffix again that have asked for an entry."""
    e = S.CH[cell_of(S, key)]
    while e != 0 and S.fail == 0:
        s = S.ES[e]
        e = S.EN[e]
        if s >= n and R.DM[s] != n * R.L + i:
            R.DM[s] = n * R.L + i
            R.SC[(R.now * R.L + i) * R.T + s] = alone(S, R, i, s, n)


def score_of_suffix(S: State, R: Run, i: int, n: int) -> float:
    """The same as `rescore`, from what has changed."""
    lane = R.now * R.L + i
    if S.all == 0 and R.ODD[lane] == 0:
        if n == 1:
            s = 1
            while s < R.T and S.fail == 0:
                R.SC[lane * R.T + s] = alone(S, R, i, s, n)
                s += 1
        else:
            for j in range(R.FS[2 * i], R.FS[2 * i + 1]):
                if (j & 1) == 0 and S.FK[j + 1] == 0:
                    ask_again(S, R, i, n, S.FK[j] & MASK)
            for w in range(S.AW[n - 1] + 1, S.AW[n] + 1):
                there = 0
                for j in range(R.FS[2 * i], R.FS[2 * i + 1]):
                    if (j & 1) == 0 and S.FK[j] == S.WK[w]:
                        there = 1
                if there == 0:
                    ask_again(S, R, i, n, S.WK[w] & MASK)
        if S.fail != 0:
            return 0.0
    if S.all != 0 or R.ODD[lane] != 0:
        return rescore(S, R, i, n)
    total = 0.0
    for s in range(n, R.T):
        total += R.SC[lane * R.T + s]
    if total == -inf:
        return total
    enter_particle(S, R, i, n)
    seats = density_of_seats(S, S.ZS[R.T] - S.ZS[n])
    if seats == inf:
        return rescore(S, R, i, n)
    return total + seats


def weigh_suffixes(S: State, R: Run, n: int) -> int:
    """What each particle weighs with what is retained behind it, as logs in C; 1 where something is wrong."""
    if R.even != 0 and S.all == 0:
        seats_before(S, n, R.T)
    for i in range(R.L):
        R.C[i] = -inf
        if R.LW[i] > -inf:
            if R.even == 0:
                score = rescore(S, R, i, n)
            else:
                score = score_of_suffix(S, R, i, n)
            if S.fail != 0:
                R.E[2] = i
                return 1
            R.C[i] = R.LW[i] + score
    return 0


def new_ancestor(S: State, R: Run, n: int) -> int:
    """The ancestor that the retained particle draws at a boundary; -1 where something is wrong."""
    if weigh_suffixes(S, R, n) != 0:
        return -1
    if R.C[0] == -inf:
        S.fail = 6
        return -1
    weigh(R.L, R.C, R.X)
    return pick(R.L, R.X, uniform(S.k0, S.k1, 2, n << 40))
