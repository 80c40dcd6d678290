"""The distributions of the language: one visible table of families by canonical name."""

from __future__ import annotations

from typing import Final

from pplc_runtime.distributions.base import Family
from pplc_runtime.distributions.beta import Beta
from pplc_runtime.distributions.binomial import (
    BetaBinomial,
    Binomial,
    BinomialLogit,
    Geometric,
    NegativeBinomial,
)
from pplc_runtime.distributions.dirichlet import Dirichlet
from pplc_runtime.distributions.discrete import Discrete
from pplc_runtime.distributions.exponential import Exponential, Weibull
from pplc_runtime.distributions.flip import Bernoulli, BernoulliLogit, Flip, FlipLogit
from pplc_runtime.distributions.gamma import ChiSquared, Gamma, InverseGamma
from pplc_runtime.distributions.half import HalfCauchy, HalfNormal
from pplc_runtime.distributions.hypergeometric import Hypergeometric
from pplc_runtime.distributions.laplace import Laplace
from pplc_runtime.distributions.logistic import Logistic
from pplc_runtime.distributions.multinomial import Multinomial
from pplc_runtime.distributions.mvn import MultivariateNormal
from pplc_runtime.distributions.normal import LogNormal, Normal
from pplc_runtime.distributions.pareto import Pareto
from pplc_runtime.distributions.poisson import Poisson
from pplc_runtime.distributions.student_t import Cauchy, StudentT
from pplc_runtime.distributions.uniform import UniformContinuous, UniformDiscrete
from pplc_runtime.distributions.von_mises import VonMises
from pplc_runtime.distributions.weighting import Condition, Factor
from pplc_runtime.distributions.wishart import InverseWishart, Wishart

DISTRIBUTIONS: Final[dict[str, Family]] = {
    family.name: family
    for family in (
        Flip(),
        FlipLogit(),
        Bernoulli(),
        BernoulliLogit(),
        Normal(),
        HalfNormal(),
        LogNormal(),
        Gamma(),
        InverseGamma(),
        ChiSquared(),
        Beta(),
        Exponential(),
        Weibull(),
        Pareto(),
        Laplace(),
        Logistic(),
        StudentT(),
        Cauchy(),
        HalfCauchy(),
        VonMises(),
        UniformContinuous(),
        UniformDiscrete(),
        Discrete(),
        Poisson(),
        Binomial(),
        BinomialLogit(),
        BetaBinomial(),
        Hypergeometric(),
        NegativeBinomial(),
        Geometric(),
        Multinomial(),
        Dirichlet(),
        MultivariateNormal(),
        Wishart(),
        InverseWishart(),
    )
}

WEIGHTING: Final[dict[str, Family]] = {family.name: family for family in (Factor(), Condition())}
"""What the special forms of these names observe; a program cannot draw from them."""

ALIASES: Final[dict[str, str]] = {"uniform": "uniform-continuous"}
"""Other names of families."""

DEFAULTS: Final[dict[str, tuple[float, ...]]] = {"student-t": (0.0, 1.0)}
"""What the last parameters are where they are left out."""
