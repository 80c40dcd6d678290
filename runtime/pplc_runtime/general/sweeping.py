"""Sweeps of importance, smc, icsmc and pgas over particles that are run one at a time, in the middle language.

As `inference/sweep` has it: at each generation ancestors are drawn by weight where few particles have most of it, each
particle runs to the next observe, and is weighed by it. In a conditional sweep particle 0 takes what is retained; with
ancestor sampling it first draws its ancestor (`suffixes`).
"""

from __future__ import annotations

from pplc_runtime.general.particle import Run, enter_particle, extend, fork, report
from pplc_runtime.general.store import State, new_node
from pplc_runtime.general.suffixes import new_ancestor, note, weigh_suffixes
from pplc_runtime.machine.generator import uniform
from pplc_runtime.machine.words import MASK, inf, log
from pplc_runtime.native.resample import draw_ancestors, effective, is_due, pick, weigh


def retain(S: State, R: Run, chosen: int) -> None:
    """Keep what the chosen particle drew, segment by segment, and find it by address from now on."""
    L = R.L
    k = chosen
    for m in range(R.T):
        n = R.T - 1 - m
        R.PATH[n] = k
        if n > 0:
            k = R.A[n * L + k]
    entries = 0
    words = 0
    for n in range(R.T):
        e = R.LS[2 * (n * L + R.PATH[n])]
        end = R.LS[2 * (n * L + R.PATH[n]) + 1]
        words += end - e
        while e < end:
            entries += 1
            e += 2 + (S.LI[e + 1] & 65535)
    if 2 * entries > S.rmask or words > S.lc:
        S.fail = 2
        return
    R.words = words
    R.entries = entries
    for j in range(S.rmask + 1):
        S.RT[j] = 0
    q = 0
    for n in range(R.T):
        e = R.LS[2 * (n * L + R.PATH[n])]
        end = R.LS[2 * (n * L + R.PATH[n]) + 1]
        while e < end:
            size = 2 + (S.LI[e + 1] & 65535)
            j = S.LI[e] & S.rmask
            while S.RT[j] != 0:
                j = (j + 1) & S.rmask
            S.RT[j] = q + 1
            for m in range(size):
                S.RI[q + m] = S.LI[e + m]
            q += size
            e += size


