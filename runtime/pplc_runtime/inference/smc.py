"""Sequential Monte Carlo: particles are resampled at the observes.

At each generation n the ancestors a_n^l ~ R(a | w_{n-1}) are drawn, the particles run on to the next observe, and
w_n^l is its likelihood. The product of the average weights is an unbiased estimate of the evidence. (Paper,
section 3.1; Del Moral, Doucet and Jasra 2006.)
"""

from __future__ import annotations

from pplc_runtime.inference.runs import Runs


class Smc(Runs):
    """Independent sweeps, whose weights sum to their estimates of the evidence."""
