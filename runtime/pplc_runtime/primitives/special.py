"""Special functions: of the normal distribution, of gamma and beta, of logits; elementwise, over lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from pplc_runtime.primitives.arithmetic import binary, unary


def _of_scipy(ufunc: Any) -> tuple[Callable[..., float], Callable[..., Any]]:
    """A function of scipy on plain numbers and on arrays: inf and nan where it has no value."""

    def scalar(*items: Any) -> float:
        with np.errstate(all="ignore"):
            return float(ufunc(*map(float, items)))

    def lanes(*items: Any) -> Any:
        with np.errstate(all="ignore"):
            return ufunc(*items)

    return scalar, lanes


erf = unary("erf", *_of_scipy(special.erf))
erfc = unary("erfc", *_of_scipy(special.erfc))
normal_cdf = unary("normal-cdf", *_of_scipy(special.ndtr))
probit = unary("probit", *_of_scipy(special.ndtri))
logit = unary("logit", *_of_scipy(special.logit))
log_sigmoid = unary("log-sigmoid", *_of_scipy(special.log_expit))
softplus = unary("softplus", *_of_scipy(lambda x: np.logaddexp(0.0, x)))
lgamma = unary("lgamma", *_of_scipy(special.gammaln))
digamma = unary("digamma", *_of_scipy(special.digamma))
lbeta = binary("lbeta", *_of_scipy(special.betaln))
