"""More programs that mix forms, with their twins: see `mixed`."""

from __future__ import annotations

from math import exp
from typing import Any

from tests.posteriors.enumeration import (
    BetaFlip,
    Crp,
    PolyaUrn,
    binomial,
    flip,
    memo,
    normal_density,
    poisson_mass,
    uniform_discrete,
)

from .mixed import program


@program("""
[assume stack (fn [s op] (case op :push (conj s (sample (uniform-discrete 0 3))) :pop (if (empty? s) s (pop s)) s))]
[assume ops (repeatedly 3 (fn [] (sample (categorical {:push 2 :pop 1}))))]
[assume end (reduce stack [] ops)]
[condition (not (empty? end))]
[factor (* 0.3 (peek end))]
[predict "v" (str end)]""")
def a_stack(c: Any, o: Any) -> Any:
    s: list[int] = []
    ops = [c([("push", 2 / 3), ("pop", 1 / 3)]) for _ in range(3)]
    for op in ops:
        if op == "push":
            s.append(c(uniform_discrete(0, 3)))
        elif s:
            s.pop()
    o(float(bool(s)))
    o(exp(0.3 * s[-1]))
    return "[" + " ".join(map(str, s)) + "]"


@program("""
[assume f (fn g [n] (if (sample (flip 0.5)) n (if (< n 2) (g (inc n)) -1)))]
[assume xs (map f [0 1])]
[observe (normal (apply + xs) 1) 0.5]
[assume {:keys [p] :or {p 7}} (if (= (first xs) -1) {} {:p (second xs)})]
[assume v p]
[predict v]""")
def defaults_of_patterns(c: Any, o: Any) -> Any:
    def g(n: int) -> Any:
        return n if c(flip(0.5)) else g(n + 1) if n < 2 else -1

    xs = [g(0), g(1)]
    o(normal_density(0.5, sum(xs), 1))
    return 7 if xs[0] == -1 else xs[1]


@program("""
[assume base (mem (fn [w] (sample (uniform-discrete 0 2))))]
[assume topics (mem (fn [d] (dirichlet-discrete [1 1])))]
[assume words (mem (fn [z] (polya-urn [1 1 (+ z 1)])))]
[for [[d ws] {0 [0 2] 1 [2]} [i w] (map vector (range) ws)]
  [let [z (sample (topics d))] [observe (words z) w]]]
[predict "v" (sample (words (sample (topics 0))))]""")
def topics(c: Any, o: Any) -> Any:
    topic = memo(lambda d: PolyaUrn([1, 1]))
    word = memo(lambda z: PolyaUrn([1, 1, z + 1]))
    for d, ws in ((0, [0, 2]), (1, [2])):
        for w in ws:
            z = topic(d).sample(c)
            word(z).observe(o, w)
    return word(topic(0).sample(c)).sample(c)


@program("""
[assume coin (mem (fn [i] (beta-flip 1 (+ i 1))))]
[assume i (sample (uniform-discrete 0 2))]
[observe (coin i) true]
[observe (coin 0) false]
[assume n (loop [k 0] (if (and (< k 3) (sample (coin i))) (recur (inc k)) k))]
[assume v (+ n (* 10 i))]
[condition (> v 0)]
[predict v]""")
def coins_until_tails(c: Any, o: Any) -> Any:
    coin = memo(lambda i: BetaFlip(1, i + 1))
    i = c(uniform_discrete(0, 2))
    coin(i).observe(o, True)
    coin(0).observe(o, False)
    k = 0
    while k < 3 and coin(i).sample(c):
        k += 1
    o(float(k + 10 * i > 0))
    return k + 10 * i


@program("""
(ns held.out (:require [clojure.core.matrix :as m]))
(defm weight [x] (cond (> x 2) 0.9 (= x 2) 0.5 :else 0.1))
(with-primitive-procedures [weight]
  (defquery dice [n]
    (let [roll (fn [] (inc (sample (uniform-discrete 0 3))))
          rolls (loop [k 0 acc []] (if (= k n) acc (recur (inc k) (conj acc (roll)))))
          total (reduce + rolls)]
      (doseq [r rolls] (observe (flip (weight r)) true))
      (when (odd? total) (observe (flip 0.3) true))
      (predict "v" total))))
(def out (take 10 (doquery :rmh dice [2])))""")
def dice_query(c: Any, o: Any) -> Any:
    rolls = [1 + c(uniform_discrete(0, 3)) for _ in range(2)]
    for r in rolls:
        o((0.1, 0.5, 0.9)[r - 1])
    if sum(rolls) % 2:
        o(0.3)
    return sum(rolls)


