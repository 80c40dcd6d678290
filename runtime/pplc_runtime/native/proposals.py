"""Proposals of lmh on one execution of static structure, in the middle language.

All executions have the same choices, so that the ratio of Metropolis and Hastings is

    r  =  gamma(x') q(x)  /  (gamma(x) q(x'))  =  product of the densities of what reads the choice, after by before,

for the choice is drawn from its own density: that cancels, and is left out. A site is a draw with all of its elements.
The number of a proposal is in the counters of its random numbers. Those of the draw are below 2^16; one more at 2^16 is
for the site, and one at 2^17 for the decision.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import uniform
from pplc_runtime.machine.words import floor, inf, log, nan
from pplc_runtime.native.execution import Moves, joint
from pplc_runtime.native.moves import restore, save


def fresh(form: int, m: Moves, i0: int, f0: int, k0: int, k1: int, c1: int) -> float:  # written anew for each program
    """Draws a site from its distribution as it is; not a number where something is wrong."""
    return 0.0


def propose(m: Moves, j: int, k0: int, k1: int, c1: int) -> float:
    """Propose another value for a site: 1 if it stays, 0 if not. Not a number where something is wrong."""
    AF = m.AF
    PL = m.PL
    SC = m.SC
    NEW = m.NEW
    save(m, j)
    if fresh(m.FP[3 * j], m, m.FP[3 * j + 1], m.FP[3 * j + 2], k0, k1, c1) != 0.0:
        return nan
    own = AF[j]  # the piece that draws it is the first
    ratio = 0.0
    for k in range(own, AF[j + 1]):
        d = 3 * AF[k]
        lp = joint(PL[d], m, PL[d + 1], PL[d + 2])
        if lp != lp:
            return lp
        NEW[k] = lp
        if not (lp > -inf):
            ratio = -inf
            break
        if k > own:
            ratio += lp - SC[AF[k]]
    if log(uniform(k0, k1, 0, c1 + 131072)) < ratio:
        for k in range(own, AF[j + 1]):
            SC[AF[k]] = NEW[k]
        return 1.0
    restore(m, j)
    return 0.0


def lmh_block(m: Moves, sweeps: int, first: int, proposals: int, k0: int, k1: int) -> int:
    """Some sweeps of proposals; how many were done. In T how many of each stay."""
    for b in range(sweeps):
        m.T[b] = 0.0
        for i in range(proposals if m.sites > 0 else 0):
            c1 = ((first + b) * proposals + i) << 18
            j = int(floor(uniform(k0, k1, 0, c1 + 65536) * float(m.sites)))
            a = propose(m, j, k0, k1, c1)
            if a != a:
                return b
            m.T[b] += a
        for k in range(m.kept):
            m.OUT[b * m.kept + k] = m.X[m.KEPT[k]]
    return sweeps
