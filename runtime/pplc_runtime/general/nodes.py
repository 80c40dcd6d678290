"""An execution as nodes that ask each other, of which only what has changed is run again, in the middle language.

A node is a segment or an entry of a memo. It has the values that it draws, the log densities of these and of what it
observes, its word, and the nodes that it asks, in order. After a change of a value (`attempt`) the nodes that may
depend on it are marked; a segment that is marked is run again if something that it has asked has another word than
before, and what it asks is settled first. So each node runs at most once, and sees no word that is not final.

Entries that are asked for and not there are *made*: their values are drawn, and stay the same for all that is tried in
one move. Entries that nobody asks for any more are *stale*. Neither counts in the density: given all others they have
their prior law, as long as what they draw does not depend on what is moved, which is checked (design.md, *Nodes*).
"""

from __future__ import annotations

from pplc_runtime.general.incremental import same_words
from pplc_runtime.general.node_state import State
from pplc_runtime.machine.words import MASK, inf


def segment(S: State, n: int) -> None:
    """Run the statements up to the next observe; the compiler writes it."""


def entry(S: State, j: int) -> None:
    """Run the procedure of a memo for the key of a node; the compiler writes it. The result is in `XW`."""


# Nodes


def node_of(S: State, key: int) -> int:
    """The node of an entry; a new one is not there yet."""
    j = key & S.nmask
    while S.NK[j] != 0 and (S.NK[j] & MASK) != key:
        j = (j + 1) & S.nmask
    if S.NK[j] == 0:
        if 2 * S.nodes > S.nmask:
            S.fail = 2
            return j
        S.nodes = S.nodes + 1
        S.NK[j] = key
        S.NS[j] = 0
        S.NC[j] = 0
        S.NR[j] = 0
        S.NE[j] = 0
        S.NT[j] = 0
        S.NU[j] = S.NU[j] + 1
    return j


def link(S: State, j: int, t: int) -> None:
    """Node j asks node t."""
    g = S.links + 1
    if g >= S.glimit:
        S.fail = 2
        return
    S.links = g
    S.GA[g] = t
    S.GB[g] = 0
    S.GC[g] = j
    S.GD[g] = S.NU[j]
    S.GE[g] = S.NR[t]
    S.NR[t] = g
    if S.NT[j] == 0:
        S.NE[j] = g
    else:
        S.GB[S.NT[j]] = g
    S.NT[j] = g
    S.NC[t] = S.NC[t] + 1


def forget_asks(S: State, j: int) -> None:
    """Node j asks nobody any more."""
    S.NU[j] = S.NU[j] + 1
    g = S.NE[j]
    while g != 0:
        t = S.GA[g]
        S.NC[t] = S.NC[t] - 1
        if S.NC[t] == 0:
            S.ZL[S.zn] = t
            S.zn = S.zn + 1
        g = S.GB[g]
    S.NE[j] = 0
    S.NT[j] = 0


def mark_readers(S: State, t: int) -> None:
    """Mark the nodes that ask node t."""
    before = 0
    g = S.NR[t]
    while g != 0:
        j = S.GC[g]
        if S.GD[g] == S.NU[j] and S.NS[j] != 0:
            if S.NS[j] == 1:
                S.NS[j] = 2
                S.ML[S.mn] = j
                S.mn = S.mn + 1
            before = g
        elif before == 0:
            S.NR[t] = S.GE[g]
        else:
            S.GE[before] = S.GE[g]
        g = S.GE[g]


def mark(S: State, d: int) -> None:
    """Mark a node, and all that may depend on it."""
    S.NS[d] = 2
    S.ML[0] = d
    S.mn = 1
    i = 0
    while i < S.mn:
        mark_readers(S, S.ML[i])
        i += 1


def asked(S: State, j: int) -> None:
    """The node that is running asks for an entry, which is settled first."""
    if S.NS[j] == 3:
        S.fail = 4
        return
    if S.NS[j] != 1:
        settle(S, j)
        if S.fail != 0:
            return
    if S.recording != 0:
        link(S, S.node, j)
    if S.NJ[j] == S.trial:
        S.taint = 1


