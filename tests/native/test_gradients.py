"""Derivatives of the joint density, against differences; and the law of noise, against that of what follows it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.share import share

from pplc import compile_text
from pplc_runtime.machine.machine import Interpreted, Machine, is_available
from pplc_runtime.native.computed import FORMULAS
from pplc_runtime.native.derivatives import ARRAYS, FUNCTIONS, PARTIALS
from pplc_runtime.native.joint import Joint
from pplc_runtime.native.library import FUNCTIONS as LIBRARY
from pplc_runtime.native.library import TEXT
from pplc_runtime.native.noise import NOISE
from pplc_runtime.native.sites import site_fields, sites_of
from pplc_runtime.regeneration.trace import Trace
from pplc_runtime.specialise.slices import specialised
from pplc_runtime.specialise.traced import traced

MACHINE = Machine if is_available() else Interpreted


def gradients(source: str, noise: bool = False, seed: int = 1) -> tuple[list[float], list[float]]:
    """The derivatives by all sites at a draw from the prior, and the same by differences."""
    with np.errstate(all="ignore"):
        plan = compile_text(source).program.plan({})
        joint = Joint(specialised(traced(plan)), MACHINE, noise, True)
        x = joint.layout.written(Trace(plan, {}, np.random.default_rng(seed)).values)
        joint.log_density(x)
        sites = sites_of(joint, lambda at: True, "nuts")
        fields = {**joint.fields(x), **site_fields(joint, sites, "nuts")}
        record = joint.machine.record("Moves", fields)
        joint.machine["gradient"](record)
        found, expected = [], []
        for site in sites:
            now, step = x[site.place], 1e-5 * max(0.1, abs(x[site.place]))
            sides = []
            for way in (step, -step):
                x[site.place] = now + way
                sides.append(joint.machine["score_all"](record))
            x[site.place] = now
            found.append(float(fields["G"][site.place]))
            expected.append((sides[0] - sides[1]) / (2.0 * step))
        return found, expected


def assert_derivatives(source: str, noise: bool = False) -> None:
    found, expected = gradients(source, noise)
    assert found and np.isfinite(found).all()
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


OBSERVED: dict[str, tuple[str, Any]] = {
    "flip": ("(sigmoid a)", "true"), "bernoulli": ("(sigmoid a)", 0), "flip-logit": ("a", "true"),
    "bernoulli-logit": ("a", 0), "normal": ("a b", 0.3), "lognormal": ("a b", 0.4), "gamma": ("b c", 0.7),
    "inverse-gamma": ("b c", 0.7), "chi-squared": ("b", 1.3), "beta": ("b c", 0.3), "exponential": ("b", 0.4),
    "weibull": ("b c", 0.9), "half-normal": ("b", 0.8), "logistic": ("a b", 0.2), "pareto": ("b c", 60.0),
    "laplace": ("a b", 0.1), "student-t": ("b a c", 0.7), "cauchy": ("a b", -1.0), "half-cauchy": ("b", 0.6),
    "uniform-continuous": ("(- a 9) (+ a b 9)", 0.2), "poisson": ("b", 3), "binomial": ("7 (sigmoid a)", 3),
    "binomial-logit": ("7 a", 2), "beta-binomial": ("7 b c", 2), "negative-binomial": ("b (sigmoid a)", 2),
    "geometric": ("(sigmoid a)", 3), "discrete": ("[b c 0.5]", 1), "dirichlet": ("[b c 0.5]", "[0.2 0.3 0.5]"),
    "mvn": ("[a b] [[2 0.5] [0.5 1]]", "[0.2 0.3]"),
}  # fmt: skip
COMPOSITES = (
    "(mixture [b c] [(normal a 1) (cauchy a b)]) 0.3", "(mixture [b 1] [(exponential c) (normal a 1)]) -0.5",
    "(mixture [1 2 c] [(poisson b) (poisson c) (geometric (sigmoid a))]) 2",
    "(zero-inflated (sigmoid a) (poisson b)) 0", "(zero-inflated (sigmoid a) (poisson b)) 2",
    "(iid (normal a b) 2) [0.2 0.3]", "(normal [a 1] [b c]) [0.1 2]",
    "(poisson [b c]) [1 2]",
)  # fmt: skip
PRIOR = "[assume a (sample (normal 0 1))] [assume b (sample (gamma 3 2))] [assume c (sample (gamma 4 3))]"
DISCRETE = {"lp_uniform_discrete", "lp_condition", "lp_certain"}


def test_every_density_has_a_rule() -> None:
    """Or is that of something discrete, of which there is no derivative."""
    densities = {name for name in LIBRARY if name.startswith("lp_")}
    assert densities == {*PARTIALS, *ARRAYS}
    tested = {f"lp_{name.replace('-', '_')}" for name in OBSERVED}
    assert densities - tested <= DISCRETE | {"lp_factor", "lp_mvn_diagonal"}
    assert {name for name, rules in PARTIALS.items() if not any(rules)} == DISCRETE


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
def test_densities() -> None:
    """All in one program: each is the density of an observe, by its parameters."""
    observes = [f"[observe ({name} {given}) {value}]" for name, (given, value) in OBSERVED.items()]
    observes += [f"[observe {each}]" for each in COMPOSITES]
    assert_derivatives(" ".join([PRIOR, *observes, "[factor (* a b)] [observe (mvn [a b] [[2 0] [0 1]]) [0.2 0.3]]"]))


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("noise", [False, True])
def test_draws(noise: bool) -> None:
    """By what is drawn, and by its noise; in a chain, so that derivatives pass through what follows."""
    source = f"""{PRIOR}
    [assume d (sample (normal a b))] [assume e (sample (lognormal (* 0.3 d) c))] [assume f (sample (laplace d c))]
    [assume g (sample (logistic f b))] [assume h (sample (cauchy g c))] [assume i (sample (student-t (+ 3 b) d c))]
    [assume j (sample (uniform-continuous (- d 9) (+ d c 9)))] [assume k (sample (exponential b))]
    [assume l (sample (gamma b c))] [assume m (sample (inverse-gamma (+ 2 b) c))]
    [assume n (sample (weibull (+ 1 b) c))]
    [assume o (sample (half-normal c))] [assume p (sample (half-cauchy b))] [assume q (sample (beta (+ 1 b) c))]
    [assume r (sample (dirichlet [b c 2]))] [assume s (sample (mvn [a b] [[2 0.5] [0.5 1]]))]
    [assume u (sample (chi-squared (+ 2 b)))] [assume v (sample (mvn [a d] [[(+ 1 b) 0.3] [0.3 c]]))]
    [observe (normal (+ d (log e) f g (* 0.01 h) i j) (+ 1 k)) 1.5]
    [observe (normal (+ (log l) (log m) (log n) (log o) (log p) (nth r 0) (nth s 1) (log u)) (+ 1 q)) 0.5]
    [observe (normal (* (nth v 0) (nth v 1)) 2) 0.5]"""
    assert_derivatives(source, noise)


POINTS = {
    "sqrt": "b", "log": "b", "asin": "(* 0.4 (sin a))", "acos": "(* 0.4 (sin a))", "log1p": "b", "/": "b c",
    "ratio": "b c", "lgamma": "b",
}  # fmt: skip


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
def test_primitives() -> None:
    """Every operation that there is a formula for."""
    smooth = [
        (name, arity) for name, arity in FORMULAS
        if name not in ("<", ">", "<=", ">=", "=", "not=", "not", "pos?", "neg?", "zero?", "floor", "ceil", "ratio")
    ]  # fmt: skip
    observes = [
        f"[observe (normal (* 0.3 ({name} {POINTS.get(name, 'a b' if arity == 2 else 'a')})) 1) 0.5]"
        for name, arity in smooth
        if (name, arity) != ("/", 1)
    ]
    assert_derivatives(
        f"""{PRIOR} {" ".join(observes)} [observe (normal (/ b) 1) 0.2] [observe (normal (if (> a 0) (* a b) c) 1) 0]
        [observe (normal (+ (floor a) (if (< b c) 1 2)) b) 1]
        [observe (normal (nth [a b (* a c)] (if (> b c) 2 1)) 1) 0.3]
        [observe (normal (sum (mmul [[1 2] [3 4]] [a b])) 1) 0.3] [observe (normal (dot [a b] [c 2]) 1) 0.3]"""
    )


def test_rules_of_functions() -> None:
    """Also of those that no primitive has."""
    with np.errstate(all="ignore"):
        words = {**vars(__import__("pplc_runtime.machine.words", fromlist=["words"]))}
        for own in ("digamma", "log_of", "log_add", "log_normal_below", "log_normal_between"):
            words[own] = Interpreted(TEXT, frozenset({own}))[own]
        for name, rules in FUNCTIONS.items():
            for place, rule in enumerate(rules):
                for point in ((0.3, 1.7), (0.4, 0.8) if name == "log_normal_between" else (0.8, 0.4)):
                    given = list(point[: len(rules)])
                    slope = eval(rule.format(*map(repr, given)), words)
                    sides = []
                    for way in (1e-6, -1e-6):
                        moved = [x + way * (k == place) for k, x in enumerate(given)]
                        sides.append(float(words[name](*moved)))
                    assert slope == pytest.approx((sides[0] - sides[1]) / 2e-6, rel=1e-6), name


def test_digamma() -> None:
    from scipy.special import digamma

    function = Interpreted(TEXT, frozenset({"digamma"}))["digamma"]
    for x in (1e-3, 0.1, 0.7, 1.0, 3.3, 9.9, 10.1, 250.0):
        assert float(function(x)) == pytest.approx(float(digamma(x)), rel=1e-11)


WRONG = {
    "no product rule": ('f"{seed} * ({ast.unparse(right)})"', 'f"{seed}"'),
    "a shared value counts once": ("d_{name} += {seed}", "d_{name} = {seed}"),
    "the derivative of later pieces is lost": ('_added(item, f"G[{start} + {k}]")', '_added(item, "0.0")'),
}


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("wrong", share(WRONG, 3))
def test_wrong_derivatives_are_caught(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import pplc_runtime.native.reverse as module

    right, other = WRONG[wrong]
    with open(module.__file__) as file:
        text = file.read()
    assert text.count(right) == 1
    space: dict[str, Any] = {"__name__": "wrong"}
    exec(compile(text.replace(right, other), "<wrong>", "exec"), space)
    for name in ("spread", "keep"):
        method = vars(space["Backward"])[name]
        monkeypatch.setattr(module.Backward, name, method)
    source = f"{PRIOR} [assume d (* a b (+ b c))] [observe (normal d c) 1] [observe (normal (* d b) 1) 1]"
    with pytest.raises(AssertionError):
        assert_derivatives(source)


# Noise

FOLLOWING = {
    "normal": ("a b", "{1}"), "lognormal": ("a b", "{1} * {x}"), "laplace": ("a b", "{1}"), "logistic": ("a b", "{1}"),
    "cauchy": ("a b", "{1}"), "student-t": ("c a b", "{2}"), "uniform-continuous": ("a (+ a b)", "{1} - {0}"),
    "exponential": ("b", "1 / {0}"), "gamma": ("c b", "1 / {1}"), "inverse-gamma": ("c b", "{1}"),
    "weibull": ("c b", "{1}"), "half-normal": ("b", "{0}"), "half-cauchy": ("b", "{0}"),
}  # fmt: skip


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
@pytest.mark.parametrize("name", sorted(NOISE))
def test_noise(name: str) -> None:
    """Its density is that of the value times how much the value changes with it; and it gives the value back."""
    given, slope = FOLLOWING[name]
    numbers = {"a": 0.4, "b": 1.7, "c": 2.5}
    source = f"""[assume k (sample (flip 0.5))] [assume a (if k 0.4 0.4)] [assume b (if k 1.7 1.7)]
    [assume c (if k 2.5 2.5)] [assume x (sample ({name} {given}))] [observe (normal x 1) 0]"""
    with np.errstate(all="ignore"):
        plan = compile_text(source).program.plan({})
        program = specialised(traced(plan))
        plain, noisy = Joint(program, MACHINE), Joint(program, MACHINE, noise=True)
        for seed in range(3):
            values = Trace(plan, {}, np.random.default_rng(seed)).values
            x = noisy.layout.written(values)
            before = plain.layout.written(values)
            found = noisy.log_density(x) - plain.log_density(before)
            places = [noisy.layout.offsets[draw.result] for draw in noisy.layout.draws if draw.family.name == name]
            np.testing.assert_allclose(x[places], before[places], rtol=1e-14)
            parts = [numbers["a"] + numbers["b"] if part == "(+ a b)" else numbers[part] for part in _parts(given)]
            expected = eval(slope.format(*parts, x=float(x[places[0]])))
            assert found == pytest.approx(math.log(expected), abs=1e-10)


def _parts(given: str) -> list[str]:
    return ["a", "(+ a b)"] if "(" in given else given.split()


@pytest.mark.skipif(not is_available(), reason="takes long without llvmlite")
def test_noise_of_vectors() -> None:
    source = """[assume k (sample (flip 0.5))] [assume b (if k 2.0 1.5)]
    [assume x (sample (mvn [b 1 0] [[b 0.3 0.1] [0.3 1 0.2] [0.1 0.2 b]]))] [observe (normal (nth x 0) 1) 0]"""
    with np.errstate(all="ignore"):
        plan = compile_text(source).program.plan({})
        program = specialised(traced(plan))
        plain, noisy = Joint(program, MACHINE), Joint(program, MACHINE, noise=True)
        for seed in range(3):
            values = Trace(plan, {}, np.random.default_rng(seed)).values
            x, before = noisy.layout.written(values), plain.layout.written(values)
            found = noisy.log_density(x) - plain.log_density(before)
            (draw,) = [draw for draw in noisy.layout.draws if draw.result.shape]
            start = noisy.layout.offsets[draw.result]
            np.testing.assert_allclose(x[start : start + 3], before[start : start + 3], rtol=1e-14)
            b = 2.0 if next(value for value in values.values() if np.ndim(value) == 0) else 1.5
            covariance = np.array([[b, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, b]])
            assert found == pytest.approx(0.5 * np.linalg.slogdet(covariance)[1], abs=1e-10)
