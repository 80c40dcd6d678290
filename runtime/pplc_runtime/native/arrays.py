"""The arrays of sweeps in machine code: a record of the middle language."""

from __future__ import annotations

from pplc_runtime.machine.words import floats, ints


class Sweeps:
    """What sweeps work on. Numbers first, then tables, then what sweeps use, then what they hand over."""

    L: int
    """How many particles, segments and elements of values there are."""
    T: int
    elements: int
    starting: int
    """1 where a particle is retained though none was before: where a chain starts."""
    kept: int
    """1 where the first particle follows what is retained; and where that is rescored, and where nothing is resampled.
    """
    rescored: int
    weighed: int
    threshold: float
    k0: int
    """The key of the sweep."""
    k1: int
    KI: ints
    """The constants of forms; the form and rows of each segment forward; of each replay the segment, the map of its
    score before (-1: none), the form and rows, by boundary; by boundary the map of the score that ends."""
    KF: floats
    KA: floats
    FW: ints
    RP: ints
    RS: ints
    DR: ints
    FK: ints
    """The maps that a fork makes, 1, or carries on, 0, by boundary; and the cells that each segment writes."""
    FS: ints
    WR: ints
    WS: ints
    X: floats
    """Values by cell and slot; those of what is retained; maps; scratch; normal numbers; what is wrong, and where."""
    REF: floats
    M: ints
    S: floats
    Z: floats
    E: ints
    A: ints
    """The ancestors, by generation, and whether there were new ones; log weights and weights."""
    DUE: ints
    LW: floats
    W: floats
    V: floats
    CUM: floats
    GUIDE: ints
    TOT: floats
    """The density of what is retained behind each particle; how many of its segments are impossible, and 2^20 times
    in how many something is wrong; and below both for each segment."""
    BAD: ints
    SC: floats
    SB: ints
    TF: floats
    TI: ints
    K0: int
    """The key of the sweep, or that of its chain, from which those of its sweeps are folded by their numbers."""
    K1: int
    folds: int
    number: int
    chain: int
    """The number of the chain; that of the first sweep."""
    first: int
    looks: int
    """The first sweep that is looked at, one in ten; the first whose genealogy is kept."""
    traces: int
    report: int
    reports: int
    """What is reported: cell, elements and map; by sweep."""
    RE: ints
    OUTR: floats
    OUTW: floats
    OUTE: floats
    OUTM: ints
    OUTP: ints
    standing: int
    """How many particles stand for a sweep, and which; what they drew: cell, elements and row, by segment."""
    PLACES: ints
    rows: int
    DW: ints
    DS: ints
    OUTD: floats
    OUTV: floats
    """The weakest observe of a sweep; how many ancestors there are; genealogies; lines of ancestors."""
    OUTA: ints
    OUTG: ints
    OUTF: ints
    lines: int
    LINES: ints
    OUTL: ints
