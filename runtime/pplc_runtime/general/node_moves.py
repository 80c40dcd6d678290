"""Moves of single values of an execution in nodes, in the middle language: seats, finite values, real numbers.

A seat is drawn among all tables and a new one (R. Neal 2000, "Markov chain sampling methods for Dirichlet process
mixture models", algorithm 8 with one table): with K tables of c_k other customers, a table has the weight
(c_k - d) f_k and a new one (alpha + d K) f, where f is the density of all that depends on the seat. What a new table
remembers is drawn for the move; if the customer sits alone, it is what that table remembers. A finite value is drawn by
its law given all others, a real number from a slice (R. Neal 2003, "Slice sampling"), whose first width is random.

A sweep goes through the addresses in the order of their hashes. New ones are moved if their turn is yet to come. So it
is one kernel for each address, in an order that does not depend on the execution: names of tables are random.
"""

from __future__ import annotations

from pplc_runtime.general.node_state import State
from pplc_runtime.general.node_values import new_name
from pplc_runtime.general.nodes import attempt, commit, in_globals, listed, put_back, run_all, settled
from pplc_runtime.machine.generator import uniform
from pplc_runtime.machine.words import MASK, exp, inf, ints, log
from pplc_runtime.native.resample import pick, weigh


def tried(S: State, e: int) -> float:
    """What another value changes in the log density; the execution is as it was afterwards."""
    top = S.top
    alpha = S.za
    discount = S.zd
    seats = 0.0
    if S.force != 0:
        seats = density_of_tables(S)
        for k in range(S.globals):
            S.GS[k] = S.Q[S.g + k]
    density = attempt(S, e)
    if S.fail != 0:
        return -inf
    if S.force != 0:
        density = density + density_of_tables(S) - seats
        S.za = alpha
        S.zd = discount
        S.seated = 1
        for k in range(S.globals):
            S.Q[S.g + k] = S.GS[k]
    put_back(S)
    S.top = top
    return density


def density_of_tables(S: State) -> float:
    """The log density of who sits with whom."""
    total = 0.0
    tables = 0
    customers = 0
    for k in range(S.tables):
        if S.TC[k] > 0:
            if tables > 0:
                total += log(S.za + S.zd * float(tables))
            tables += 1
            for m in range(S.TC[k]):
                if m > 0:
                    total += log(float(m) - S.zd)
                if customers > 0:
                    total -= log(S.za + float(customers))
                customers += 1
    return total


def move_seat(S: State, e: int) -> None:
    old = S.RI[e + 2]
    S.TC[old] = S.TC[old] - 1
    new = old
    if S.TC[old] > 0:
        new = 0
        while new < S.tables and S.TC[new] > 0:
            new += 1
        if new == S.tables:
            if new + 2 >= S.tmax:
                S.fail = 2
                return
            S.tables = new + 1
            S.TC[new] = 0
        S.TN[new] = new_name(S, 1)
    n = 0
    occupied = 0
    for k in range(S.tables):
        if S.TC[k] > 0 or k == new:
            occupied += int(S.TC[k] > 0)
            S.TB[n] = k
            n += 1
    for i in range(n):
        k = S.TB[i]
        S.TW[i] = 0.0
        if S.TC[k] > 0:
            S.TW[i] = log(float(S.TC[k]) - S.zd)
        elif occupied > 0:
            S.TW[i] = log(S.za + S.zd * float(occupied))
        if k != old:
            S.RI[e + 2] = k
            S.TW[i] = S.TW[i] + tried(S, e)
            S.RI[e + 2] = old
            S.zeros = S.zeros + int(S.TW[i] == -inf)
            if S.fail != 0:
                return
    weigh(n, S.TW, S.TX)
    chosen = S.TB[pick(n, S.TX, uniform(S.k0, S.k1, 3, S.c1))]
    S.TC[chosen] = S.TC[chosen] + 1
    if chosen != old:
        S.RI[e + 2] = chosen
        commit(S, e)


def move_finite(S: State, e: int) -> None:
    old = S.RI[e + 2]
    n = S.RN[e]
    if n + 2 >= S.tmax:
        S.fail = 2
        return
    for k in range(n):
        S.TW[k] = 0.0
        if k != old:
            S.RI[e + 2] = k
            S.TW[k] = tried(S, e)
            S.RI[e + 2] = old
            S.zeros = S.zeros + int(S.TW[k] == -inf)
            if S.fail != 0:
                return
    weigh(n, S.TW, S.TX)
    chosen = pick(n, S.TX, uniform(S.k0, S.k1, 3, S.c1))
    if chosen != old:
        S.RI[e + 2] = chosen
        commit(S, e)


