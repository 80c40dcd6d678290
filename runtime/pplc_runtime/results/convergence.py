"""How far the averages of chains can be trusted: effective draws and R-hat of one series a chain.

Gelman et al., Bayesian Data Analysis, 3rd ed., section 11.4-11.5; Geyer, Practical Markov Chain Monte Carlo,
1992, for where the sum of autocorrelations stops; Vehtari et al., Rank-normalization, folding, and localization, 2021,
for looking at ranks too.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

SHORTEST = 4


def aligned(series: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Series of one length, one row a chain.

    After an interrupt chains may differ in length: those that have only begun are left out, the others cut to
    the length of the shortest of them."""
    longest = max((len(chain) for chain in series), default=0)
    long_enough = [chain for chain in series if 2 * len(chain) >= longest]
    length = min((len(chain) for chain in long_enough), default=0)
    return np.array([chain[len(chain) - length :] for chain in long_enough]).reshape(len(long_enough), length)


def autocovariances(chain: NDArray[np.float64]) -> NDArray[np.float64]:
    """The autocovariances at all lags, with divisor n, by Fourier transform."""
    n = chain.size
    spectrum = np.fft.rfft(chain - chain.mean(), 2 * n)
    return np.fft.irfft(spectrum * spectrum.conj(), 2 * n)[:n] / n


def effective_draws(series: NDArray[np.float64]) -> float:
    """How many independent draws the chains (one a row) are worth; NaN for short or constant ones.

    By the values or by their ranks, whichever are fewer: one outlier at the start of a chain has nearly all the
    variance of its values, and hides that it has hardly moved since."""
    if not np.isfinite(series).all():
        return nan
    series = _scaled(series)
    return float(np.fmin(_effective(series), _effective(_ranks(_to_digits(series)))))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rank of each value among all; equal values share the average of theirs."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(ranks[which].reshape(values.shape))


def _to_digits(values: NDArray[np.float64], digits: int = 9) -> NDArray[np.float64]:
    """Values to so many digits: averages of the same numbers differ in their last ones."""
    with np.errstate(divide="ignore"):
        unit = 10.0 ** np.floor(np.log10(np.abs(values)))
    unit[~(unit > 0)] = 1.0
    return np.round(values / unit, digits) * unit


def _effective(series: NDArray[np.float64]) -> float:
    chains, n = series.shape
    if n < SHORTEST or _constant(series):
        return nan
    covariance = np.mean([autocovariances(chain) for chain in series], axis=0)
    within = covariance[0] * n / (n - 1)
    variance = covariance[0] + (series.mean(axis=1).var(ddof=1) if chains > 1 else 0.0)
    correlation = 1 - (within - covariance * n / (n - 1)) / variance
    correlation[0] = 1.0
    pairs = correlation[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if negative.size else None])
    # Antithetic chains beat independent draws, but an estimate far below one is noise.
    time = max(2 * pairs.sum() - 1, 1 / log10(chains * n + 1))
    return float(chains * n / time)


def split_rhat(series: NDArray[np.float64]) -> float:
    """The ratio of the spread over all half chains to the spread within them; near 1 when they agree."""
    half = series.shape[1] // 2
    if half < 2 or not np.isfinite(series).all() or _constant(series):
        return nan
    series = _scaled(series)
    halves = np.concatenate([series[:, :half], series[:, -half:]])
    within = halves.var(axis=1, ddof=1).mean()
    between = halves.mean(axis=1).var(ddof=1)
    return sqrt((half - 1) / half + between / within) if within > 0 else np.inf


def _scaled(series: NDArray[np.float64]) -> NDArray[np.float64]:
    """The series in another unit, if its squares would overflow."""
    most = np.abs(series).max(initial=0.0)
    return series / most if most > 1e100 else series


def rank_rhat(series: NDArray[np.float64]) -> float:
    """The larger R-hat of the normal scores of the values, and of how far these are from their median: chains that
    differ in place, or in spread (Vehtari et al. 2021)."""
    if series.shape[0] < 2 or not np.isfinite(series).all():
        return nan
    folded = np.abs(series - np.median(series))
    place, spread = (split_rhat(_scores(_to_digits(values))) for values in (series, folded))
    return float(np.fmax(place, spread))


def _scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normal scores of ranks."""
    shares = (_ranks(values) - 0.375) / (values.size + 0.25)
    return np.array([NormalDist().inv_cdf(share) for share in shares.ravel().tolist()]).reshape(values.shape)


def _constant(series: NDArray[np.float64]) -> bool:
    # Averages of equal values differ in their last digits; that is no spread.
    return bool(np.ptp(series) <= 1e-12 * np.abs(series).max())
