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
    "lkj": "lkj-corr lkj-correlation lkjcorr",
    "lkj-cholesky": "lkj-corr-cholesky lkj-cov-cholesky",
    "mixture": "mixture-of mix",
    "iid": "i-i-d replicated independent-dist",
    "poisson": "pois",
    "binomial": "binom",
    "negative-binomial": "nbinom neg-binom negbinomial",
    "geometric": "geom",
    "dirichlet": "dirich",
    "dirac": "delta point-mass pointmass exactly",
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
    "quot": "// quotient idiv int-div",
    "min": "minimum fmin pmin",
    "max": "maximum fmax pmax",
    "inc": "add1 succ",
    "dec": "sub1 pred",
    "sigmoid": "expit inv-logit invlogit inverse-logit",
    "normal-cdf": "pnorm std-normal-cdf norm-cdf phi-approx",
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
    "count": "len length size nrow numel array-length num-elements rows",
    "first": "head car hd front",
    "rest": "tail cdr tl",
    "second": "cadr",
    "third": "caddr",
    "nth": "elt aref list-ref vector-ref index-at get-item",
    "conj": "push snoc push-back add-last",
    "cons": "prepend unshift push-front pair",
    "append": "extend ++ list-append",
    "vector": "array tuple make-vector stack",
    "vec": "to-array to-vector to-row-vector as-vector",
    "vector?": "is-array is-vector",
    "get": "lookup",
    "butlast": "initial",
    "sort-by": "sort-on",
    "map-indexed": "imap imapv",
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
    "map": "lapply sapply vapply map-list mapcar map-data map2 map-n",
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
    "case": "match",
    "loop": "while",
    "doseq": "for-each",
    "dotimes": "do-times",
    "if-let": "if-some",
    "when-let": "when-some",
    "->": "|> %>%",
    "reductions": "scan scanl accumulate",
    "mem": "memoize memo cache memoise",
    "sample": "draw rnd",
    "factor": "weight target-add add-log-weight log-weight potential",
    "condition": "constrain assert",
    # Sums and linear algebra
    "mean": "average avg list-mean",
    "std": "sd stdev stddev std-dev",
    "variance": "var list-var",
    "product": "prod",
    "mmul": "matmul mat-mul %*% @ matrix-mul",
    "dot": "dot-product vector-dot",
    "inverse": "",
    "diag": "diagonal diag-matrix",
    "det": "determinant",
    "transpose": "transposed",
    "cholesky": "cholesky-decompose",
    "solve": "mdivide-left",
    "cumsum": "cumulative-sum",
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
    "infer query doquery enumerate mcmc smc mh hmc particle-filter": _NESTED,
    "get-log-weight get-predicts get-result collect-results": _NESTED,
    "retrieve store gensym": "a program keeps no state; a process such as crp knows its draws, and mem its values",
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
    "log10": "write (/ (log x) (log 10))",
    "log2": "write (/ (log x) (log 2))",
    "log1m": "write (log1p (- x))",
    "log1m-exp": "write (log (- (expm1 x)))",
    "log-mix": "write (logsumexp [(+ (log p) a) (+ (log1p (- p)) b)]), or observe (mixture weights distributions)",
    "fma": "write (+ (* x y) z)",
    "inv": "of a number write (/ 1 x), of a matrix (inverse m)",
    "inv-sqrt": "write (/ 1 (sqrt x))",
    "step int-step": "write (if (> x 0) 1 0)",
    "multiply-log": "write (* x (log y))",
    "lchoose binomial-coefficient-log": "write (- (lgamma (+ n 1)) (lgamma (+ k 1)) (lgamma (+ (- n k) 1)))",
    "choose": "write (exp (- (lgamma (+ n 1)) (lgamma (+ k 1)) (lgamma (+ (- n k) 1))))",
    "linspace": "write (map (fn [i] (+ start (* i step))) (range n))",
    "find": "write (first (filter test xs))",
    "index-of": "write (first (filter (fn [i] (= (nth xs i) x)) (range (count xs))))",
    "slice segment": "write (subvec xs start end), or (take n (drop start xs))",
    "map-object": "write (map (fn [k] [k (get m k)]) (keys m))",
    "cols ncol": "write (count (first m))",
    "rep-vector rep-array rep-row-vector": "write (vec (repeat n x))",
    "diag-pre-multiply": "write (mmul (diag v) m)",
    "quad-form-diag": "write (mmul (diag v) m (diag v))",
    "crossprod": "write (mmul (transpose m) m)",
    "tcrossprod": "write (mmul m (transpose m))",
    "simplex": "weights are a vector, as in (discrete [1 2 3])",
    "biplex switch": "write (if test a b), or (case x 1 a 2 b)",
    "tag": "blocks have no names here: write the expression alone",
    "deterministic": "assume it, and predict it",
    "target": "write (factor log-weight)",
    "hist density-plot": "a picture is made outside of the program, as in: pplc infer model.clj --plot picture.png",
    "sample-prior-predictive": "what a program says before data: pplc infer model.clj --method prior",
    "integrate-ode ode-rk45 ode-solve": "there is no solver; write the steps out with (loop [i 0 x start] body)",
    "sign sgn": "write (cond (> x 0) 1 (< x 0) -1 :else 0)",
    "zip": "write (map vector xs ys)",
    "zeros": "write (vec (repeat n 0))",
    "ones": "write (vec (repeat n 1))",
    "truncated-normal truncnorm trunc-normal": "write (truncated (normal mean sd) lower upper)",
    "zero-inflated-poisson zip-poisson": "write (zero-inflated p (poisson rate)), where p is the share of zeros",
    "zero-inflated-binomial": "write (zero-inflated p (binomial n q)), where p is the share of zeros",
    "neg-binomial": "write (negative-binomial r p); of an inverse scale b, p is (/ b (+ b 1))",
    "neg-binomial-2": "write (negative-binomial phi (/ phi (+ mu phi)))",
    "neg-binomial-2-log": "write (negative-binomial phi (/ phi (+ (exp eta) phi)))",
    "poisson-log": "write (poisson (exp eta))",
    "std-normal": "write (normal 0 1)",
    "categorical-logit": "write (discrete (softmax logits))",
    "log-flip log-bernoulli": "write (flip (exp log-p))",
    "normal-id-glm bernoulli-logit-glm poisson-log-glm": "write the predictor out, as in (normal (+ a (dot x b)) sd)",
    "multi-normal-cholesky": "write (mvn mean (mmul factor (transpose factor)))",
    "multi-normal-prec": "write (mvn mean (inverse precision))",
    "diag-cov-gaussian tensor-gaussian": "write (normal means sds): vectors make independent components",
    "logit-normal logistic-normal": "write (sigmoid (sample (normal mean sd)))",
    "half-student-t": "write (truncated (student-t df 0 scale) 0 nil)",
    "inv-chi-square inv-chi-squared": "write (inverse-gamma (/ df 2) 0.5)",
    "scaled-inv-chi-square scaled-inv-chi-squared": "write (inverse-gamma (/ df 2) (* 0.5 df (square scale)))",
    "rayleigh": "write (weibull 2 (* scale (sqrt 2)))",
    "beta-proportion": "write (beta (* mean size) (* (- 1 mean) size))",
    "exp-mod-normal ex-gaussian": "write (+ (sample (normal mean sd)) (sample (exponential rate)))",
    "gaussian-random-walk": "write (reductions + 0 (sample (iid (normal 0 sd) n)))",
    "dirichlet-multinomial": "write (multinomial n (sample (dirichlet alpha)))",
    "lkjcholesky-cov": "write (lkj-cholesky size eta), and draw the scales apart",
    "make-crp": "write (crp alpha); it is drawn from by sample",
    "make-dir-cat make-dir-mult": "write (polya-urn alpha); it is drawn from by sample",
    "make-sym-dir-cat make-sym-dir-mult": "write (polya-urn (vec (repeat n alpha))); it is drawn from by sample",
    "make-beta-bernoulli make-suff-stat-bernoulli": "write (beta-flip a b); it is drawn from by sample",
    "make-gp": "write (gp mean kernel); what it gives for a point is drawn from by sample",
    "cov-exp-quad gp-exp-quad-cov": "write (gp mean kernel), where a kernel is (fn [x y] (exp (- (square (- x y)))))",
    "flat half-flat improper-uniform": "a distribution has mass 1; write a wide one, such as (normal 0 1000)",
    "normal-mixture gaussian-mixture": "write (mixture weights distributions)",
    "ordered-logistic ordered-probit": "there is no such distribution; give its probabilities to (discrete weights)",
    "skew-normal multivariate-t multi-student-t gumbel frechet wald kumaraswamy triangular rice moyal wiener kde"
    " asymmetric-laplace interpolated": "there is no such distribution; draw it, and observe by (factor log-density)",
    "join": "write (apply str (interpose separator parts))",
    "split": "texts are not taken apart: hand the parts over as data",
    "atom ref volatile! deref": _CHANGES,
    "force": "a chain starts from a run of its own; what is known is [observe distribution value]",
    "freeze": "assume the value itself in place of the draw",
    "list-directives forget clear rollback": "a program is a text: change it, and run it again",
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

ENDINGS: Final = {
    **dict.fromkeys(("lpdf", "lpmf", "lupdf", "lupmf"), "(logpdf ({} ...) value)"),
    "lcdf": "(log (cdf ({} ...) value))",
    "lccdf": "(log (- 1 (cdf ({} ...) value)))",
    "rng": "(sample ({} ...))",
}
"""Endings of Stan's names of functions, and what to write, given the distribution."""

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
        if said := _of_stan(spelling, known, elsewhere):
            return said
    return max(_close(name, known, elsewhere), default=(0.0, ""))[1]


def _of_stan(name: str, known: Iterable[str], elsewhere: dict[str, str]) -> str:
    """normal_lpdf, poisson_rng and the like: what is done with a distribution is written around it here."""
    stem, _, ending = name.rpartition("-")
    if ending in ENDINGS and stem in ADVICE:
        return f": {ADVICE[stem]}"
    family = elsewhere.get(stem, stem)
    return f": write {ENDINGS[ending].format(family)}" if ending in ENDINGS and family in known else ""


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