def settle(S: State, j: int) -> None:
    """A node that is marked, or not there, comes to its word."""
    if S.NS[j] == 2 and S.force == 0:
        changed = 0
        g = S.NE[j]
        while g != 0 and changed == 0:
            t = S.GA[g]
            if S.NS[t] == 2:
                settle(S, t)
                if S.fail != 0:
                    return
            if S.NJ[t] == S.trial:
                changed = 1
            g = S.GB[g]
        if changed == 0:
            S.NS[j] = 1
            return
    evaluate(S, j)


def evaluate(S: State, j: int) -> None:
    """Run a node."""
    outer = S.node
    ld = S.ld
    lw = S.lw
    taint = S.taint
    count = S.count
    making = S.making
    S.node = j
    S.ld = 0.0
    S.lw = 0.0
    S.taint = S.force
    S.count = 0
    S.making = int(S.NS[j] == 0)
    if S.making != 0:
        S.NL[j] = 0
    if S.recording != 0:
        forget_asks(S, j)
    S.NS[j] = 3
    S.depth = S.depth + 1
    if S.depth > 50000:
        S.fail = 4
    elif j > S.nmask:
        segment(S, j - S.nmask - 1)
    else:
        entry(S, j)
    S.depth = S.depth - 1
    if S.fail != 0:
        S.NS[j] = 0 if S.making != 0 else 2
    else:
        ran(S, j)
    S.node = outer
    S.ld = ld
    S.lw = lw
    S.taint = taint
    S.count = count
    S.making = making


def ran(S: State, j: int) -> None:
    """What a node has come to."""
    S.NS[j] = 1
    if S.making != 0:
        S.NJ[j] = 0
        if S.taint != 0:
            S.NJ[j] = S.trial
            if S.count > 0 and S.source == 0:
                S.fail = 24
        S.NW[j] = S.XW[0]
        S.LD[j] = S.ld
        S.LO[j] = S.lw
        S.NQ[j] = S.count
        S.MD[S.md] = j
        S.md = S.md + 1
        return
    S.JN[S.jn] = j
    S.JW[S.jn] = S.NW[j]
    S.JD[S.jn] = S.LD[j]
    S.JO[S.jn] = S.LO[j]
    S.jn = S.jn + 1
    S.delta = S.delta + (S.ld + S.lw - S.LD[j] - S.LO[j])
    S.LD[j] = S.ld
    S.LO[j] = S.lw
    if S.count != S.NQ[j]:
        S.fail = 3
        S.unlike = S.unlike + 1
    if j <= S.nmask and not same_words(S, S.XW[0], S.NW[j], S.NZ[j]):
        S.NW[j] = S.XW[0]
        S.NJ[j] = S.trial


def remove(S: State, j: int) -> None:
    """A node that nobody asks for any more."""
    S.NS[j] = 0
    v = S.NL[j]
    while v != 0:
        S.RU[v - 1] = 0
        v = S.RL[v - 1]
    forget_asks(S, j)


# Changes


def in_globals(S: State, d: int) -> int:
    """Whether what is assumed may depend on what a node draws: then all reads it, through the store."""
    first = S.nmask + 1
    if d == first or S.NE[first] == 0:
        return int(d == first)
    mark(S, d)
    found = int(S.NS[first] == 2)
    for i in range(S.mn):
        S.NS[S.ML[i]] = 1
    return found


