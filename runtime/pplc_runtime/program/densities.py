"""What a program asks of a distribution besides a draw: densities, cumulative probabilities, quantiles, its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from pplc_runtime.distributions.base import Parameter, Raw
from pplc_runtime.distributions.domains import BOUND, OPEN_PROBABILITY
from pplc_runtime.distributions.tails import TAILS, Tails, log_complement
from pplc_runtime.lanes.frames import here
from pplc_runtime.lanes.messages import given
from pplc_runtime.lanes.varying import Lane, Mix, by_option, holds_lanes, one_by_one, plain, raw, settle
from pplc_runtime.program.parameters import by_mix, checked
from pplc_runtime.program.stochastic import Categorical, Dirac, Dist, log_density
from pplc_runtime.values import List, ModelError, key_of


def logpdf(source: Any, value: Any) -> Any:
    """(logpdf d x): the log density, or log mass, of a value; -inf where that is impossible."""
    return log_density(settle(source), value, "logpdf takes a distribution")


def _by_tails(name: str, source: Any, parameter: Parameter, number: Any, work: Callable[..., Raw]) -> Any:
    """What the tails of a distribution tell of a number."""
    source, number = settle(source), settle(number)
    if type(source) is Mix or type(number) is Mix:
        return by_mix((source, number), lambda *settled: _by_tails(name, settled[0], parameter, settled[1], work))
    if type(source) is not Dist or source.family.name not in TAILS:
        known = ", ".join(sorted(TAILS))
        raise ModelError(f"{name}: the distribution must be one of {known}, not {given(source)}")
    x = raw(checked(name, parameter, number))
    with np.errstate(all="ignore"):
        found = work(TAILS[source.family.name], x, *source.raw_parts())
    over_lanes = any(type(part) is Lane for part in (number, *source.parts)) and here.frame.size > 1
    return Lane(np.asarray(found, float), here.frame) if over_lanes else float(found)


def _quantile(tails: Tails, p: Raw, *parameters: Raw) -> Raw:
    log_p = np.log(p)
    below = tails.from_below(log_p, *parameters)
    return np.where(np.less_equal(p, 0.5), below, tails.from_above(log_complement(log_p), *parameters))


def cdf(source: Any, value: Any) -> Any:
    """(cdf d x): the probability of a draw that is at most x."""
    return _by_tails("cdf", source, Parameter("the value", BOUND), value, lambda t, x, *p: np.exp(t.log_below(x, *p)))


def quantile(source: Any, p: Any) -> Any:
    """(quantile d p): the least number that a draw is at most equal to with probability p."""
    return _by_tails("quantile", source, Parameter("p", OPEN_PROBABILITY), p, _quantile)


def support(source: Any) -> Any:
    """(support d): the values of a distribution that has finitely many, as a list."""
    source = settle(source)
    if type(source) is Mix:
        return by_option(source, support)
    if here.frame.size > 1 and holds_lanes(source):
        return one_by_one(lambda: support(plain(source)))
    values: Any = None
    if type(source) is Categorical:
        values = source.values
    elif type(source) is Dirac:
        return List(source.parts)
    elif type(source) is Dist:
        values = source.family.outcomes(*source.raw_parts())
    if values is None or len(values) > MOST_VALUES:
        what = f"finitely many values, at most {MOST_VALUES}, as flip and conditional do"
        raise ModelError(f"support: the distribution must have {what}, not {given(source)}")
    found = {key_of(value): value for value in values if log_density(source, value, "support") > -np.inf}
    return List(found.values())


MOST_VALUES: Final = 100_000
OF_DISTRIBUTIONS: Final[dict[str, tuple[Callable[..., Any], int, int]]] = {
    "logpdf": (logpdf, 2, 2),
    "cdf": (cdf, 2, 2),
    "quantile": (quantile, 2, 2),
    "support": (support, 1, 1),
}
"""The procedures that ask, with the least and the largest number of their arguments."""
