"""What a particle has, in the middle language: an arena, a persistent table, what it draws, and what is retained.

Values are words of eight bytes in one arena, which is read as reals (`H`) or as whole numbers (`I`). What particles
share is never changed: a particle changes only what it has made since it began the segment, from `mark` on. The table,
of memo entries and states of processes by the hashes of their addresses, is a tree of nodes of 16 places (Bagwell
2001): a particle that is forked shares it, and copies the nodes on the way to what it adds.
"""

from __future__ import annotations

from pplc_runtime.machine.generator import mixed
from pplc_runtime.machine.words import MASK, floats, inf, ints


class State:
    """The particle that is running, and the memory of all."""

    H: floats
    I: ints  # the whole numbers of the arena
    top: int  # where the arena is free, and where it ends
    limit: int
    bin: int  # words that nobody reads
    texts: int  # where the hashes of strings and symbols are
    segments: int  # where the rows of the segments are
    root: int
    mark: int
    P: floats  # globals by particle, as reals and as whole numbers
    Q: ints
    g: int
    lw: float
    fail: int
    halt: int  # not zero: the run is over, another thread says
    depth: int
    mode: int  # 0 draws, 1 takes what is retained, 2 scores it, 3 a segment by itself (`incremental`), 4 notes it
    logging: int
    k0: int
    k1: int
    c1: int
    LV: floats  # what is drawn: address, measure and size, values
    LI: ints
    ln: int
    lc: int
    RV: floats  # what is retained, and where it is by address
    RI: ints
    RT: ints
    rmask: int
    RU: ints  # which of it the retained particle has used in this sweep, and how much is left: the suffix
    left: int
    used: int
    seg: int  # the segment that is running, and from where on noted entries stand in
    bound: int
    watched: int  # whether the rest here is in use, and whether it is of no use in this sweep
    all: int
    odd: int  # whether a segment by itself does otherwise than noted
    CK: ints  # entries that are asked for: keys, who asks, and which of what is noted they are
    CH: ints
    CW: ints
    cells: int
    cmask: int
    EN: ints  # who asks, as lists: the next, and the segment
    ES: ints
    edges: int
    PK: ints  # which of these there are
    pmask: int
    WS: ints  # what is noted of entries: the segment that makes one, its word, its key, place and number
    WI: ints
    WV: floats
    WK: ints
    WP: ints
    WN: ints
    noted: int
    AS: ints  # the segment that draws a value
    AC: ints  # how many values each segment draws, and where its entries and seats begin
    AW: ints
    ZS: ints
    ZA: ints  # what processes take in, in order: addresses and values; and the next of them
    ZK: ints
    seats: int
    z: int  # and where the one restaurant is that is weighed by counts, and its parameters
    zw: int
    za: float
    zd: float
    MZ: ints  # what is still to be seated: how many at each table, and the tables in order
    FO: ints
    first: int
    LG: floats  # sums of logs
    LA: floats
    FK: ints  # what particles make in a generation: keys, and whether it is as noted
    fn: int


# How a segment may end before its end: no room (1 in the arena, 2 for draws), of weight zero (3), too deep (4), a whole
# number that is too large (5), a density that is not a number (7); from 100 on errors of the program.


def alloc(S: State, n: int) -> int:
    """So many new words; where there is no room, up to 64 that nobody reads."""
    p = S.top
    if p + n > S.limit:
        S.fail = 1
        return S.bin
    S.top = p + n
    return p


def scored(S: State, density: float) -> None:
    """The log density of a value is weight; none ends the particle."""
    if density == -inf:
        S.fail = 3
    else:
        if density < inf:
            S.lw = S.lw + density
        else:
            S.fail = 7


# The table


def new_node(S: State) -> int:
    p = alloc(S, 16)
    for j in range(16):
        S.I[p + j] = 0
    return p


def owned(S: State, p: int) -> int:
    """A node of the particle's own."""
    if p >= S.mark:
        return p
    q = alloc(S, 16)
    for j in range(16):
        S.I[q + j] = S.I[p + j]
    return q


def look(S: State, key: int) -> int:
    """The leaf of a key, or 0. A leaf is a key and a word; in nodes it is a negative number."""
    p = S.root
    rest = key
    while p > 0:
        p = S.I[p + (rest & 15)]
        rest = rest >> 4
    if p < 0 and (S.I[-p] & MASK) == key:
        return -p
    return 0


