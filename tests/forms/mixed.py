"""Programs that mix forms as people write them, each with a Python twin that is enumerated.

`c(outcomes)` draws, `o(likelihood)` observes; a twin gives what the one predict reports. More of them: `mixed_too`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, exp
from typing import Any, Final

from tests.posteriors.enumeration import (
    BetaFlip,
    Crp,
    PolyaUrn,
    Twin,
    binomial,
    discrete,
    flip,
    memo,
    poisson_mass,
    uniform_discrete,
)

MIXED: Final[dict[str, tuple[str, Twin]]] = {}


def program(text: str) -> Callable[[Any], Any]:
    """A program beside its twin, by the name of the twin."""

    def add(twin: Any) -> Any:
        MIXED[twin.__name__] = (text, lambda choose, observe: {"v": twin(choose, observe)})
        return twin

    return add


@program("""
[assume a (sample (flip 0.4))]
[assume n (if a (if (sample (flip 0.5)) (sample (uniform-discrete 0 3)) 5) (do (observe (flip 0.3) true) 1))]
[observe (poisson (+ n 0.5)) (if a 2 1)]
[predict "v" n]""")
def nested_branches(c: Any, o: Any) -> Any:
    a = c(flip(0.4))
    if a:
        n = c(uniform_discrete(0, 3)) if c(flip(0.5)) else 5
    else:
        o(0.3)
        n = 1
    o(poisson_mass(n + 0.5, 2 if a else 1))
    return n


@program("""
[assume p (mem (fn [k] (sample (categorical [[0.2 1] [0.8 (+ k 1)]]))))]
[assume x (mem (fn [k j] (sample (flip (p k)))))]
[observe (flip (if (x 0 1) 0.9 0.3)) true]
[observe (flip (if (and (x 0 2) (x 1 1)) 0.7 0.2)) false]
[predict "v" (str (p 0) (x 1 1))]""")
def memo_in_memo(c: Any, o: Any) -> Any:
    p = memo(lambda k: c([(0.2, 1 / (k + 2)), (0.8, (k + 1) / (k + 2))]))
    x = memo(lambda k, j: c(flip(p(k))))
    o(0.9 if x(0, 1) else 0.3)
    o(0.3 if x(0, 2) and x(1, 1) else 0.8)
    return f"{p(0)}{'true' if x(1, 1) else 'false'}"


@program("""
(defn walk [n p]
  (if (or (= n 0) (not (sample (flip p))))
    n
    (do (observe (binomial 3 (/ n 4)) 1) (walk (dec n) (* p 0.8)))))
[assume v (walk 3 0.9)]
[observe (flip (/ (+ v 1) 5)) true]
[predict v]""")
def recursion_with_observes(c: Any, o: Any) -> Any:
    def walk(n: int, p: float) -> Any:
        if n == 0 or not c(flip(p)):
            return n
        o(dict(binomial(3, n / 4))[1])
        return walk(n - 1, p * 0.8)

    v = walk(3, 0.9)
    o((v + 1) / 5)
    return v


@program("""
[assume v (loop [i 0 state 0]
  (if (= i 3) state
    (let [next (if (sample (flip (if (= state 0) 0.3 0.8))) 1 0)]
      (factor (* -0.5 (abs (- next (mod i 2)))))
      (recur (inc i) (+ (* 2 state) next)))))]
