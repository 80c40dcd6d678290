"""Whole sweeps of importance, smc, icsmc and pgas, in the middle language: blocks of them in one call.

The values of particles are in `X`: cell by cell, in each slot by slot. Nothing is copied when particles are resampled:
a cell is read by a map from the slots of now to those of the generation that wrote it, and which maps there are, and
when they are needed, is the same in every sweep (`schedule`). The paths of particles are found at the end.

A particle of weight zero has ended: it runs nothing more, and is never an ancestor. A sweep of smc that has lost all of
them ends there, and its estimate of the evidence is zero.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import bits, uniform
from pplc_runtime.machine.words import inf, log
from pplc_runtime.native.arrays import Sweeps
from pplc_runtime.native.handed import count_ancestors, follow_lines, hand_over, keep_drawn, retain, watch
from pplc_runtime.native.resample import comb, draw_ancestors, is_due, pick, weigh


def forward(form: int, s: Sweeps, n: int, i0: int, f0: int) -> int:  # written anew for each program
    """Run a segment; 1 where something is wrong."""
    return 0


def replay(form: int, s: Sweeps, n: int, i0: int, f0: int) -> int:  # written anew for each program
    """The density of a segment of what is retained behind each particle, as far as it depends on what came before."""
    return 0


def rescore(s: Sweeps, n: int) -> int:
    """The log density of what is retained from segment `n` on behind each particle, in TOT; 1 if something is wrong.

    Where it is impossible it does not matter what is wrong in it: no execution goes there."""
    L = s.L
    M = s.M
    SC = s.SC
    SB = s.SB
    TOT = s.TOT
    BAD = s.BAD
    RP = s.RP
    ended = s.DR[n]
    if ended >= 0:
        for i in range(L):
            j = (n - 1) * L + M[ended * L + i]
            TOT[i] -= SC[j]
            BAD[i] -= SB[j]
    for e in range(s.RS[n], s.RS[n + 1]):
        d = RP[5 * e]
        before = RP[5 * e + 1]
        if before >= 0:
            for i in range(L):
                j = d * L + M[before * L + i]
                TOT[i] -= SC[j]
                BAD[i] -= SB[j]
        if replay(RP[5 * e + 2], s, d, RP[5 * e + 3], RP[5 * e + 4]) != 0:
            return 1
        for i in range(L):
            j = d * L + i
            score = SC[j]
            SB[j] = 0
            if score > -inf:
                TOT[i] += score
            else:
                SC[j] = 0.0
                SB[j] = 1 if score == -inf else 1048576
                BAD[i] += SB[j]
    for i in range(L):
        if BAD[i] > 0 and BAD[i] % 1048576 == 0 and s.LW[i] > -inf:
            return 1
    return 0


def new_ancestor(s: Sweeps, n: int) -> int:
    """The ancestor of the retained particle, by weight and by how well it goes on from there; -1 if there is none."""
    for i in range(s.L):
        s.V[i] = s.LW[i] + s.TOT[i]
        if s.BAD[i] > 0 or not (s.LW[i] > -inf):
            s.V[i] = -inf
    if not (weigh(s.L, s.V, s.TF) > -inf):
        s.E[0] = n
        s.E[1] = -1
        return -1
    return pick(s.L, s.TF, uniform(s.k0, s.k1, 2, n << 40))


def fork(s: Sweeps, n: int) -> None:
    """Go on with the ancestors of generation `n`."""
    L = s.L
    M = s.M
    A = s.A[n * L :]
    TI = s.TI
    for k in range(s.FS[n], s.FS[n + 1]):
        slot = s.FK[2 * k] * L
        if s.FK[2 * k + 1] == 1:
            for i in range(L):
                M[slot + i] = A[i]
        else:
            for i in range(L):
                TI[i] = M[slot + A[i]]
            for i in range(L):
                M[slot + i] = TI[i]
    if s.rescored == 1:
        for i in range(L):
            s.TF[i] = s.TOT[A[i]]
            TI[i] = s.BAD[A[i]]
        for i in range(L):
            s.TOT[i] = s.TF[i]
            s.BAD[i] = TI[i]


def resample(s: Sweeps, n: int, due: bool) -> int:
    """Ancestors for generation `n`: 1 if that of the retained particle is another one, -1 if something is wrong."""
    L = s.L
    A = s.A[n * L :]
    if not due:
        for i in range(L):
            A[i] = i
        return 0
    first = 0
    if s.rescored == 1:
        first = new_ancestor(s, n)
        if first < 0:
            return -1
    draw_ancestors(L, s.W, s.CUM, s.GUIDE, A, s.k0, s.k1, n)
    if s.kept == 1:
        A[0] = first
    for i in range(L):
        s.LW[i] = 0.0
    return 1 if first != 0 else 0


def begin(s: Sweeps) -> None:
    """All particles at the start."""
    L = s.L
    for i in range(L):
        s.LW[i] = 0.0
        s.TOT[i] = 0.0
        s.BAD[i] = 0
        s.M[i] = i
    if s.rescored == 1:
        X = s.X
        for w in range(s.WS[s.T]):
            start = s.WR[2 * w]
            size = s.WR[2 * w + 1]
            for i in range(L):
                for k in range(size):
                    X[start * L + i * size + k] = s.REF[start + k]


def one_sweep(s: Sweeps, b: int) -> int:
    """A sweep up to the weights of the last generation, W and LW; how often the retained particle has drawn another
    ancestor than itself, -1 where something is wrong."""
    L = s.L
    spread = log(float(L))
    evidence = 0.0
    moved = 0
    total = 0.0
    begin(s)
    for n in range(s.T):
        if n > 0:
            if s.rescored == 1 and rescore(s, n) != 0:
                return -1
            due = False
            if s.weighed == 0:
                due = is_due(L, s.threshold, s.W)
            s.DUE[n] = 0
            if due:
                s.DUE[n] = 1
                evidence += total - spread
            taken = resample(s, n, due)
            if taken < 0:
                return -1
            moved += taken
            fork(s, n)
        if forward(s.FW[3 * n], s, n, s.FW[3 * n + 1], s.FW[3 * n + 2]) != 0:
            return -1
        if s.weighed == 0 or n == s.T - 1:
            total = weigh(L, s.LW, s.W)
            if total == -inf and s.weighed == 0 and s.kept == 0 and s.starting == 0:
                s.OUTE[b] = -inf
                return 0
            if total != total or (total == -inf and s.weighed == 0):
                s.E[0] = n
                s.E[1] = -1 if total == -inf else -2
                return -1
            if s.report == 1 and b % 10 == s.looks and s.weighed == 0:
                watch(s, b, n)
    s.OUTE[b] = evidence + total - spread
    return moved


def sweep_block(s: Sweeps, count: int) -> int:
    """Some sweeps; how many were done, fewer where something is wrong."""
    L = s.L
    for b in range(count):
        s.k0 = s.K0
        s.k1 = s.K1
        if s.folds == 1:
            s.k0 = bits(s.K0, s.K1, s.number + b, 9223372036854775808)
            s.k1 = bits(s.K0, s.K1, s.number + b, 9223372036854775809)
        for i in range(L):
            s.A[i] = i
        moved = one_sweep(s, b)
        if moved < 0:
            return b
        if s.report == 1:
            s.OUTM[b] = moved
            for i in range(L):
                s.OUTW[b * L + i] = s.LW[i]
            hand_over(s, b)
        if s.kept == 1 or s.starting == 1:
            chosen = pick(L, s.W, uniform(s.k0, s.k1, 3, s.T << 40))
            s.PLACES[b] = chosen
            retain(s, chosen, b)
        if s.report == 1:
            if s.kept == 0 and s.standing > 0 and s.OUTE[b] > -inf:
                comb(L, s.W, s.standing, uniform(1886415971, s.chain, s.first + b, 0), s.PLACES[b * s.standing :])
            if s.standing > 0 and s.OUTE[b] > -inf:
                keep_drawn(s, b)
            if s.kept == 0 and s.weighed == 0 and s.OUTE[b] > -inf:
                follow_lines(s, b)
            if s.kept == 1 and b % 10 == s.looks:
                count_ancestors(s, b)
            if b >= s.traces:
                for n in range(s.T):
                    s.OUTF[(b - s.traces) * s.T + n] = s.DUE[n]
                for j in range(s.T * L):
                    s.OUTG[(b - s.traces) * s.T * L + j] = s.A[j]
    return count
