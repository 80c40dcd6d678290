"""What executions predict that are known by what they draw, in the middle language."""

from __future__ import annotations

from pplc_runtime.general.particle import Run, enter_particle, extend, report
from pplc_runtime.general.store import State, new_node
from pplc_runtime.machine.words import MASK, inf, ints


def retold(S: State, R: Run, OD: ints, OS: ints, count: int) -> int:
    """Run executions again, one after the other; how many were run. R is of a conditional sweep with one particle."""
    start = 0
    for b in range(count):
        R.words = OS[b] - start
        if R.words > S.lc:
            R.E[0] = 2
            return b
        for j in range(S.rmask + 1):
            S.RT[j] = 0
        R.entries = 0
        q = 0
        while q < R.words:
            size = 2 + (OD[start + q + 1] & 65535)
            j = OD[start + q] & S.rmask
            while S.RT[j] != 0:
                j = (j + 1) & S.rmask
            S.RT[j] = q + 1
            S.RU[q] = 0
            for m in range(size):
                S.RI[q + m] = OD[start + q + m]
            R.entries = R.entries + 1
            q += size
            if 2 * R.entries > S.rmask:
                R.E[0] = 2
                return b
        start = OS[b]
        S.k0 = R.K[2 * b] & MASK
        S.k1 = R.K[2 * b + 1] & MASK
        S.top = R.base
        S.mark = R.base
        S.ln = 0
        S.fail = 0
        S.left = R.entries
        S.used = 0
        R.now = 0
        R.ROOTS[0] = new_node(S)
        for k in range(R.NG):
            S.Q[k] = 0
        n = 0
        while n < R.T and S.fail == 0:
            R.E[1] = n
            if extend(S, R, 0, n) == -inf:
                S.fail = 3
            n += 1
        if S.fail == 0 and S.left != 0:
            S.fail = 3
        if S.fail == 0:
            enter_particle(S, R, 0, R.T)
            S.mode = 0
            report(S)
        if S.fail != 0:
            R.E[0] = S.fail
            return b
        R.ROOTS[0] = S.root
        for k in range(R.NP):
            R.OQ[b * R.NP + k] = S.Q[R.NG - R.NP + k]
    R.E[0] = 0
    return count