[condition (not= v 7)]
[predict v]""")
def loop_with_factors(c: Any, o: Any) -> Any:
    state = 0
    for i in range(3):
        nxt = 1 if c(flip(0.3 if state == 0 else 0.8)) else 0
        o(exp(-0.5 * abs(nxt - i % 2)))
        state = 2 * state + nxt
    o(float(state != 7))
    return state


@program("""
[assume kind (mem (fn [who] (sample (flip (if (= (:age who) 1) 0.2 0.6)))))]
[assume k (sample (uniform-discrete 1 3))]
[observe (flip (if (kind {:age k :name "x"}) 0.9 0.25)) true]
[observe (flip (if (kind {:name "x" :age 1}) 0.8 0.35)) true]
[predict "v" (str k (kind {:name "x" :age 1.0}) (kind {:age 2 :name "x"}))]""")
def maps_as_keys(c: Any, o: Any) -> Any:
    kind = memo(lambda age: c(flip(0.2 if age == 1 else 0.6)))
    k = c(uniform_discrete(1, 3))
    o(0.9 if kind(k) else 0.25)
    o(0.8 if kind(1) else 0.35)
    return f"{k}{str(kind(1)).lower()}{str(kind(2)).lower()}"


@program("""
[assume make (fn [a] (let [coin (beta-flip a 1)] (fn [] (sample coin))))]
[assume f (make 1)]
[assume g (if (sample (flip 0.5)) f (make 2))]
[condition (or (f) (g))]
[observe (flip (if (g) 0.9 0.4)) true]
[predict "v" (str (= f g) (f))]""")
def process_in_closures(c: Any, o: Any) -> Any:
    f = BetaFlip(1, 1)
    g = f if c(flip(0.5)) else BetaFlip(2, 1)
    ok = f.sample(c) or g.sample(c)
    o(float(ok))
    o(0.9 if g.sample(c) else 0.4)
    return f"{'true' if f is g else 'false'}{str(f.sample(c)).lower()}"


@program("""
[assume f (mem (fn ([x] (sample (uniform-discrete 0 (+ x 2)))) ([x y] (+ (f x) (if (sample (flip 0.3)) y 0)))))]
[assume k (sample (uniform-discrete 0 2))]
[observe (binomial 4 (/ (+ 1 (f k)) 4)) (f 0)]
[assume v (+ (f k 10) (* 100 (f 0 10)))]
[factor (if (= (f k) (f 0)) 0.2 0)]
[predict v]""")
def several_arities_with_mem(c: Any, o: Any) -> Any:
    one = memo(lambda x: c(uniform_discrete(0, x + 2)))
    two = memo(lambda x, y: one(x) + (y if c(flip(0.3)) else 0))
    k = c(uniform_discrete(0, 2))
    p, n = (1 + one(k)) / 4, one(0)
    o(comb(4, n) * p**n * (1 - p) ** (4 - n))
    v = two(k, 10) + 100 * two(0, 10)
    o(exp(0.2 if one(k) == one(0) else 0))
    return v


@program("""
[assume w (sample (categorical {0.3 1 0.6 2}))]
[assume k (sample (uniform-discrete 1 3))]
[observe (mixture [w (- 1 w)] [(mvn [0 k] (eye 2)) (mvn [k 1] [[2 0.5] [0.5 1]])]) [1 1.5]]
[observe (mixture [[(normal [0 0] 1) w] [(normal [k 1] [1 2]) k]]) [0.5 1.5]]
[predict "v" (+ k (* 10 w))]""")
def mixture_of_vectors(c: Any, o: Any) -> Any:
    from scipy.stats import multivariate_normal as mvn

    w = c([(0.3, 1 / 3), (0.6, 2 / 3)])
    k = c(uniform_discrete(1, 3))
    o(w * mvn([0, k], [[1, 0], [0, 1]]).pdf([1, 1.5]) + (1 - w) * mvn([k, 1], [[2, 0.5], [0.5, 1]]).pdf([1, 1.5]))
    one, two = mvn([0, 0], [[1, 0], [0, 1]]).pdf([0.5, 1.5]), mvn([k, 1], [[1, 0], [0, 4]]).pdf([0.5, 1.5])
    o((w * one + k * two) / (w + k))
    return k + 10 * w


@program("""
[assume u (sample (uniform-discrete 1 4))]
[assume x (sample (uniform-discrete 0 2))]
[observe (truncated (poisson (+ x 1)) nil u) 1]
[observe (truncated (normal x 1) (- u) u) 0.5]
[observe (censored (normal x u) nil 1) (if (= x 0) 1 0.3)]
[predict "v" (+ x (* 10 u))]""")
def truncated_by_a_random_bound(c: Any, o: Any) -> Any:
    from scipy.stats import norm, poisson

    u, x = c(uniform_discrete(1, 4)), c(uniform_discrete(0, 2))
    o(poisson(x + 1).pmf(1) / poisson(x + 1).cdf(u))
    o(norm(x).pdf(0.5) / (norm(x).cdf(u) - norm(x).cdf(-u)))
    o(norm(x, u).sf(1) if x == 0 else norm(x, u).pdf(0.3))
    return x + 10 * u


@program("""
[assume n (sample (uniform-discrete 1 4))]
[assume r (sample (uniform-discrete 1 3))]
[observe (iid (exponential r) n) (repeat n 0.7)]
[observe (iid (poisson r) 2) [n 1]]
[assume xs (repeatedly n (fn [] (sample (flip (/ r 3)))))]
[condition (some identity xs)]
[predict "v" (str n r (count (filter identity xs)))]""")
def iid_of_random_length(c: Any, o: Any) -> Any:
    n, r = c(uniform_discrete(1, 4)), c(uniform_discrete(1, 3))
    o((r * exp(-0.7 * r)) ** n)
    o(poisson_mass(r, n) * poisson_mass(r, 1))
    xs = [c(flip(r / 3)) for _ in range(n)]
    o(float(any(xs)))
    return f"{n}{r}{sum(xs)}"


@program("""
[assume c (crp 0.7 0.2)]
[assume seats (map (fn [i] (sample c)) (range 3))]
[assume tables (group-by (fn [i] (nth seats i)) (range 3))]
[doseq [[i y] [[0 true] [2 false]]] [observe (flip (if (= (count (get tables (nth seats i))) 1) 0.8 0.3)) y]]
[predict "v" (str seats)]""")
def tables_grouped(c: Any, o: Any) -> Any:
    crp = Crp(0.7, 0.2)
    seats = [crp.sample(c) for _ in range(3)]
    for i, y in ((0, True), (2, False)):
        p = 0.8 if seats.count(seats[i]) == 1 else 0.3
        o(p if y else 1 - p)
    return "(" + " ".join(map(str, seats)) + ")"


@program("""
(define (grow depth)
  (define kids (if (= depth 0) 0 (sample (binomial 2 0.4))))
  (vec (repeatedly kids (fn [] (grow (- depth 1))))))
