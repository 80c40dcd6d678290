"""What other languages call things, and what an unknown name may have meant.

Names are kept in lower case with hyphens; `np.exp`, `math/exp`, `uniformDraw` and `inv_gamma` are brought to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final


def _named(table: dict[str, str]) -> dict[str, str]:
    """From `name of the language: names elsewhere` to one entry for each name elsewhere."""
    return {other: name for name, others in table.items() for other in others.split()}


NAMES: Final = _named({
    # Distributions and processes
    "normal": "gaussian gauss normal-distribution",
    "mvn": "multivariate-normal multivariate-gaussian mv-normal mvnormal multi-normal multinormal",
    "flip": "coin",
    "bernoulli": "bern",
    "uniform": "unif uniform-real random-real",
    "uniform-discrete": "discrete-uniform uniform-int uniform-integer random-integer randint rand-int integers",
    "discrete": "sample-discrete",
    "categorical": "cat multinoulli random-choice choice",
    "exponential": "expon",
    "half-normal": "halfnormal",
    "half-cauchy": "halfcauchy",
    "von-mises": "vonmises circular-normal",
    "hypergeometric": "hypergeom",
    "beta-binomial": "betabinomial beta-binom",
    "inverse-wishart": "inv-wishart invwishart",
    "inverse-gamma": "inv-gamma invgamma",
    "chi-squared": "chi2 chisq chi-square chisquare chi-sq",
    "student-t": "student studentt tdist student-tdist",
    "lognormal": "log-normal lognorm log-gaussian",
    "laplace": "double-exponential",
    "truncated": "truncate-dist trunc",
    "lkj": "lkj-corr lkj-correlation",
    "lkj-cholesky": "lkj-corr-cholesky lkj-cov-cholesky",
    "mixture": "mixture-of mix",
    "iid": "i-i-d replicated independent-dist",
    "poisson": "pois",
    "binomial": "binom",
    "negative-binomial": "neg-binomial nbinom neg-binom negbinomial",
    "geometric": "geom",
    "dirichlet": "dirich",
    "dirac": "delta point-mass pointmass",
    "crp": "chinese-restaurant-process chinese-restaurant",
    "dp": "dirichlet-process",
    "gp": "gaussian-process",
    "conditional": "rejection-query mh-query enumerate-query marginal",
    "logpdf": "log-pdf lpdf logpmf lpmf log-pmf log-prob log-density logprob score log-likelihood",
    # Arithmetic and comparison
    "pow": "** ^ power",
    "log": "ln",
    "sqrt": "square-root",
    "square": "sqr",
    "abs": "fabs",
    "ceil": "ceiling",
    "int": "truncate to-int",
    "float": "to-float to-double",
    "mod": "% modulo fmod",
    "rem": "remainder",
    "quot": "// quotient idiv",
    "min": "minimum fmin pmin",
    "max": "maximum fmax pmax",
    "inc": "add1 succ",
    "dec": "sub1 pred",
    "sigmoid": "expit inv-logit invlogit inverse-logit",
    "normal-cdf": "pnorm std-normal-cdf norm-cdf",
    "probit": "qnorm inv-phi inverse-phi ndtri std-normal-qf",
    "log-sigmoid": "logsigmoid log-inv-logit log-logistic",
    "softplus": "log1p-exp log1pexp",
    "lgamma": "gammaln log-gamma loggamma",
    "lbeta": "log-beta betaln",
    "digamma": "psi",
    "cdf": "cumulative",
    "quantile": "ppf icdf inverse-cdf inv-cdf",
    "=": "=== eq eq? equal equal? equals",
    "not=": "!= !== /= <> ~= neq",
    "and": "&& logical-and",
    "or": "|| logical-or",
    "not": "! logical-not",
    "nil?": "null? is-null isnull is-nil is-none",
    "missing?": "ismissing is-missing isna is-na na?",
    "nan?": "is-nan isnan",
    "zero?": "zerop",
    "even?": "evenp is-even",
    "odd?": "oddp is-odd",
    "empty?": "is-empty",
    "number?": "numberp is-number",
    "procedure?": "function? is-function callable",
    "true": "#t",
    "false": "#f",
    "nil": "null none undefined na",
    # Sequences and maps
    "count": "len length size nrow numel array-length",
    "first": "head car hd front",
    "rest": "tail cdr tl",
    "second": "cadr",
    "third": "caddr",
    "nth": "elt aref list-ref vector-ref index-at get-item",
    "conj": "push snoc push-back add-last",
    "cons": "prepend unshift push-front",
    "append": "extend ++ list-append",
    "vector": "array tuple make-vector",
    "hash-map": "dict dictionary make-map",
    "vals": "values",
    "contains?": "includes has-key has-key? member? in",
    "repeat": "rep replicate fill make-list",
    "range": "iota seq-len arange",
    "reverse": "rev",
    "sort": "sorted",
    "distinct": "unique uniq nub",
    "frequencies": "tally counter",
    "print": "printf puts echo display console.log log-message pprint print-line debug",
    "str": "to-string string paste0 string-append",
    # Procedures and forms
    "map": "lapply sapply vapply map-list mapcar",
    "remove": "reject filter-not",
    "reduce": "fold foldl foldr fold-left",
    "some": "any exists",
    "every?": "all all? every forall",
    "apply": "funcall call do-call",
    "comp": "compose",
    "complement": "negate",
    "fn": "function func fun",
    "do": "progn block",
    "letrec": "labels",
    "when-not": "unless",
    "cond": "elif elseif else-if elsif",
    "case": "switch match",
    "loop": "while",
    "doseq": "for-each",
    "dotimes": "do-times",
    "if-let": "if-some",
    "when-let": "when-some",
    "->": "|> %>%",
    "reductions": "scan scanl accumulate",
    "mem": "memoize memo cache memoise",
    "sample": "draw rnd",
    "factor": "weight target-add add-log-weight log-weight",
    "condition": "constrain assert",
    # Sums and linear algebra
    "mean": "average avg",
    "std": "sd stdev stddev std-dev",
    "variance": "var",
    "product": "prod",
    "mmul": "matmul mat-mul %*% @",
    "dot": "dot-product",
    "inverse": "inv",
    "diag": "diagonal diag-matrix",
    "det": "determinant",
    "transpose": "transposed",
    "pi": "m-pi",
})  # fmt: skip
"""Names elsewhere, and the name here. Only what does the same."""

STATEMENT_NAMES: Final = _named({
    "assume": "var val const set set! setq let let* setf",
    "defn": "defun fun function defmem",
    "predict": "return output report",
    "for": "for-each",
    "input": "data param",
    "include": "load load-file source",
    "observe": "obs",
    "factor": "weight target-add",
    "condition": "constrain assert",
})  # fmt: skip
"""The same of words that start a statement."""

_CHANGES: Final = "a variable keeps its value; bind another one with let, or go on with loop and recur"
_INFERS: Final = "inference is asked for outside of the program, as in: pplc infer model.clj --method smc"
_NESTED: Final = (
    f"{_INFERS}; inside of a query, (sample ((conditional inner) argument ...)) draws what another one gives"
)
_IMPORTS: Final = "there is nothing to import: all names are there"


def _said(table: dict[str, str]) -> dict[str, str]:
    return {other: text for others, text in table.items() for other in others.split()}


ADVICE: Final = _said({
    "set! setq set setf assign def! swap! reset! <-": _CHANGES,
    "infer query doquery mcmc smc get-log-weight get-predicts get-result collect-results": _NESTED,
    "retrieve store gensym": "a program keeps no state; a process (crp, dp) knows its draws, and mem its values",
    "transform-sample": "a draw is (sample distribution)",
    "import require use ns library from": _IMPORTS,
    "rnorm randn gaussian-draw normal-rng": "a draw is (sample (normal mean sd))",
    "runif rand random uniform-rng random-uniform": "a draw is (sample (uniform 0 1))",
    "rexp exponential-rng": "a draw is (sample (exponential rate))",
    "rgamma gamma-rng": "a draw is (sample (gamma shape rate))",
    "rbeta beta-rng": "a draw is (sample (beta a b))",
    "rpois poisson-rng": "a draw is (sample (poisson rate))",
    "rbinom binomial-rng bernoulli-rng": "a draw is (sample (binomial n p))",
    "uniform-draw random-element rand-nth": "write (nth xs (sample (uniform-discrete 0 (count xs))))",
    "dnorm normal-lpdf": "the log density is (logpdf (normal mean sd) value)",
    "pdf pmf prob density": "the density is (exp (logpdf distribution value))",
    "gamma-fn tgamma": "write (exp (lgamma x))",
    "log10 log2": "write (/ (log x) (log 10))",
    "sign sgn": "write (signum x)",
    "zip": "write (map vector xs ys)",
    "zeros": "write (vec (repeat n 0))",
    "ones": "write (vec (repeat n 1))",
    "truncated-normal truncnorm trunc-normal": "write (truncated (normal mean sd) lower upper)",
    "zero-inflated-poisson zip-poisson": "write (zero-inflated p (poisson rate))",
    "normal-mixture gaussian-mixture": "write (mixture weights distributions)",
    "skew-normal ordered-logistic multivariate-t multi-student-t": "there is no such distribution",
    "format sprintf": "texts are put together by (str part ...)",
    "return": "the last expression of a body is its value",
    "else": "write (if test then else), or :else in cond",
    "eval read parse": "a program cannot run text",
    "inf infinity": "infinity is (/ 1.0 0.0), and minus infinity (log 0)",
    "nan": "there is no name for it",
    "try catch throw error raise": "an error ends the run and cannot be caught",
})  # fmt: skip
"""Names elsewhere that have no counterpart, or one that is written otherwise, and what to do."""

_OWN_KINDS: Final = "there are procedures and maps, and no types of one's own; write (defn name [parameter ...] ...)"
NO_MEANING: Final = _said({
    "defmacro": "there are no macros; write (defn name [parameter ...] body ...)",
    "defprotocol deftype defrecord defmulti defmethod": _OWN_KINDS,
    "doquery conditional query": _INFERS,
})  # fmt: skip
"""Words of Clojure that start a top-level form and have no counterpart, and what to write instead."""

LITERALS: Final = ("true", "false", "nil")
_VERY_CLOSE: Final = 0.8
_CLOSE: Final = 0.7
_CLOSE_ELSEWHERE: Final = 0.8
_SHORTEST: Final = 4
"""Shorter names of other languages must be met exactly: too much is like them."""
_WORSE: Final = 0.1
"""How much closer a name must be for each step that its kind fits less."""


def hint(name: str, own: Iterable[str], ranks: Sequence[Iterable[str]], elsewhere: dict[str, str] = NAMES) -> str:
    """`; did you mean 'normal'?`, or other advice, or nothing, for an unknown name.

    `own` are the names that the program itself defines; `ranks` has all names that are known, those first whose
    kind fits where the name stands."""
    known: dict[str, int] = {}
    for rank, names in enumerate(ranks):
        for each in names:
            known.setdefault(each, rank)
    typo = max(((_likeness(name, each, _VERY_CLOSE), each) for each in own if not known[each]), default=(0.0, ""))
    if typo[0]:
        return _asked(typo[1])
    for spelling in _spellings(name):
        if spelling in known:
            return _asked(spelling)
        if elsewhere.get(spelling) in known:
            return _asked(elsewhere[spelling])
        if spelling in ADVICE:
            return f": {ADVICE[spelling]}"
    return max(_close(name, known, elsewhere), default=(0.0, ""))[1]


def _asked(name: str) -> str:
    return f"; did you mean '{name}'?"


def _close(name: str, known: dict[str, int], elsewhere: dict[str, str]) -> Iterator[tuple[float, str]]:
    """What is spelled like a name, with how well it fits."""
    for other, rank in known.items():
        if like := _likeness(name, other, _CLOSE):
            yield like - _WORSE * rank, _asked(other)
    for other, target in elsewhere.items():
        if target in known and len(other) >= _SHORTEST and (like := _likeness(name, other, _CLOSE_ELSEWHERE)):
            yield like - _WORSE * known[target], _asked(target)
    for other, text in ADVICE.items():
        if len(other) >= _SHORTEST and (like := _likeness(name, other, _CLOSE_ELSEWHERE)):
            yield like - _WORSE, f": {text}"


def _likeness(name: str, other: str, least: float) -> float:
    """How much two names are alike, from 0 to 1; 0 where that is less than the least that counts."""
    matcher = SequenceMatcher(None, other, name)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= least else 0.0


def _spellings(name: str) -> Iterator[str]:
    """A name as it is, as it would be spelled here, and without the module that it comes from."""
    yield name
    yield _kebab(name)
    bare = re.split(r"[./:](?=[^./:])", name)[-1]
    if bare != name:
        yield _kebab(bare)


def _kebab(name: str) -> str:
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return parts.replace("_", "-").lower()