@program("""
[assume noisy (fn [x] (let [e (sample (uniform-discrete -1 2))] (factor (* -0.7 (abs e))) (+ x e)))]
[assume v (-> 0 noisy noisy (max 0) noisy)]
[observe (normal v 0.8) 1.2]
[predict v]""")
def threaded_noise(c: Any, o: Any) -> Any:
    def noisy(x: int) -> Any:
        e = c(uniform_discrete(-1, 2))
        o(exp(-0.7 * abs(e)))
        return x + e

    v = noisy(max(noisy(noisy(0)), 0))
    o(normal_density(1.2, v, 0.8))
    return v


@program("""
[assume rules {:s [[[:a :s] 0.4] [["x"] 0.6]] :a [[["y"] 0.7] [["z"] 0.3]]}]
(defn expand-symbol [sym depth]
  (if (string? sym) [sym]
    (if (> depth 3) ["!"]
      (let [body (sample (categorical (rules sym)))]
        (apply concat (map (fn [s] (expand-symbol s (inc depth))) body))))))
[assume sentence (expand-symbol :s 0)]
[factor (* -0.3 (count sentence))]
[condition (not (some #(= % "!") sentence))]
[predict "v" (apply str sentence)]""")
def a_grammar(c: Any, o: Any) -> Any:
    rules = {"s": [(("a", "s"), 0.4), (("x",), 0.6)], "a": [(("y",), 0.7), (("z",), 0.3)]}

    def grow(sym: str, depth: int) -> str:
        if sym not in rules:
            return sym
        if depth > 3:
            return "!"
        return "".join(grow(s, depth + 1) for s in c(rules[sym]))

    text = grow("s", 0)
    o(exp(-0.3 * len(text)))
    o(float("!" not in text))
    return text


@program("""
[assume x (sample (flip 0.3))]
[assume later (fn [] (observe (flip (if x 0.9 0.4)) true))]
[assume fs (list later (fn [] (condition (or x y))) (fn [] 1))]
[assume y (sample (flip 0.5))]
[assume k (sample (uniform-discrete 0 3))]
[assume r ((nth fs k))]
[predict "v" (str x y k)]""")
def procedures_in_a_list(c: Any, o: Any) -> Any:
    x, y, k = c(flip(0.3)), c(flip(0.5)), c(uniform_discrete(0, 3))
    o([0.9 if x else 0.4, float(x or y), 1.0][k])
    return f"{str(x).lower()}{str(y).lower()}{k}"


@program("""
[assume d (dp 1.5 (fn [] [(sample (flip 0.4)) (sample (uniform-discrete 0 2))]))]
[assume xs (repeatedly 3 (fn [] (sample d)))]
[for [[i y] [[0 1] [1 0] [2 1]]]
  [observe (binomial 1 (if (first (nth xs i)) 0.8 (if (= 1 (second (nth xs i))) 0.5 0.1))) y]]
[predict "v" (count (distinct xs))]""")
def dp_of_pairs(c: Any, o: Any) -> Any:
    crp = Crp(1.5)
    value = memo(lambda t: (c(flip(0.4)), c(uniform_discrete(0, 2))))
    xs = [value(crp.sample(c)) for _ in range(3)]
    for x, y in zip(xs, (1, 0, 1)):
        p = 0.8 if x[0] else 0.5 if x[1] else 0.1
        o(p if y else 1 - p)
    return len(set(xs))


@program("""
[assume t (sample (uniform-discrete 0 4))]
[assume rate (fn [k] (condp > k 1 0.5 3 1.5 4))]
[dotimes [k 3] [when (not= k 1) [observe (poisson (if (< k t) (rate k) 0.2)) (if (= k 0) 1 2)]]]
[assume v (let [[a & b] (range t)] (+ (or a 9) (* 10 (count b))))]
[predict v]""")
def change_point(c: Any, o: Any) -> Any:
    t = c(uniform_discrete(0, 4))
    for k in (0, 2):
        rate = 0.5 if k < 1 else 1.5 if k < 3 else 4
        o(poisson_mass(rate if k < t else 0.2, 1 if k == 0 else 2))
    return (0 if t else 9) + 10 * max(t - 1, 0)