def enter(S: State, key: int) -> int:
    """A leaf of the particle's own for a key; the word of a new one is 0."""
    S.root = owned(S, S.root)
    p = S.root
    shift = 0
    while S.fail == 0:
        j = p + ((key >> shift) & 15)
        shift = shift + 4
        c = S.I[j]
        if c > 0:
            p = owned(S, c)
            S.I[j] = p
        else:
            if c < 0 and (S.I[-c] & MASK) != key:  # another leaf goes one node down
                p = new_node(S)
                S.I[j] = p
                S.I[p + (((S.I[-c] & MASK) >> shift) & 15)] = c
            else:
                if -c >= S.mark:
                    return -c
                leaf = alloc(S, 2)
                S.I[leaf] = key
                S.I[leaf + 1] = 0 if c == 0 else S.I[1 - c]
                S.I[j] = -leaf
                return leaf
    return S.bin


def state_of(S: State, where: int) -> int:
    """The state of a process; 0 before the first draw. One that the planner has made is among the globals."""
    if where >= 0 and where < 65536:
        return S.Q[S.g + where]
    leaf = look(S, where & MASK)
    return 0 if leaf == 0 else S.I[leaf + 1]


def keep_state(S: State, where: int, p: int) -> None:
    """The state of a process is another."""
    if where >= 0 and where < 65536:
        S.Q[S.g + where] = p
    else:
        leaf = enter(S, where & MASK)
        S.I[leaf + 1] = p


# What is drawn, and what is retained


def logged(S: State, at: int, measure: int) -> int:
    """Where the words of a value that is drawn go; `measure` has their number in its lowest 16 bits."""
    p = S.ln
    size = measure & 65535
    if p + 2 + size > S.lc:
        S.fail = 2
        return 2
    S.LI[p] = at
    S.LI[p + 1] = measure
    S.ln = p + 2 + size
    return p + 2


def found(S: State, at: int) -> int:
    """Where the words at an address of the suffix are; without any the particle ends."""
    j = at & S.rmask
    while S.RT[j] != 0:
        e = S.RT[j] - 1
        if (S.RI[e] & MASK) == at and S.RU[e] == 0:
            return e + 2
        j = (j + 1) & S.rmask
    S.fail = 3
    return 2


def taken(S: State, at: int, measure: int) -> int:
    """The same of a value that is used, and must be of a measure. What the retained particle uses is used up."""
    p = found(S, at)
    if S.fail == 0:
        if S.RI[p - 1] != measure:
            S.fail = 3
        if S.mode == 1:
            S.RU[p - 2] = 1
            S.left = S.left - 1
        if S.watched != 0:
            if S.mode == 4:
                S.AS[p - 2] = S.seg
            if S.AS[p - 2] != S.seg:
                if S.mode == 1:
                    S.all = 1
                else:
                    S.odd = 1
        S.used = S.used + 1
    return p


def in_turn(S: State, at: int, value: int) -> None:
    """A process takes in a value: in a suffix the same as in the retained run, in the same order in each segment, or
    it does not fit (docs/design.md, rule 1)."""
    if S.mode == 4:
        if S.seats >= S.rmask:
            S.fail = 2
            return
        S.ZA[S.seats] = at
        S.ZK[S.seats] = value
        S.seats = S.seats + 1
    else:
        if S.z < S.ZS[S.seg + 1] and (S.ZA[S.z] & MASK) == at and S.ZK[S.z] == value:
            S.z = S.z + 1
        else:
            if S.mode == 3:
                S.odd = 1
            else:
                S.fail = 3


def keep_real(S: State, at: int, measure: int, x: float) -> None:
    if S.logging != 0:
        S.LV[logged(S, at, measure)] = x


def keep_whole(S: State, at: int, measure: int, x: int) -> None:
    if S.logging != 0:
        S.LI[logged(S, at, measure)] = x


# Vectors: a length, and that many words


def new_vector(S: State, n: int) -> int:
    p = alloc(S, n + 1)
    if S.fail == 0:
        S.I[p] = n
    return p


def as_reals(S: State, v: int) -> int:
    """A vector of whole numbers as one of reals."""
    n = S.I[v]
    p = new_vector(S, n)
    if S.fail == 0:
        for j in range(n):
            S.H[p + 1 + j] = float(S.I[v + 1 + j])
    return p


def bits_of(S: State, x: float) -> int:
    S.H[S.bin] = x
    return S.I[S.bin]


def nil_real(S: State, bits: int) -> float:
    S.I[S.bin] = bits
    return S.H[S.bin]


def key_of_real(S: State, x: float) -> int:
    """What a real number is in the hash of an address, as `numerics.keys.number_of` has it."""
    if x != x:
        return 0xC0A434FAAA12A89D
    if x >= -9223372036854775808.0 and x < 9223372036854775808.0:
        k = int(x)
        if float(k) == x:
            return k
    S.H[S.bin] = x
    return mixed(1, S.I[S.bin])
