"""Tables that the middle language has: a name in a text of functions stands for the array.

NORMAL has the quantiles of a standard normal below one half, by pieces. The octaves from 1/2 down to 2^-7 are each
cut into 64 pieces of equal length; a row has the middle of a piece, and the polynomial of degree 5 in the distance from
it that interpolates the quantile at Chebyshev's nodes: the highest coefficient first. It is within 5e-15.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

OCTAVES: Final = 6
PIECES: Final = 64
DEGREE: Final = 5


def _normal() -> NDArray[np.float64]:
    nodes = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    to_powers = np.linalg.inv(np.vander(nodes))
    rows = []
    for octave in range(OCTAVES):
        length = 2.0 ** -(octave + 2) / PIECES
        middles = 2.0 ** -(octave + 2) + (np.arange(PIECES) + 0.5) * length
        values = special.ndtri(middles[:, None] + nodes * (length / 2))
        scales = (2 / length) ** np.arange(DEGREE, -1, -1)
        rows.append(np.column_stack([middles, values @ to_powers.T * scales]))
    return np.concatenate(rows).ravel()


NORMAL: Final = _normal()
TABLES: Final = {"NORMAL": NORMAL}