def sweep(S: State, R: Run, b: int) -> int:
    """Sweep b of a block: 0, or why it could not be done; nothing that is retained has changed then."""
    L = R.L
    S.k0 = R.K[2 * b] & MASK
    S.k1 = R.K[2 * b + 1] & MASK
    S.top = R.base
    S.mark = R.base
    S.ln = 0
    S.fail = 0
    S.left = R.entries
    for j in range(R.words):
        S.RU[j] = 0
    R.now = 0
    root = new_node(S)
    if S.fail != 0:
        return S.fail
    for i in range(L):
        R.ROOTS[i] = root
        R.LW[i] = 0.0
        for k in range(R.NG):
            S.Q[i * R.NG + k] = 0
    S.watched = R.even
    if R.noting != 0:
        note(S, R)
        if S.fail != 0:
            return S.fail
    evidence = 0.0
    moved = 0
    for n in range(R.T):
        R.E[1] = n
        if n > 0 and R.method > 0:
            total = weigh(L, R.LW, R.W)
            if total == -inf:
                return lost(R, b)
            watch(R, b, n - 1)
            due = is_due(L, R.threshold, R.W)
            R.OF[b * R.T + n] = int(due)
            if due:
                evidence += total - log(float(L))
                a = resample(S, R, n)
                if a < 0:
                    return S.fail
                moved += int(a != 0)
            else:
                for i in range(L):
                    R.A[n * L + i] = i
                if R.even != 0 and weigh_suffixes(S, R, n) != 0:  # which is kept up to date from boundary to boundary
                    return S.fail
        S.fn = 0
        for i in range(L):
            if R.LW[i] > -inf:
                w = extend(S, R, i, n)
                if i == 0 and R.even != 0 and S.used != S.AC[n]:
                    S.all = 1
                if S.fail != 0:
                    R.E[2] = i
                    return S.fail
                R.LW[i] = R.LW[i] + w
                if not (R.LW[i] < inf):
                    R.E[2] = i
                    return 7
    total = weigh(L, R.LW, R.W)
    if total == -inf and R.method > 0:
        return lost(R, b)
    if R.method > 0:
        watch(R, b, R.T - 1)
    chosen = 0
    if R.method >= 2 and R.LW[0] == -inf:
        return 6
    if S.logging != 0:
        chosen = pick(L, R.W, uniform(S.k0, S.k1, 3, R.T << 40))
    logging = S.logging
    S.logging = 0
    S.watched = 0
    for i in range(L):
        if R.LW[i] > -inf:
            enter_particle(S, R, i, R.T)
            S.mode = 0
            report(S)
            if S.fail == 3:
                S.fail = 0
            if S.fail != 0:
                R.E[1] = R.T
                R.E[2] = i
                S.logging = logging
                return S.fail
        for k in range(R.NP):
            R.OQ[(b * L + i) * R.NP + k] = S.Q[(R.now * L + i) * R.NG + R.NG - R.NP + k]
        R.OW[b * L + i] = R.LW[i] - total
    S.logging = logging
    R.OE[b] = evidence + total - log(float(L))
    R.OM[2 * b] = chosen
    R.OM[2 * b + 1] = moved
    for j in range(R.T * L):
        R.OA[b * R.T * L + j] = R.A[j]
    if S.logging != 0:
        retain(S, R, chosen)
        if S.fail == 0 and R.od + R.words <= R.oc:
            for j in range(R.words):
                R.OD[R.od + j] = S.RI[j]
            R.od = R.od + R.words
            R.OS[b] = R.od
    return S.fail


def resample(S: State, R: Run, n: int) -> int:
    """Go on with particles by weight; the ancestor of the retained one, -1 where something is wrong."""
    L = R.L
    a = 0
    if R.method == 3:
        a = new_ancestor(S, R, n)
        if a < 0:
            return -1
    draw_ancestors(L, R.W, R.C, R.G, R.A[n * L :], S.k0, S.k1, n)
    if R.method >= 2:
        R.A[n * L] = a
    fork(S, R, n)
    for i in range(L):
        R.LW[i] = 0.0
    return a


def lost(R: Run, b: int) -> int:
    """A sweep that has lost all its particles: the estimate of smc is zero, and a chain cannot have come there."""
    if R.method > 1:
        return 8
    for i in range(R.L):
        R.OW[b * R.L + i] = -inf
    R.OE[b] = -inf
    return 0


def watch(R: Run, b: int, n: int) -> None:
    """Remember the generation in which the fewest particles count, by their weights."""
    count = effective(R.L, R.W)
    if n > 0 and count >= R.OX[3 * b + 1]:
        return
    least = inf
    largest = 0.0
    for i in range(R.L):
        if R.W[i] > 0.0 and R.W[i] < least:
            least = R.W[i]
        if R.W[i] > largest:
            largest = R.W[i]
    R.OX[3 * b] = float(n)
    R.OX[3 * b + 1] = count
    R.OX[3 * b + 2] = log(largest / least) / 2.302585092994046


def sweeps(S: State, R: Run, count: int) -> int:
    """A block of sweeps; how many were done, of which fewer than all where there is no room for what they retain."""
    done = 0
    R.E[0] = 0
    while done < count and R.E[0] == 0 and (done == 0 or S.logging == 0 or R.oc - R.od >= 2 * R.words):
        R.E[0] = sweep(S, R, done)
        if R.E[0] == 0:
            done += 1
    R.E[3] = R.words
    R.E[4] = R.entries
    return done
