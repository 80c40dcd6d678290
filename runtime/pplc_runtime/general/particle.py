"""One particle of a sweep, in the middle language: it is forked, and runs a segment; and what a block works on."""

from __future__ import annotations

from pplc_runtime.general.store import State
from pplc_runtime.machine.words import floats, inf, ints


class Run:
    """What a block of sweeps is told, works on, and gives."""

    method: int  # 0 importance, 1 smc, 2 icsmc, 3 pgas
    L: int
    T: int
    threshold: float  # particles are resampled where fewer of them count than this share
    NG: int  # globals, of which the last NP are predicted
    NP: int
    base: int  # where the constants end in the arena
    now: int  # which half of the globals is in use
    A: ints  # ancestors
    LS: ints  # where the log of each generation and particle begins and ends
    ROOTS: ints
    LW: floats
    W: floats
    C: floats
    X: floats
    G: ints
    PATH: ints
    words: int  # the length of what is retained, and how many values there are in it
    entries: int
    K: ints  # keys of the sweeps
    OW: floats  # log weights, log evidence, predicts as words
    OE: floats
    OQ: ints
    OM: ints  # the chosen particle, and how often another ancestor was drawn
    OA: ints  # the ancestors of all particles
    OF: ints  # after which generations particles were resampled
    OX: floats  # the generation in which the fewest particles count: its number, how many, and decades of weights
    OD: ints  # what is retained after each sweep, one after the other, and where it ends
    OS: ints
    od: int
    oc: int
    E: ints  # what went wrong: code, generation, particle; and the length of what is retained
    noting: int  # whether what is retained is noted before a sweep
    even: int  # whether suffixes are run as far as they have changed
    SC: floats  # the densities of segments of the suffix by particle, and which particles are replayed as a whole
    ODD: ints
    FS: ints  # where what each particle has made in its last segment begins and ends
    DM: ints  # which segments have been run again at this boundary


def segment(S: State, n: int) -> None:
    """Run the statements up to the next observe; the compiler writes it."""


def report(S: State) -> None:
    """Run the predicts that have waited; the compiler writes it."""


def fork(S: State, R: Run, n: int) -> None:
    """Go on with the ancestors of generation n."""
    L = R.L
    here = R.now * L
    there = L - here
    for i in range(L):
        a = R.A[n * L + i]
        R.ROOTS[there + i] = R.ROOTS[here + a]
        for k in range(R.NG):
            S.Q[(there + i) * R.NG + k] = S.Q[(here + a) * R.NG + k]
        if R.even != 0 and S.all == 0:
            R.ODD[there + i] = R.ODD[here + a]
            for s in range(n, R.T):
                R.SC[(there + i) * R.T + s] = R.SC[(here + a) * R.T + s]
    R.now = 1 - R.now


def enter_particle(S: State, R: Run, i: int, n: int) -> None:
    """Be particle i in generation n."""
    S.root = R.ROOTS[R.now * R.L + i]
    S.g = (R.now * R.L + i) * R.NG
    S.mark = S.top
    S.c1 = (n << 40) | (i << 16)
    S.lw = 0.0
    S.fail = 0
    S.depth = 0
    S.seg = n


def extend(S: State, R: Run, i: int, n: int) -> float:
    """The log weight of particle i after segment n; `S.fail` above 3 or below is a reason to stop."""
    enter_particle(S, R, i, n)
    S.mode = 1 if R.method >= 2 and i == 0 else 0
    S.used = 0
    R.LS[2 * (n * R.L + i)] = S.ln
    R.FS[2 * i] = S.fn
    segment(S, n)
    R.LS[2 * (n * R.L + i) + 1] = S.ln
    R.FS[2 * i + 1] = S.fn
    R.ROOTS[R.now * R.L + i] = S.root
    if S.fail == 3:
        S.fail = 0
        return -inf
    return S.lw
