"""Programs with distributions made of others: engines agree on densities and ancestor weights, scripts on sweeps."""

from __future__ import annotations

from typing import Final

import pytest

from .agreement import ancestor_weights_agree, densities_agree
from .scripts import assert_same, with_scripts
from .sweeps import ANYWHERE, chain, compiled

PROGRAMS: Final = {
    "truncated": """
        [assume m (sample (normal 0 1))]
        [assume x (sample (truncated (normal m 1) 0 nil))]
        [observe (truncated (normal x 2) (- 1 x) (+ 3 x)) 1.5]
        [assume k (sample (truncated (poisson (+ 1 x)) 1 6))]
        [observe (normal k 1) 2.0]
        [observe (truncated (exponential k) nil 1) 0.2]
        [predict m] [predict x] [predict k]""",
    "censored": """
        [assume m (sample (normal 0 1))]
        [assume x (sample (censored (normal m 1) (- 0.5 (abs m)) 1.2))]
        [observe (censored (normal x 1) nil 1) 1]
        [observe (censored (normal m 1) (- (abs x)) 1.5) 0.3]
        [observe (censored (poisson (+ 1 (abs x))) nil 2) 2]
        [predict m] [predict x]""",
    "mixture": """
        [assume w (sample (dirichlet [1 2]))]
        [assume x (sample (mixture w [(normal 0 1) (student-t 3 2 0.5)]))]
        [observe (mixture [[(normal x 1) 0.3] [0.7 (cauchy 0 1)]]) 0.4]
        [assume z (sample (mixture [0.5 0.5] (list (poisson 2) (geometric 0.4))))]
        [observe (zero-inflated (first w) (poisson (+ 0.5 z))) 0]
        [observe (normal (* x z) 2) 1]
        [predict x] [predict z]""",
    "vectors": """
        [assume m (sample (normal [0 1 2] 1))]
        [observe (normal m [0.5 1 2]) [0.1 0.7 2.5]]
        [assume y (sample (iid (normal (first m) 1) 2))]
        [observe (poisson (exp (* 0.3 m))) [1 2 0]]
        [observe (iid (mvn y [[1 0.2] [0.2 2]]) 2) [[0 1] [0.5 0.5]]]
        [observe (normal (sum y) 1) 0.4]
        [predict (first m)] [predict (second y)]""",
    "a vector here, a vector there": """
        [assume a (sample (flip 0.5))]
        [assume m (sample (if a (mvn [0 0] (eye 2)) (normal [1 1] 1)))]
        [observe (normal (first m) 1) 0.2]
        [assume b (sample (if (> (first m) 0.5) (iid (normal 0 1) 2) (normal [0 0 0] 1)))]
        [observe (normal (count b) 1) 2.4]
        [assume c (sample (if a (truncated (normal 0 1) 0 1) (uniform 0 1)))]
        [observe (normal (+ c (first b)) 1) 0.3]
        [predict (if a 1 0)] [predict c]""",
    "correlations": """
        [assume eta (sample (gamma 2 1))]
        [assume r (sample (lkj 3 eta))]
        [observe (mvn [0 0 0] r) [0.3 0.5 -0.4]]
        [assume l (sample (lkj-cholesky 2 (+ 1 (abs (nth (nth r 0) 1)))))]
        [observe (mvn [0 0] (mmul l (transpose l))) [1 0.5]]
        [observe (lkj 2 eta) [[1 0.3] [0.3 1]]]
        [predict eta] [predict (nth (nth l 1) 0)]""",
    "other families": """
        [assume s (sample (half-normal 2))]
        [assume t (sample (half-cauchy s))]
        [observe (logistic t s) 0.4]
        [assume a (sample (von-mises t 2))]
        [observe (pareto 0.5 (+ 1 s)) 1.1]
        [assume k (sample (beta-binomial 5 s (+ 0.1 t)))]
        [observe (hypergeometric 7 k 5) 4]
        [observe (inverse-wishart (+ 2 s) (* (+ 0.1 t) (eye 2))) [[1 0.3] [0.3 2]]]
        [observe (categorical {:a s :b 1}) :b]
        [predict s] [predict a] [predict k]""",
}
SCRIPTED: Final = {"truncated", "censored", "mixture", "vectors", "correlations"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_engines_agree(name: str) -> None:
    program = compiled(PROGRAMS[name])
    densities_agree(program, 1)
    densities_agree(program, 6)
    ancestor_weights_agree(program, 6)


@pytest.mark.parametrize("name", PROGRAMS)
def test_scripts_do_the_same(name: str) -> None:
    run, straight = compiled(PROGRAMS[name]).plan, with_scripts(PROGRAMS[name])
    assert (straight.scripts is not None) == (name in SCRIPTED)
    if straight.scripts is not None:
        for method in ANYWHERE:
            assert_same(*(chain(each, method, 1, particles=5, sweeps=6) for each in (run, straight)))
