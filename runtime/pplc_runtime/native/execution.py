"""One execution of a specialised program and what moves do with it, as a record of the middle language."""

from __future__ import annotations

from pplc_runtime.machine.words import floats, inf, ints


class Moves:
    """What moves work on."""

    X: floats
    """The values of an execution; and below the log densities of its pieces."""
    SC: floats
    S: floats
    """Scratch; E has the piece in which something is wrong, and what."""
    E: ints
    KI: ints
    """The constants of pieces (see `forms`), and the form and places of each, there and back."""
    KF: floats
    KA: floats
    PL: ints
    BL: ints
    G: floats
    """The derivatives of the log density by `X`; and below those by `S`, and what they are multiplied by."""
    DS: floats
    weight: float
    filling: int
    """1 where noise is found from the values, 0 where these follow it."""
    pieces: int
    cells: int
    """How many there are, and how many values there are in `X`."""
    sites: int
    OFF: ints
    """Where the value of each site is."""
    KIND: ints
    """0 a real number, 1 a positive one, 2 between the bounds LO and HI, 3 a whole number, 4 one of the whole numbers
    from LO up to HI, 5 element number LO of a simplex with HI others, 6 the same with HI behind it, as a share of what
    those before it have left."""
    LO: floats
    HI: floats
    AF: ints
    """First for each site where its own part begins: the pieces whose density depends on it, in order; and after the
    last site, those that depend on any."""
    NEW: floats
    """The densities of those after a move."""
    FP: ints
    """lmh: the form and places of the code that draws each site."""
    WR: ints
    """As AF: the values that those pieces compute; and below what these were before a move."""
    BK: floats
    P: floats
    """Room for the law of a finite draw."""
    SCALE: floats
    """How far a site moves."""
    kept: int
    KEPT: ints
    """The values that are handed over after each sweep."""
    OUT: floats
    settling: int
    """nuts: 1 where something that is handed over is computed from the sites; and below where all of them are real
    numbers, so that a value is exactly its place on the scale without bounds."""
    exactly: int
    T: floats
    """Room for what a method remembers."""
    zs: int
    """How many finite draws are summed out, in an order in which each has at most one neighbour after it; and below
    where they stand, their least values, how many values they have, and the number of that neighbour or -1."""
    ZO: ints
    ZLO: floats
    ZN: ints
    ZP: ints
    FREE: ints
    """The pieces that depend on none of them, after their number."""
    FR: ints
    """As AF, for each factor: the pieces that compute what it needs, and the one whose density it is; and below the
    values that these compute."""
    FC: ints
    UF: ints
    """As AF, for each of the draws: the factors that depend on it alone; and on it and its neighbour."""
    PF: ints
    UO: ints
    """Where the tables of each begin in `UT` and `PT`: by its value, and by both."""
    PO: ints
    UT: floats
    PT: floats
    BT: floats
    """As UT: how probable each value is."""
    gs: int
    """How many groups of factors have the same densities, and below a factor of each, what it depends on,
    and in FG where the table of each factor begins in `GT`, or -1; GE has what these are the logs of, and GB how
    probable its entries are."""
    GF: ints
    GZ: ints
    GP: ints
    GO: ints
    FG: ints
    GT: floats
    GE: floats
    GB: floats
    plates: int
    """How many loops over factors there are (see `plates`), where the rows of each begin, there and back; and a row for
    each factor: its constants, and where it is in `UT`."""
    PLATES: ints
    ROWS: ints
    OTHERS: ints
    """Where nothing is summed out, loops are over pieces: here those that sites affect and no loop has, after their
    number."""
    SUM: floats
    """The log density with those draws summed out, as it is and after a move."""


def joint(form: int, m: Moves, i0: int, f0: int) -> float:  # written anew for each program
    """The log density of a piece, whose computed values are written."""
    return 0.0


def back(form: int, m: Moves, i0: int, f0: int) -> float:  # written anew for each program that has a gradient
    """Adds the derivatives of the log density of a piece."""
    return 0.0


def fill(form: int, m: Moves, begin: int, end: int) -> float:  # written anew for each program that has loops
    """Adds the log densities of factors to the tables of draws; not a number where something is wrong."""
    return 0.0


def give(form: int, m: Moves, begin: int, end: int) -> float:  # written anew for each program with loops and a gradient
    """Adds the derivatives of factors, weighted by how probable the values of draws are."""
    return 0.0


def both(form: int, m: Moves, begin: int, end: int) -> float:  # written anew for each program with loops and a gradient
    """The log density of pieces, whose derivatives are added; not a number if that of some is not finite."""
    return 0.0


def score_all(m: Moves) -> float:
    """The log density of an execution, whose computed values are found on the way."""
    total = 0.0
    for d in range(m.pieces):
        m.SC[d] = joint(m.PL[3 * d], m, m.PL[3 * d + 1], m.PL[3 * d + 2])
        if not (m.SC[d] > -inf):
            return m.SC[d]
        total += m.SC[d]
    return total
