"""The densities of suffixes, of which only what has changed is run again, in the middle language.

Before a sweep of pgas the retained run is run once, and noted: which segment draws what, asks for which entries of
memos, makes which of them, and seats whom in the restaurant. A particle's replay of the suffix is *even* if each
segment, run by itself where the entries of the noted run stand in for those of the segments between, draws only what
is noted for it, and makes the entries that are noted, with the same values, but for those that the particle has. Then
the densities of the segments, run so, add up to that of the suffix, and a segment's stays as it is until an entry
that it has asked for becomes another. The seats are one factor, by counts. A particle that is not even, and what
continues it, is replayed as a whole (`suffixes.rescore`), which the tests compare with this.

Nothing is handed on from one segment to the next, since an even one makes what is noted. One that is impossible may
make less: the suffix then is impossible, whatever the others come to, until that one is run again. One that does not
draw all that is noted for it is impossible only if it has all entries: else another segment may draw the rest.
"""

from __future__ import annotations

from pplc_runtime.general.entries import near
from pplc_runtime.general.store import State, look, state_of
from pplc_runtime.machine.generator import mixed
from pplc_runtime.machine.words import MASK, inf, log

# Who asks for which entry


def cell_of(S: State, key: int) -> int:
    """The place of an entry in the table of those that are asked for; a new one is asked for by nobody."""
    j = key & S.cmask
    while S.CK[j] != 0 and (S.CK[j] & MASK) != key:
        j = (j + 1) & S.cmask
    if S.CK[j] == 0:
        if 2 * S.cells > S.cmask:
            S.fail = 2
            return j
        S.CK[j] = key
        S.CH[j] = 0
        S.CW[j] = 0
        S.cells = S.cells + 1
    return j


def asked(S: State, key: int) -> int:
    """The segment that is running asks for an entry: its place in the table."""
    j = cell_of(S, key)
    pair = mixed(key, S.seg)
    h = pair & S.pmask
    while S.PK[h] != 0 and (S.PK[h] & MASK) != pair:
        h = (h + 1) & S.pmask
    if S.PK[h] == 0:
        if 2 * S.edges > S.pmask:
            S.fail = 2
            return j
        S.PK[h] = pair
        S.edges = S.edges + 1
        S.EN[S.edges] = S.CH[j]
        S.ES[S.edges] = S.seg
        S.CH[j] = S.edges
    return j


def stands_in(S: State, key: int) -> int:
    """Where the word of a noted entry is, if a segment between the boundary and this one makes it; else -1."""
    w = S.CW[asked(S, key)]
    if w != 0 and S.WS[w] >= S.bound and S.WS[w] < S.seg:
        return w
    return -1


def same_words(S: State, a: int, b: int, size: int) -> bool:
    """Whether two words are the same: themselves (0), so many words where they are, or vectors there (-1)."""
    if a == b:
        return True
    count = size
    if size < 0:
        count = S.I[a] + 1
        if S.I[b] + 1 != count:
            return False
    j = 0
    while j < count and S.I[a + j] == S.I[b + j]:
        j += 1
    return count > 0 and j == count


def made(S: State, key: int, place: int, k: int, word: int, size: int) -> None:
    """The segment that is running makes an entry: for k, where its memo has a place."""
    j = cell_of(S, key)
    if S.fail != 0:
        return
    w = S.CW[j]
    if S.mode == 4:
        S.noted = S.noted + 1
        S.WS[S.noted] = S.seg
        S.WI[S.noted] = word
        S.WK[S.noted] = key
        S.WP[S.noted] = place
        S.WN[S.noted] = k
        S.CW[j] = S.noted
        return
    same = w != 0 and S.WS[w] == S.seg and same_words(S, word, S.WI[w], size)
    if S.mode == 3:
        if not same:
            S.odd = 1
        return
    if S.fn + 2 > S.lc:
        S.fail = 2
        return
    S.FK[S.fn] = key
    S.FK[S.fn + 1] = int(same)
    S.fn = S.fn + 2


def has_all(S: State, s: int) -> bool:
    """Whether all entries are there that are noted for a segment."""
    for w in range(S.AW[s] + 1, S.AW[s + 1] + 1):
        leaf = near(S, S.WP[w], S.WN[w])
        if leaf < 0:
            leaf = look(S, S.WK[w] & MASK)
        if leaf == 0:
            return False
    return True


def seated(S: State, where: int, k: int, alpha: float, discount: float) -> None:
    """The segment that is running seats a customer, which is not weighed now."""
    if S.mode == 4 and S.seats == 1:
        S.zw = where
        S.za = alpha
        S.zd = discount
    if S.zw != where or S.za != alpha or S.zd != discount or k < 0 or k >= S.cmask:
        if S.mode == 4:
            S.all = 1
        else:
            S.odd = 1


def seats_before(S: State, n: int, T: int) -> None:
    """What is still to be seated from segment n on: how many at each table, and the tables in order."""
    for j in range(S.first):
        S.MZ[S.FO[j]] = 0
    S.first = 0
    for z in range(S.ZS[n], S.ZS[T]):
        k = S.ZK[z]
        if S.MZ[k] == 0:
            S.FO[S.first] = k
            S.first = S.first + 1
        S.MZ[k] = S.MZ[k] + 1


def log_rising(S: State, size: int) -> None:
    """Sums of logs: what seats take at a table from one customer on, and the restaurant."""
    S.LG[0] = 0.0
    S.LG[1] = 0.0
    S.LA[0] = 0.0
    S.LA[1] = 0.0
    for c in range(2, size):
        S.LG[c] = S.LG[c - 1] + log(float(c - 1) - S.zd)
        S.LA[c] = S.LA[c - 1] + log(float(c - 1) + S.za)


def density_of_seats(S: State, left: int) -> float:
    """The log density of what is still to be seated, given who sits where; not a number if there are too many."""
    if left == 0:
        return 0.0
    p = state_of(S, S.zw)
    tables = 0
    customers = 0
    if p != 0:
        tables = S.I[p + 1]
        customers = S.I[p + 2]
    if customers + left >= S.cmask:
        return inf
    total = S.LA[customers] - S.LA[customers + left]
    new = tables
    for j in range(S.first):
        k = S.FO[j]
        if k < tables:
            c = S.I[p + 3 + k]
            total += S.LG[c + S.MZ[k]] - S.LG[c]
        else:
            if k != new:
                return -inf
            if new > 0:
                total += log(S.za + S.zd * float(new))
            new += 1
            total += S.LG[S.MZ[k]]
    return total
