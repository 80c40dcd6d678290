"""What sweeps hand over, in the middle language: paths, what was drawn and reported, and diagnostics."""

from __future__ import annotations

from pplc_runtime.machine.words import inf
from pplc_runtime.native.arrays import Sweeps
from pplc_runtime.native.resample import distinct, effective


def watch(s: Sweeps, b: int, n: int) -> None:
    """Remember the observe after which the fewest particles count: which, how many, and the span of the weights; and
    whether a particle has ended."""
    found = effective(s.L, s.W)
    out = s.OUTV[4 * b :]
    low = inf
    high = -inf
    for i in range(s.L):
        if s.LW[i] > high:
            high = s.LW[i]
        if s.LW[i] == -inf:
            out[3] = 1.0
        elif s.LW[i] < low:
            low = s.LW[i]
    if n == 0 or found < out[1]:
        out[0] = float(n)
        out[1] = found
        out[2] = (high - low) / 2.302585092994046


def retain(s: Sweeps, chosen: int, b: int) -> None:
    """Retain the path of a particle."""
    L = s.L
    place = chosen
    for m in range(s.T):
        n = s.T - 1 - m
        if s.report == 1:
            s.OUTP[b * s.T + n] = place
        for w in range(s.WS[n], s.WS[n + 1]):
            start = s.WR[2 * w]
            size = s.WR[2 * w + 1]
            for k in range(size):
                s.REF[start + k] = s.X[start * L + place * size + k]
        place = s.A[n * L + place]


def keep_drawn(s: Sweeps, b: int) -> None:
    """Hand over what the particles that stand for a sweep have drawn."""
    L = s.L
    T = s.T
    standing = s.standing
    X = s.X
    DW = s.DW
    TI = s.TI
    for q in range(standing):
        TI[q] = s.PLACES[b * standing + q]
    for m in range(T):
        n = T - 1 - m
        for w in range(s.DS[n], s.DS[n + 1]):
            start = DW[3 * w] * L
            size = DW[3 * w + 1]
            for k in range(size):
                out = s.OUTD[(b * s.rows + DW[3 * w + 2] + k) * standing :]
                for q in range(standing):
                    out[q] = X[start + TI[q] * size + k]
        for q in range(standing):
            TI[q] = s.A[n * L + TI[q]]


def hand_over(s: Sweeps, b: int) -> None:
    """What is reported of a sweep."""
    L = s.L
    X = s.X
    out = s.OUTR[b * s.reports * L :]
    row = 0
    for r in range(s.RE[0]):
        start = s.RE[3 * r + 1]
        size = s.RE[3 * r + 2]
        slot = s.RE[3 * r + 3] * L
        for i in range(L):
            base = start * L + s.M[slot + i] * size
            for k in range(size):
                out[(row + k) * L + i] = X[base + k]
        row += size


def follow_lines(s: Sweeps, b: int) -> None:
    """The ancestors of all particles 1, 4, 16, 64 ... forks before the end, and in the first generation; LINES has the
    generation of each, -1 where there is none."""
    L = s.L
    TI = s.TI
    for i in range(L):
        TI[i] = i
    found = 0
    forks = 0
    due = 1
    left = L
    last = -1
    saved = -1
    for m in range(s.T - 1):
        n = s.T - 1 - m
        if s.DUE[n] == 0:
            continue
        forks += 1
        last = n - 1
        if left == 1:
            continue
        for i in range(L):
            TI[i] = s.A[n * L + TI[i]]
        if forks == due:
            due = due * 4
            s.LINES[b * (s.lines + 1) + 1 + found] = n - 1
            saved = n - 1
            for i in range(L):
                s.OUTL[(b * s.lines + found) * L + i] = TI[i]
            found += 1
            left = distinct(L, TI, s.GUIDE)
    if left > 1 and forks > 0 and saved != last:
        s.LINES[b * (s.lines + 1) + 1 + found] = last
        for i in range(L):
            s.OUTL[(b * s.lines + found) * L + i] = TI[i]
        found += 1
    for k in range(found, s.lines):
        s.LINES[b * (s.lines + 1) + 1 + k] = -1
    s.LINES[b * (s.lines + 1)] = forks


def count_ancestors(s: Sweeps, b: int) -> None:
    """How many ancestors all particles have in each segment."""
    L = s.L
    TI = s.TI
    for i in range(L):
        TI[i] = i
    for m in range(s.T):
        n = s.T - 1 - m
        s.OUTA[b * s.T + n] = distinct(L, TI, s.GUIDE)
        for i in range(L):
            TI[i] = s.A[n * L + TI[i]]
