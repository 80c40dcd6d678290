"""Rules of derivatives: of the functions of the middle language, and of densities by the value and each parameter."""

from __future__ import annotations

from typing import Final

FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    "sqrt": ("0.5 / sqrt({0})",),
    "exp": ("exp({0})",),
    "expm1": ("exp({0})",),
    "log": ("1.0 / ({0})",),
    "log1p": ("1.0 / (1.0 + {0})",),
    "sin": ("cos({0})",),
    "cos": ("-sin({0})",),
    "tan": ("1.0 + tan({0}) * tan({0})",),
    "asin": ("1.0 / sqrt(1.0 - ({0}) * ({0}))",),
    "acos": ("-1.0 / sqrt(1.0 - ({0}) * ({0}))",),
    "atan": ("1.0 / (1.0 + ({0}) * ({0}))",),
    "sinh": ("cosh({0})",),
    "cosh": ("sinh({0})",),
    "tanh": ("1.0 - tanh({0}) * tanh({0})",),
    "fabs": ("1.0 if {0} > 0.0 else -1.0",),
    "erf": ("1.1283791670955126 * exp(-({0}) * ({0}))",),
    "erfc": ("-1.1283791670955126 * exp(-({0}) * ({0}))",),
    "lgamma": ("digamma({0})",),
    "log_of": ("1.0 / ({0})",),
    "log_add": ("1.0 / (1.0 + exp({1} - ({0})))", "1.0 / (1.0 + exp({0} - ({1})))"),
    "log_normal_below": ("exp(-0.9189385332046727 - 0.5 * ({0}) * ({0}) - log_normal_below({0}))",),
    "log_normal_between": (
        "-exp(-0.9189385332046727 - 0.5 * ({0}) * ({0}) - log_normal_between({0}, {1}))",
        "exp(-0.9189385332046727 - 0.5 * ({1}) * ({1}) - log_normal_between({0}, {1}))",
    ),
    "pow": ("({1}) * pow({0}, {1} - 1.0)", "log({0}) * pow({0}, {1})"),
}
"""By each argument."""
NONE: Final = ""
"""Of what is discrete there is no derivative."""
_COIN: Final = (NONE, "1.0 / {1} if {0} != 0.0 else -1.0 / (1.0 - {1})")
_SIGMOID: Final = "(1.0 if {1} >= 0.0 else exp(-fabs({1}))) / (1.0 + exp(-fabs({1})))"
_LOGIT: Final = (NONE, f"(1.0 if {{0}} != 0.0 else 0.0) - {_SIGMOID}")
_T: Final = "(-({1} + 1.0) * (({0} - {2}) / {3}) / ({1} + (({0} - {2}) / {3}) * (({0} - {2}) / {3})))"
_CAUCHY: Final = "(-2.0 * (({0} - {1}) / {2}) / (1.0 + (({0} - {1}) / {2}) * (({0} - {1}) / {2})))"
_WEIBULL: Final = "exp({1} * (log({0}) - log({2})))"
PARTIALS: Final[dict[str, tuple[str, ...]]] = {
    "lp_flip": _COIN,
    "lp_bernoulli": _COIN,
    "lp_flip_logit": _LOGIT,
    "lp_bernoulli_logit": _LOGIT,
    "lp_normal": (
        "({1} - {0}) / ({2} * {2})",
        "({0} - {1}) / ({2} * {2})",
        "(({0} - {1}) * ({0} - {1}) / ({2} * {2}) - 1.0) / {2}",
    ),
    "lp_lognormal": (
        "-(1.0 + (log({0}) - {1}) / ({2} * {2})) / {0}",
        "(log({0}) - {1}) / ({2} * {2})",
        "((log({0}) - {1}) * (log({0}) - {1}) / ({2} * {2}) - 1.0) / {2}",
    ),
    "lp_gamma": ("({1} - 1.0) / {0} - {2}", "log({0}) + log({2}) - digamma({1})", "{1} / {2} - {0}"),
    "lp_inverse_gamma": (
        "{2} / ({0} * {0}) - ({1} + 1.0) / {0}", "log({2}) - log({0}) - digamma({1})", "{1} / {2} - 1.0 / {0}",
    ),
    "lp_chi_squared": (
        "(0.5 * {1} - 1.0) / {0} - 0.5", "0.5 * (log({0}) - 0.6931471805599453 - digamma(0.5 * {1}))",
    ),
    "lp_beta": (
        "({1} - 1.0) / {0} - ({2} - 1.0) / (1.0 - {0})",
        "log({0}) - digamma({1}) + digamma({1} + {2})",
        "log1p(-{0}) - digamma({2}) + digamma({1} + {2})",
    ),
    "lp_exponential": ("-{1}", "1.0 / {1} - {0}"),
    "lp_weibull": (
        f"({{1}} * (1.0 - {_WEIBULL}) - 1.0) / {{0}}",
        f"1.0 / {{1}} + (log({{0}}) - log({{2}})) * (1.0 - {_WEIBULL})",
        f"{{1}} / {{2}} * ({_WEIBULL} - 1.0)",
    ),
    "lp_half_normal": ("-{0} / ({1} * {1})", "({0} * {0} / ({1} * {1}) - 1.0) / {1}"),
    "lp_logistic": (
        "-tanh(0.5 * ({0} - {1}) / {2}) / {2}",
        "tanh(0.5 * ({0} - {1}) / {2}) / {2}",
        "(({0} - {1}) / {2} * tanh(0.5 * ({0} - {1}) / {2}) - 1.0) / {2}",
    ),
    "lp_pareto": ("-({2} + 1.0) / {0}", "{2} / {1}", "1.0 / {2} + log({1}) - log({0})"),
    "lp_laplace": (
        "-1.0 / {2} if {0} > {1} else 1.0 / {2}",
        "1.0 / {2} if {0} > {1} else -1.0 / {2}",
        "(fabs({0} - {1}) / {2} - 1.0) / {2}",
    ),
    "lp_student_t": (
        f"{_T} / {{3}}",
        "0.5 * (digamma(0.5 * {1} + 0.5) - digamma(0.5 * {1}) - 1.0 / {1}"
        " - log1p((({0} - {2}) / {3}) * (({0} - {2}) / {3}) / {1})"
        f" - (({{0}} - {{2}}) / {{3}}) / {{1}} * {_T})",
        f"-{_T} / {{3}}",
        f"-(1.0 + ({{0}} - {{2}}) / {{3}} * {_T}) / {{3}}",
    ),
    "lp_cauchy": (
        f"{_CAUCHY} / {{2}}", f"-{_CAUCHY} / {{2}}", f"-(1.0 + ({{0}} - {{1}}) / {{2}} * {_CAUCHY}) / {{2}}",
    ),
    "lp_half_cauchy": (
        "-2.0 * {0} / ({1} * {1} + {0} * {0})",
        "(2.0 * {0} * {0} / ({1} * {1} + {0} * {0}) - 1.0) / {1}",
    ),
    "lp_uniform_continuous": ("0.0", "1.0 / ({2} - {1})", "-1.0 / ({2} - {1})"),
    "lp_uniform_discrete": (NONE, NONE, NONE),
    "lp_poisson": (NONE, "{0} / {1} - 1.0"),
    "lp_binomial": (NONE, NONE, "{0} / {2} - ({1} - {0}) / (1.0 - {2})"),
    "lp_binomial_logit": (NONE, NONE, "{0} - {1} / (1.0 + exp(-{2}))"),
    "lp_beta_binomial": (
        NONE,
        NONE,
        "digamma({0} + {2}) - digamma({1} + {2} + {3}) - digamma({2}) + digamma({2} + {3})",
        "digamma({1} - {0} + {3}) - digamma({1} + {2} + {3}) - digamma({3}) + digamma({2} + {3})",
    ),
    "lp_negative_binomial": (
        NONE, "digamma({0} + {1}) - digamma({1}) + log({2})", "{1} / {2} - {0} / (1.0 - {2})",
    ),
    "lp_geometric": (NONE, "1.0 / {1} - {0} / (1.0 - {1})"),
    "lp_factor": (NONE, "1.0"),
    "lp_condition": (NONE, NONE),
    "lp_certain": (NONE,),
}  # fmt: skip
ARRAYS: Final = {"lp_discrete": (2,), "lp_dirichlet": (1, 2), "lp_mvn": (1, 2), "lp_mvn_diagonal": (1, 2)}
"""Densities of vectors, whose derivatives are functions (`slopes`): the arguments that there are derivatives by."""
