"""A random walk that learns its steps: their covariance from where it has been, their length from how many were taken.

z' = z + l 2.38 / sqrt(d) C e, with C C' the covariance of the places so far and e standard normal (H. Haario, E.
Saksman and J. Tamminen 2001, "An adaptive Metropolis algorithm"); the log of l follows the share of steps taken
(C. Andrieu and J. Thoms 2008, "A tutorial on adaptive MCMC"). Whole numbers take rounded steps, coins are thrown anew.
All steps are symmetric: the density of z' from z is that of z from z'. Whoever walks says when it learns no more.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pplc_runtime.numerics.free import Floats, Free

WANTED: Final = 0.234
"""The share of steps that is best to be taken, in many dimensions (Roberts, Gelman and Gilks 1997)."""
FIRST: Final = 10
"""The first guess of the covariance counts as so many places."""


class AdaptiveWalk:
    """A walk through the numbers of some values."""

    def __init__(self, forms: list[Free], start: Floats) -> None:
        self.coins = np.array([form.is_boolean for form in forms for _ in range(form.size)], np.bool_)
        self.whole = np.array([not form.is_continuous for form in forms for _ in range(form.size)], np.bool_)
        self.whole &= ~self.coins
        self.moves = np.flatnonzero(~self.coins)
        self.mean = start[self.moves]
        first = np.where(self.whole[self.moves], 1.0, 0.1 + 0.1 * np.abs(self.mean))
        self.covariance = np.diag(first**2)
        self.places = FIRST
        self.log_length = 0.0

    def step(self, z: Floats, rng: np.random.Generator | Any) -> Floats:
        """Another place."""
        found = z.copy()
        dimensions = len(self.moves)
        if dimensions:
            small = 1e-9 * np.diag(self.covariance) + 1e-12
            root = np.linalg.cholesky(self.covariance + np.diag(small))
            length = np.exp(self.log_length) * 2.38 / np.sqrt(dimensions)
            found[self.moves] += length * root @ rng.standard_normal(dimensions)
            found[self.whole] = z[self.whole] + np.rint(found[self.whole] - z[self.whole])
        for place in np.flatnonzero(self.coins):
            found[place] = float(rng.integers(2))
        return found

    def learn(self, z: Floats, probability: float) -> None:
        """What it is now, and with which probability the last step was to be taken."""
        self.places += 1
        away = z[self.moves] - self.mean
        self.mean = self.mean + away / self.places
        left = 1 - 1 / self.places
        self.covariance = left * self.covariance + np.outer(away, z[self.moves] - self.mean) / self.places
        self.covariance = (self.covariance + self.covariance.T) / 2
        self.log_length += (probability - WANTED) * (self.places - FIRST) ** -0.6