def above(S: State, e: int, x: float, level: float) -> bool:
    """Whether a number is in the slice."""
    old = S.RV[e + 2]
    S.RV[e + 2] = x
    density = tried(S, e)
    S.RV[e + 2] = old
    return S.fail == 0 and density > level


def move_real(S: State, e: int) -> None:
    x = S.RV[e + 2]
    level = log(1.0 - uniform(S.k0, S.k1, 4, S.c1))
    width = exp(2.302585092994046 * (5.0 * uniform(S.k0, S.k1, 5, S.c1) - 2.0))
    low = x - width * uniform(S.k0, S.k1, 6, S.c1)
    high = low + width
    left = int(8.0 * uniform(S.k0, S.k1, 7, S.c1))
    right = 7 - left
    while left > 0 and above(S, e, low, level):
        low = low - width
        left -= 1
    while right > 0 and above(S, e, high, level):
        high = high + width
        right -= 1
    word = 8
    while S.fail == 0 and S.halt == 0:
        y = low + (high - low) * uniform(S.k0, S.k1, word, S.c1)
        if y == x:
            return
        if above(S, e, y, level):
            S.RV[e + 2] = y
            commit(S, e)
            return
        if y < x:
            low = y
        else:
            high = y
        word += 1


def move(S: State, e: int, finite: int) -> None:
    """Move a value, if its part does."""
    S.turn = S.turn + 1
    S.c1 = S.turn << 16
    S.fv = 0
    S.force = in_globals(S, S.AS[e])
    if S.RK[e] == 1:
        move_seat(S, e)
    elif S.RK[e] == 2:
        move_finite(S, e)
    elif finite == 0:
        move_real(S, e)
    S.force = 0
    if S.fail == 0:
        settled(S)


def sweep_of_nodes(S: State, PARTS: ints, parts: int) -> None:
    """Each value once for each part: all of them, or the finite ones (1)."""
    S.turn = 0
    S.c1 = 0
    run_all(S, 2)
    S.so = 0
    S.sp = 0
    e = 0
    while e < S.vtop and S.fail == 0:
        listed(S, e)
        e += 2 + (S.RI[e + 1] & 65535)
    for part in range(parts):
        S.sp = 0
        while S.sp < S.so and S.fail == 0 and S.halt == 0:
            e = S.SO[S.sp]
            if S.RU[e] == 1:
                move(S, e, PARTS[part])
            S.sp = S.sp + 1
    if S.fail == 0:
        run_all(S, 1)
    if S.fail == 0:
        run_all(S, 3)


def sweeps_of_nodes(S: State, K: ints, PARTS: ints, parts: int, OD: ints, OS: ints, oc: int, count: int) -> int:
    """Sweeps one after the other, and what each draws; how many were done before something was wrong, or there was no
    room for what they draw. The list of before is that of the last sweep."""
    done = 0
    q = 0
    S.zeros = 0
    S.unlike = 0
    while done < count:
        for k in range(S.ln):
            S.LB[k] = S.LI[k]
        S.lb = S.ln
        S.k0 = K[2 * done] & MASK
        S.k1 = K[2 * done + 1] & MASK
        S.fail = 0
        sweep_of_nodes(S, PARTS, parts)
        if S.fail != 0 or S.halt != 0 or q + S.ln > oc:
            for k in range(S.lb):
                S.LI[k] = S.LB[k]
            S.ln = S.lb
            S.EV[0] = S.fail
            S.EV[1] = S.ln
            S.EV[2] = S.zeros
            S.EV[3] = S.unlike
            return done
        for k in range(S.ln):
            OD[q + k] = S.LI[k]
        q += S.ln
        OS[done] = q
        done += 1
    S.EV[0] = 0
    S.EV[1] = S.ln
    S.EV[2] = S.zeros
    S.EV[3] = S.unlike
    return done


def begin_nodes(S: State) -> int:
    """List what is in the table of values, in the order of execution; 0, or what is wrong."""
    S.fail = 0
    for k in range(S.tmax):
        S.TN[k] = k
    run_all(S, 1)
    S.EV[1] = S.ln
    return S.fail