def attempt(S: State, e: int) -> float:
    """The log density of the execution with another value at a place, less that of the one before: of what is drawn and
    observed in both, without the seats."""
    S.trial = S.trial + 1
    S.jn = 0
    S.md = 0
    S.mn = 0
    S.zn = 0
    S.delta = 0.0
    d = S.AS[e]
    if S.force != 0:
        S.seated = 0
        for j in range(S.nmask + 1 + S.T):
            if S.NS[j] == 1:
                S.NS[j] = 2
                S.ML[S.mn] = j
                S.mn = S.mn + 1
        s = 0
        while s < S.T and S.fail == 0:
            settle(S, S.nmask + 1 + s)
            s += 1
    else:
        mark(S, d)
        evaluate(S, d)
        i = 1
        while i < S.mn and S.fail == 0:
            j = S.ML[i]
            if j > S.nmask and S.NS[j] == 2:
                settle(S, j)
            i += 1
    if S.fail == 0:
        for i in range(S.mn):
            j = S.ML[i]
            if S.NS[j] == 2 and S.NQ[j] > 0:
                S.fail = 24  # it draws, may depend on what has changed, and is asked for no more
    if S.fail == 3:
        S.fail = 0
        return -inf
    if S.fail == 0 and not (S.delta < inf):
        S.fail = 7
    return S.delta


def put_back(S: State) -> None:
    """The execution as it was before an attempt."""
    for i in range(S.jn):
        j = S.JN[i]
        S.NW[j] = S.JW[i]
        S.LD[j] = S.JD[i]
        S.LO[j] = S.JO[i]
    for i in range(S.md):
        S.NS[S.MD[i]] = 0
    for i in range(S.mn):
        S.NS[S.ML[i]] = 1


def commit(S: State, e: int) -> None:
    """Go on with another value, which has been tried."""
    S.recording = 1
    density = attempt(S, e)
    S.recording = 0
    if S.fail == 0 and density == -inf:
        S.fail = 6
    if S.fail != 0:
        return
    for i in range(S.mn):
        S.NS[S.ML[i]] = 1
    i = 0
    while i < S.zn:
        j = S.ZL[i]
        if S.NC[j] == 0 and S.NS[j] != 0:
            remove(S, j)
        i += 1


def listed(S: State, e: int) -> None:
    """A value that may be moved takes its place among all, by its address."""
    if S.RS[e] != 0:
        return
    S.RS[e] = 1
    i = S.so
    S.so = S.so + 1
    while i > 0 and S.RI[S.SO[i - 1]] > S.RI[e]:
        S.SO[i] = S.SO[i - 1]
        i -= 1
    S.SO[i] = e
    if i <= S.sp:
        S.sp = S.sp + 1


def settled(S: State) -> None:
    """A move is over: fresh values that are in use stay."""
    for i in range(S.fv):
        e = S.FV[i]
        if S.RU[e] == 2:
            if S.NS[S.AS[e]] == 1 and S.NC[S.AS[e]] > 0:
                S.RU[e] = 1
                listed(S, e)
            else:
                S.RU[e] = 0
    S.fv = 0


def run_all(S: State, source: int) -> None:
    """Run all of the execution: its values by address, which are listed (1), or from the list, at addresses that are
    new (2) or named (3)."""
    S.source = source
    S.trial = S.trial + 1
    S.md = 0
    S.depth = 0
    S.node = 0
    S.op = 0
    S.seated = 0
    S.named = 0
    S.top = S.base
    S.recording = int(source == 2)
    if source == 1:
        S.ln = 0
    for j in range(S.nmask + 1 + S.T):
        S.NS[j] = 0
        if source >= 2 and j <= S.nmask:
            S.NK[j] = 0
        if source == 2:
            S.NE[j] = 0
            S.NT[j] = 0
            S.NR[j] = 0
            S.NC[j] = 0
    if source >= 2:
        S.nodes = 0
    if source == 2:
        S.links = 0
        S.zn = 0
        S.vtop = 0
        S.values = 0
        S.tables = 0
        for j in range(S.rmask + 1):
            S.RT[j] = 0
    if source == 3:
        for k in range(S.tables):
            S.TM[k] = -1
    s = 0
    while s < S.T and S.fail == 0:
        settle(S, S.nmask + 1 + s)
        s += 1
    if S.fail == 3 or (S.fail == 0 and source >= 2 and S.op != S.ln):
        S.fail = 6
    S.recording = 0
    S.source = 0
