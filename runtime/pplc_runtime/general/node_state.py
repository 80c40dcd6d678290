"""What an execution in nodes has beside what a particle has, in the middle language (`nodes`)."""

from __future__ import annotations

from pplc_runtime.general.store import State as Particle
from pplc_runtime.machine.words import floats, ints


class State(Particle):
    """An execution: values by address, nodes that ask each other, tables of a restaurant, and what a move works on."""

    base: int  # an execution in nodes (`nodes`): where constants end, how many segments and globals there are
    T: int
    globals: int
    GS: ints
    source: int  # where values come from: 0 the table, 1 to be listed, 2 and 3 the list
    vtop: int  # values: where the table ends, how many, what they are, of how many, and the next of their node
    values: int
    RK: ints
    RN: ints
    RL: ints
    RS: ints  # which are among those that are moved, in order
    SO: ints
    so: int
    sp: int
    op: int  # the next of the list, and that before the sweep
    LB: ints
    lb: int
    fresh: int  # the value that is asked for is to be drawn; those that were in this move
    FV: ints
    fv: int
    TN: ints  # tables: names, customers, numbers in the order of opening; candidates and their weights
    TC: ints
    TM: ints
    TB: ints
    TW: floats
    TX: floats
    tables: int
    tmax: int
    named: int
    seated: int
    NK: ints  # nodes: key, function, arguments, state, word, how words are compared, values, what they ask and who them
    NF: ints
    NA: ints
    NAV: floats
    NS: ints  # 0 not there, 1 settled, 2 marked, 3 running
    NW: ints
    NWV: floats
    NZ: ints
    NQ: ints
    NL: ints
    NJ: ints  # the last attempt in which the word was another
    NC: ints
    NU: ints
    NE: ints
    NT: ints
    NR: ints
    LD: floats
    LO: floats
    nmask: int
    nodes: int
    XW: ints
    XV: floats
    GA: ints  # who asks whom: the asked, the next that the asker asks, the asker and its version, the next asker
    GB: ints
    GC: ints
    GD: ints
    GE: ints
    links: int
    glimit: int
    node: int  # the node that is running, the density of its draws and how many
    ld: float
    count: int
    making: int
    recording: int
    taint: int
    force: int
    trial: int
    turn: int
    delta: float
    zeros: int  # how many other values were impossible
    unlike: int  # and how often what a node draws would have been others
    JN: ints  # what an attempt has changed, made and marked, and what nobody asks for after it
    JW: ints
    JD: floats
    JO: floats
    jn: int
    MD: ints
    md: int
    ML: ints
    mn: int
    ZL: ints
    zn: int
    EV: ints
