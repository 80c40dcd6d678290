"""Small programs in which several features meet: memos, processes, closures chosen at random, recursion, observes
inside of memoised procedures, lists of random length, maps and distributions as keys and as values.

All chance is discrete, so that their posteriors can be enumerated. Predicts are truth values.
"""

from __future__ import annotations

from typing import Final

INTERPLAY: Final[dict[str, str]] = {
    "maps as keys of a memo": """
        [assume m (mem (fn [k] (sample (flip (if (= (get k :i) 0) 0.3 0.6)))))]
        [assume i (sample (uniform-discrete 0 2))]
        [observe (flip (if (m {:i i :j 1}) 0.9 0.2)) true]
        [assume j (sample (uniform-discrete 0 2))]
        [observe (flip (if (m {:j j :i 0}) 0.3 0.8)) true]
        [observe (flip (if (m {:i 0 :j 1}) 0.7 0.4)) true]
        [predict "i" (= i 1)]
        [predict "m" (m {:i 0 :j 1})]""",
    "closures in a list, applied by map": """
        [assume a (sample (flip 0.4))]
        [assume fs (list (fn [p] (sample (flip p))) (if a (fn [p] a) (fn [p] (sample (flip (- 1 p))))))]
        [observe (flip (if a 0.3 0.7)) true]
        [assume xs (map (fn [f] (f 0.2)) fs)]
        [observe (flip (if (first xs) 0.9 0.3)) true]
        [observe (flip (if (second xs) 0.8 0.4)) true]
        [predict "a" a]
        [predict "both" (and (first xs) (second xs))]""",
    "recursion to a random depth, through a memo that observes": """
        [assume node (mem (fn [d] (let [x (sample (flip 0.4))] (do (observe (flip (if x 0.8 0.5)) true) x))))]
        [assume depth (fn [d] (if (= d 2) d (if (node d) (depth (+ d 1)) d)))]
        [assume one (depth 0)]
        [observe (flip (nth [0.2 0.5 0.9] one)) true]
        [assume two (depth 1)]
        [observe (flip (if (node 1) 0.3 0.6)) true]
        [predict "one" (= one 1)]
        [predict "two" (= two 2)]
        [predict "node" (node 1)]""",
    "lists of random length as keys": """
        [assume n (sample (uniform-discrete 0 3))]
        [assume m (mem (fn [xs] (sample (flip (/ (+ 1 (count xs)) 4)))))]
        [observe (flip (if (m (range n)) 0.9 0.3)) true]
        [assume k (sample (uniform-discrete 0 2))]
        [observe (flip (if (m (vec (range k))) 0.2 0.7)) true]
        [observe (flip (if (m (list 0)) 0.6 0.5)) true]
        [predict "n" (= n 1)]
        [predict "k" (= k 1)]""",
    "distributions passed around": """
        [assume draw (fn [d] (sample d))]
        [assume b (sample (flip 0.3))]
        [assume ds (if b (list (flip 0.2) (flip 0.9)) (list (flip 0.5)))]
        [observe (first ds) true]
        [assume xs (map draw ds)]
        [observe (flip (if (first xs) 0.9 0.4)) true]
        [observe (last ds) (= (count xs) 2)]
        [predict "b" b]
        [predict "x" (first xs)]""",
    "a memo of memos": """
        [assume mm (mem (fn [i] (mem (fn [j] (sample (flip (if (= i j) 0.7 0.2)))))))]
        [assume i (sample (uniform-discrete 0 2))]
        [observe (flip (if ((mm i) 0) 0.9 0.3)) true]
        [assume j (if ((mm 0) i) 1 0)]
        [observe (flip (if ((mm j) i) 0.4 0.8)) true]
        [observe (flip (if ((mm 0) 0) 0.7 0.5)) true]
        [predict "i" (= i 1)]
        [predict "j" (= j 1)]
        [predict "mm" ((mm 1) 0)]""",
    "a restaurant for each table of another": """
        [assume outer (crp 1.0)]
        [assume inner (mem (fn [k] (crp 0.5)))]
        [assume z (mem (fn [i] (let [k (sample outer)] (list k (sample (inner k))))))]
        [observe (flip (if (= (z 0) (z 1)) 0.8 0.3)) true]
        [observe (flip (if (= (first (z 1)) (first (z 2))) 0.4 0.7)) true]
        [observe (flip (if (= (z 0) (z 2)) 0.9 0.5)) true]
        [predict "same" (= (z 0) (z 1))]
        [predict "outer" (= (first (z 0)) (first (z 2)))]""",
    "a coin in a closure that a memo makes": """
        [assume maker (mem (fn [k] (let [c (beta-flip 1.0 (+ k 1.0))] (fn [] (sample c)))))]
        [assume k (sample (uniform-discrete 0 2))]
        [assume x ((maker k))]
        [observe (flip (if x 0.9 0.2)) true]
        [assume y ((maker 0))]
        [observe (flip (if y 0.3 0.8)) true]
        [assume z ((maker 1))]
        [observe (flip (if (= y z) 0.6 0.4)) true]
        [predict "k" (= k 1)]
        [predict "z" z]""",
    "an observe in a memo that one branch asks for": """
        [assume m (mem (fn [k] (do (observe (flip (if (= k 0) 0.3 0.8)) true) (sample (flip 0.5)))))]
        [assume a (sample (flip 0.5))]
        [observe (flip (if a (if (m 0) 0.9 0.4) 0.5)) true]
        [assume b (if (sample (flip 0.6)) (m 1) (m 0))]
        [observe (flip (if b 0.7 0.2)) true]
        [observe (flip (if (m 0) 0.6 0.5)) true]
        [predict "a" a]
        [predict "b" b]
        [predict "m" (m 0)]""",
    "procedures that call each other": """
        [assume run (fn [k]
          (letrec [even (fn [n] (if (or (= n 0) (sample (flip 0.3))) true (odd (dec n))))
                   odd (fn [n] (if (or (= n 0) (sample (flip 0.2))) false (even (dec n))))]
            (even k)))]
        [assume k (sample (uniform-discrete 0 3))]
        [observe (flip (/ (+ k 1) 4)) true]
        [assume e (run k)]
        [observe (flip (if e 0.8 0.3)) true]
        [observe (flip (if (= e (run 1)) 0.4 0.7)) true]
        [predict "k" (= k 2)]
        [predict "e" e]""",
    "searches that draw until they know": """
        [assume m (mem (fn [k] (sample (flip 0.4))))]
        [assume n (sample (uniform-discrete 1 3))]
        [assume found (some (fn [k] (if (m k) k nil)) (range n))]
        [observe (flip (if (nil? found) 0.2 0.7)) true]
        [assume all (every? m (range 2))]
        [observe (flip (if all 0.9 0.5)) true]
        [observe (flip (if (m 1) 0.3 0.6)) true]
        [predict "found" (= found 0)]
        [predict "all" all]
        [predict "n" (= n 1)]""",
    "an urn of random size": """
        [assume n (sample (uniform-discrete 2 4))]
        [assume urn (polya-urn (mapv (fn [i] 1.0) (range n)))]
        [observe (flip (/ n 4)) true]
        [assume x (sample urn)]
        [observe urn 1]
        [assume y (sample urn)]
        [observe (flip (if (= x y) 0.8 0.3)) true]
        [predict "n" (= n 2)]
        [predict "same" (= x y)]""",
    "procedures drawn from a categorical": """
        [assume toss (mem (fn [x] (sample (flip 0.5))))]
        [assume f (sample (categorical [[(fn [x] (not x)) 0.3] [(fn [x] x) 0.5] [toss 0.2]]))]
        [assume a (sample (flip 0.3))]
        [observe (flip (if (f a) 0.9 0.2)) true]
        [observe (flip (if (f (not a)) 0.3 0.6)) true]
        [observe (flip (if (f a) 0.5 0.7)) true]
        [predict "a" a]
        [predict "fa" (f a)]""",
    "maps with random keys": """
        [assume i (sample (uniform-discrete 0 2))]
        [assume j (sample (uniform-discrete 0 2))]
        [assume m (assoc {} i (sample (flip 0.3)) j (sample (flip 0.8)))]
        [observe (flip (/ (count m) 3)) true]
        [observe (flip (if (get m 0 true) 0.4 0.7)) true]
        [assume m2 (update m 1 (fn [v] (if (nil? v) (sample (flip 0.5)) (not v))))]
        [observe (flip (if (get m2 1) 0.9 0.3)) true]
        [predict "i" (= i j)]
        [predict "m" (get m2 1)]""",
    "closures as keys of a memo": """
        [assume f (fn [] 0)]
        [assume g (let [q (sample (flip 0.5))] (fn [] q))]
        [assume m (mem (fn [h k] (sample (flip (if (= (h) 0) 0.3 0.6)))))]
        [assume h (if (sample (flip 0.4)) f g)]
        [observe (flip (if (m h 1) 0.9 0.2)) true]
        [observe (flip (if (m f 1) 0.4 0.8)) true]
        [observe (flip (if (m g 1) 0.7 0.5)) true]
        [predict "h" (= h f)]
        [predict "m" (m g 1)]
        [predict "g" (= (g) true)]""",
    "processes as keys and as values": """
        [assume c (beta-flip 1.0 1.0)]
        [assume d (beta-flip 2.0 1.0)]
        [assume e (if (sample (flip 0.4)) c d)]
        [assume m (mem (fn [p i] (sample p)))]
        [observe (flip (if (m e 0) 0.9 0.3)) true]
        [observe (flip (if (m c 0) 0.4 0.7)) true]
        [observe (if (m e 1) c e) true]
        [predict "e" (= e c)]
        [predict "m" (m d 0)]""",
    "a loop with a random end": """
        [assume walk (fn []
          (loop [i 0 total 0]
            (if (or (= i 2) (sample (flip 0.4)))
              (list i total)
              (recur (inc i) (+ total (if (sample (flip 0.5)) 1 0))))))]
        [assume a (walk)]
        [observe (flip (/ (+ 1 (first a)) 4)) true]
        [observe (flip (if (= (second a) (first a)) 0.8 0.3)) true]
        [predict "steps" (= (first a) 2)]
        [predict "total" (= (second a) 1)]""",
    "procedures made of memos": """
        [assume m (mem (fn [a b] (sample (flip (if (= a b) 0.7 0.3)))))]
        [assume i (sample (uniform-discrete 0 2))]
        [assume f (partial m i)]
        [assume g (comp (complement f) (fn [x] (- 1 x)))]
        [observe (flip (if (f 0) 0.9 0.2)) true]
        [observe (flip (if (g 0) 0.4 0.8)) true]
        [observe (flip (if (apply m (list 0 1)) 0.7 0.4)) true]
        [predict "i" (= i 1)]
        [predict "g" (g 0)]""",
    "processes that observe what is random": """
        [assume c (crp 1.0)]
        [assume x (sample c)]
        [assume y (sample (uniform-discrete 0 2))]
        [observe c y]
        [assume z (sample c)]
        [observe c (if (= z 0) x y)]
        [observe (flip (if (= z y) 0.7 0.3)) true]
        [predict "y" (= y 1)]
        [predict "z" (= z 0)]""",
    "observes in a map over a list of random length": """
        [assume n (sample (uniform-discrete 0 3))]
        [assume xs (repeatedly n (fn [] (sample (flip 0.6))))]
        [observe (flip 0.5) true]
        [assume ys (map (fn [x] (observe (flip (if x 0.9 0.4)) true)) xs)]
        [observe (flip (/ (+ 1 (count (filter identity xs))) 4)) true]
        [predict "n" (= n 2)]
        [predict "any" (some identity xs)]""",
    "a state that a loop assumes anew": """
        [assume step (mem (fn [t s] (sample (flip (if s 0.7 0.2)))))]
        [assume peek-state (fn [] state)]
        [for [t (range 3)]
          [assume state (if (= t 0) (step 0 true) (step t (peek-state)))]
          [observe (flip (if (peek-state) 0.8 0.3)) (not= t 1)]]
        [predict "state" state]
        [predict "step" (step 1 true)]""",
    "text as keys, and orders by memo": """
        [assume score (mem (fn [name] (sample (uniform-discrete 0 3))))]
        [assume names (list "a" "b")]
        [assume best (last (sort-by score names))]
        [observe (flip (if (= best "a") 0.8 0.4)) true]
        [assume who (str (if (sample (flip 0.5)) "a" "b"))]
        [observe (flip (/ (+ 1 (score who)) 4)) true]
        [observe (flip (if (= who best) 0.3 0.6)) true]
        [predict "best" (= best "a")]
        [predict "who" (= who "a")]""",
    "vectors changed at random places": """
        [assume i (sample (uniform-discrete 0 2))]
        [assume v (assoc [0 0] i (if (sample (flip 0.5)) 1 0.5))]
        [observe (flip (if (> (nth v 0) 0) 0.7 0.4)) true]
        [assume w (assoc v (sample (uniform-discrete 0 2)) 2)]
        [observe (flip (/ (+ 1 (sum w)) 5)) true]
        [observe (flip (if (= (argmax w) i) 0.8 0.5)) true]
        [predict "i" (= i 1)]
        [predict "w" (= (first w) 2)]""",
    "entries that some ask for by number and others by list": """
        [assume m (mem (fn [k] (sample (flip 0.4))))]
        [assume k (sample (categorical [[0 0.4] [1 0.3] [(list 0) 0.3]]))]
        [observe (flip (if (m k) 0.9 0.3)) true]
        [assume j (sample (uniform-discrete 0 2))]
        [observe (flip (if (m j) 0.4 0.7)) true]
        [observe (flip (if (m (list j)) 0.8 0.5)) true]
        [predict "k" (= k 0)]
        [predict "m" (m 0)]""",
    "an entry that becomes a distribution or a number": """
        [assume m (mem (fn [k] (if (sample (flip 0.5)) (flip 0.8) (if (= k 0) 0.3 (flip 0.1)))))]
        [assume draw (fn [x] (if (number? x) (sample (flip x)) (sample x)))]
        [assume i (sample (uniform-discrete 0 2))]
        [assume a (draw (m i))]
        [observe (flip (if a 0.9 0.3)) true]
        [assume b (draw (m 0))]
        [observe (flip (if b 0.4 0.6)) true]
        [predict "number" (number? (m 0))]
        [predict "a" a]""",
    "tables of a restaurant as keys, some of them observed": """
        [assume c (crp 0.7)]
        [assume z (mem (fn [i] (sample c)))]
        [assume p (mem (fn [k] (sample (flip 0.5))))]
        [observe (flip (if (p (z 0)) 0.9 0.2)) true]
        [observe c 0]
        [observe (flip (if (p (z 1)) 0.3 0.8)) true]
        [observe (flip (if (and (= (z 0) (z 2)) (p (z 2))) 0.7 0.4)) true]
        [predict "same" (= (z 0) (z 1))]
        [predict "p" (p 0)]""",
}