@program("""
[assume logit-w (sample (categorical {-1 1 2 3}))]
[assume p (fn [x] (/ 1 (+ 1 (exp (- (* logit-w x))))))]
[for [[x y] [[1 true] [-0.5 false] [30 false]]] [observe (flip (p x)) y]]
[observe (binomial-logit 3 logit-w) 2]
[predict "v" logit-w]""")
def logistic_far_out(c: Any, o: Any) -> Any:
    w = c([(-1, 0.25), (2, 0.75)])

    def p(x: float) -> float:
        return 1 / (1 + exp(-w * x))

    o(p(1))
    o(p(0.5))
    o(1 / (1 + exp(w * 30)))
    o(3 * p(1) ** 2 * p(-1))
    return w


@program("""
[assume a (sample (flip 0.5))]
[assume m (mem (fn [k] (if (= k 0) (do (observe (flip (if a 0.2 0.7)) true) 1) (* 2 (m (dec k))))))]
[assume k (sample (uniform-discrete 0 3))]
[assume x (if (sample (flip 0.6)) (m k) 0)]
[assume y (if (= x 2) (m 2) (if a (m 0) 0))]
[predict "v" (+ x (* 10 y))]""")
def observes_inside_a_memo(c: Any, o: Any) -> Any:
    a = c(flip(0.5))

    def entry(k: int) -> Any:
        if k == 0:
            o(0.2 if a else 0.7)
            return 1
        return 2 * m(k - 1)

    m: Any = memo(entry)
    k = c(uniform_discrete(0, 3))
    x = m(k) if c(flip(0.6)) else 0
    y = m(2) if x == 2 else m(0) if a else 0
    return x + 10 * y


@program("""
[assume hand (fn [cards n] (if (= n 0) '()
  (let [i (sample (uniform-discrete 0 (count cards))) card (nth cards i)]
    (cons card (hand (concat (take i cards) (drop (inc i) cards)) (dec n))))))]
[assume h (hand [1 2 3 10] 2)]
[observe (flip (if (some #(= % 10) h) 0.8 0.3)) true]
[assume v (apply max h)]
[predict v]""")
def cards(c: Any, o: Any) -> Any:
    left, h = [1, 2, 3, 10], []
    for _ in range(2):
        h.append(left.pop(c(uniform_discrete(0, len(left)))))
    o(0.8 if 10 in h else 0.3)
    return max(h)


@program("""
[assume parents {:c [:a :b] :d [:c]}]
[assume node (mem (fn [n] (sample (flip (let [on (count (filter node (get parents n [])))]
  (if (contains? parents n) (/ (+ on 1) 4) 0.35))))))]
[observe (flip (if (node :d) 0.95 0.1)) true]
[condition (not (and (node :a) (node :b)))]
[predict "v" (apply str (map (fn [n] (if (node n) 1 0)) [:a :b :c :d]))]""")
def a_network_in_a_map(c: Any, o: Any) -> Any:
    parents = {"c": "ab", "d": "c"}
    node: Any = memo(lambda n: c(flip((sum(node(p) for p in parents[n]) + 1) / 4 if n in parents else 0.35)))
    o(0.95 if node("d") else 0.1)
    o(float(not (node("a") and node("b"))))
    return "".join(str(int(node(n))) for n in "abcd")


@program("""
[assume x 1]
(defn bump [] x)
[assume x (+ x (sample (binomial 2 0.5)))]
[observe (poisson (+ x (bump))) 3]
[assume x (let [x (* 10 x)] (+ x (bump)))]
[for [k [1 2]] [observe (flip (/ k (+ k (mod x 3) 1))) true]]
[predict "v" x]""")
def assumed_again(c: Any, o: Any) -> Any:
    x = 1 + c(binomial(2, 0.5))
    o(poisson_mass(x + 1, 3))
    x = 10 * x + 1
    for k in (1, 2):
        o(k / (k + x % 3 + 1))
    return x