(define (size tree) (reduce + 1 (map size tree)))
(assume tree (grow 2))
(observe (poisson (size tree)) 3)
(predict "v" (size tree))""")
def random_trees(c: Any, o: Any) -> Any:
    def grow(depth: int) -> Any:
        kids = c(binomial(2, 0.4)) if depth else 0
        return 1 + sum(grow(depth - 1) for _ in range(kids))

    n = grow(2)
    o(poisson_mass(n, 3))
    return n


@program("""
[assume urn (polya-urn [1 2 1])]
[assume step (fn [x] (let [y (sample urn)] (observe (flip (if (= x y) 0.7 0.4)) true) y))]
[assume path (take 3 (iterate (fn [x] (inc x)) 0))]
[assume v (reduce (fn [acc i] (+ (* 3 acc) (step (mod (+ acc i) 3)))) 0 path)]
[observe urn (mod v 3)]
[predict v]""")
def urn_in_reduce(c: Any, o: Any) -> Any:
    urn, acc = PolyaUrn([1, 2, 1]), 0
    for i in range(3):
        y = urn.sample(c)
        o(0.7 if (acc + i) % 3 == y else 0.4)
        acc = 3 * acc + y
    urn.observe(o, acc % 3)
    return acc


@program("""
[assume speaker (mem (fn [s level]
  (conditional (fn []
    (let [u (sample (uniform-discrete 0 2))]
      (factor (* 2 (if (= level 0) (if (or (= u 0) (= s 2)) 0 -5) (logpdf (listener u (dec level)) s))))
      u)))))]
[assume listener (mem (fn [u level]
  (conditional (fn [] (let [s (sample (discrete [2 1 1]))] (observe (speaker s level) u) s)))))]
[assume level (sample (uniform-discrete 0 2))]
[assume s (sample (listener 1 level))]
[observe (flip (if (= s 2) 0.6 0.3)) true]
[predict "v" (+ s (* 10 level))]""")
def speakers(c: Any, o: Any) -> Any:
    def normal(ws: list[float]) -> list[float]:
        return [w / sum(ws) for w in ws]

    def speaker(s: int, level: int) -> list[float]:
        return normal(
            [
                (exp(2 * (0 if u == 0 or s == 2 else -5)) if level == 0 else listener(u, level - 1)[s] ** 2)
                for u in (0, 1)
            ]
        )

    def listener(u: int, level: int) -> list[float]:
        return normal([p * speaker(s, level)[u] for s, p in enumerate((2, 1, 1))])

    level = c(uniform_discrete(0, 2))
    s = c(discrete(listener(1, level)))
    o(0.6 if s == 2 else 0.3)
    return s + 10 * level


@program("""
[assume xs (for [i (range 3)] (sample (flip (/ (+ i 1) 4))))]
[assume first-true (first (filter (fn [i] (nth xs i)) (range 3)))]
[factor (if-let [i first-true] (* -0.4 i) -2)]
[assume v (-> xs frequencies (get true 0))]
[predict v]""")
def frequencies_of_draws(c: Any, o: Any) -> Any:
    xs = [c(flip((i + 1) / 4)) for i in range(3)]
    o(exp(-0.4 * xs.index(True) if True in xs else -2))
    return sum(xs)


@program("""
[assume trans {:a [[:a 0.7] [:b 0.3]] :b [[:a 0.2] [:b 0.8]]}]
[assume emit {:a 0.2 :b 0.9}]
[assume state (mem (fn [t] (if (= t 0) :a (sample (categorical (get trans (state (dec t))))))))]
[for [[t y] (map vector (range 1 4) [true false true])]
  [observe (flip (emit (state t))) y]]
[predict "v" (str (state 1) (state 4))]""")
def chain_in_a_memo(c: Any, o: Any) -> Any:
    trans = {":a": [(":a", 0.7), (":b", 0.3)], ":b": [(":a", 0.2), (":b", 0.8)]}
    state: Any = memo(lambda t: ":a" if t == 0 else c(trans[state(t - 1)]))
    for t, y in ((1, True), (2, False), (3, True)):
        p = 0.2 if state(t) == ":a" else 0.9
        o(p if y else 1 - p)
    return state(1) + state(4)


@program("""
[assume d (if (sample (flip 0.5)) (binomial 3 0.4) (if (sample (flip 0.5)) (poisson 1) (geometric 0.5)))]
[observe d 2]
[observe (zero-inflated 0.3 d) 0]
[assume v (sample (binomial 1 (exp (logpdf d 1))))]
[predict v]""")
def distributions_as_values(c: Any, o: Any) -> Any:
    if c(flip(0.5)):
        d = dict(binomial(3, 0.4))
    elif c(flip(0.5)):
        d = {k: poisson_mass(1, k) for k in range(4)}
    else:
        d = {k: 0.5 ** (k + 1) for k in range(4)}
    o(d[2])
    o(0.3 + 0.7 * d[0])
    return c(binomial(1, d[1]))
