"""The distributions of the language: one visible table of families by canonical name."""

from __future__ import annotations

from typing import Final

from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.beta import Beta
from pplc_runtime.distributions.binomial import Binomial, BinomialLogit, Geometric, NegativeBinomial
from pplc_runtime.distributions.dirichlet import Dirichlet
from pplc_runtime.distributions.discrete import Discrete
from pplc_runtime.distributions.exponential import Exponential, Weibull
from pplc_runtime.distributions.flip import Bernoulli, BernoulliLogit, Flip, FlipLogit
from pplc_runtime.distributions.gamma import ChiSquared, Gamma, InverseGamma
from pplc_runtime.distributions.laplace import Laplace
from pplc_runtime.distributions.multinomial import Multinomial
from pplc_runtime.distributions.mvn import MultivariateNormal
from pplc_runtime.distributions.normal import LogNormal, Normal
from pplc_runtime.distributions.poisson import Poisson
from pplc_runtime.distributions.student_t import Cauchy, StudentT
from pplc_runtime.distributions.uniform import UniformContinuous, UniformDiscrete
from pplc_runtime.distributions.weighting import Condition, Factor
from pplc_runtime.distributions.wishart import Wishart

DISTRIBUTIONS: Final[dict[str, Family]] = {
    family.name: family
    for family in (
        Flip(),
        FlipLogit(),
        Bernoulli(),
        BernoulliLogit(),
        Normal(),
        LogNormal(),
        Gamma(),
        InverseGamma(),
        ChiSquared(),
        Beta(),
        Exponential(),
        Weibull(),
        Laplace(),
        StudentT(),
        Cauchy(),
        UniformContinuous(),
        UniformDiscrete(),
        Discrete(),
        Poisson(),
        Binomial(),
        BinomialLogit(),
        NegativeBinomial(),
        Geometric(),
        Multinomial(),
        Dirichlet(),
        MultivariateNormal(),
        Wishart(),
    )
}

WEIGHTING: Final[dict[str, Family]] = {family.name: family for family in (Factor(), Condition())}
"""What the special forms of these names observe; a program cannot draw from them."""

ALIASES: Final[dict[str, str]] = {"uniform": "uniform-continuous"}
"""Other names of families."""

DEFAULTS: Final[dict[str, tuple[float, ...]]] = {"student-t": (0.0, 1.0)}
"""What the last parameters are where they are left out."""
