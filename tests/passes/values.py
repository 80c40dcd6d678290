"""Deterministic programs with their values: whatever runs a program must give these."""

from __future__ import annotations

from typing import Any, Final

VALUES: Final[dict[str, Any]] = {
    # Constants and data
    "[predict true]": True,
    "[predict nil]": None,
    "[predict -2]": -2,
    "[predict [10. 1e-3 .5]]": [10.0, 0.001, 0.5],
    '[predict "a\\nb"]': "a\nb",
    "[predict '(a (1 2) nil)]": ["a", [1, 2], None],
    "[predict [[1 2] [3 4]]]": [[1, 2], [3, 4]],
    "[predict [1 [2 3] \"x\"]]": [1, [2, 3], "x"],
    "[predict (get {:a 1 :b [2]} :b)]": [2],
    "[predict ({:a 1} :a)]": 1,
    "[predict (:b {:a 1} 7)]": 7,
    "[predict [1, 2, ; a comment\n 3]]": [1, 2, 3],
    "[predict pi]": 3.141592653589793,
    # Truth and choices
    "[predict (if nil 1 2)]": 2,
    "[predict (if 0 1 2)]": 1,
    "[predict (if false 1)]": None,
    "[predict (cond false 1 nil 2 :else 3)]": 3,
    "[predict (cond (false 1) ((= 1 1) 2) (else 3))]": 2,
    "[predict (cond false 1)]": None,
    "[predict (case 3 1 :a (2 3) :b :c)]": ":b",
    "[predict (case 'x y 1 x 2 3)]": 2,
    "[predict (case 9 1 :a \"other\")]": "other",
    "[predict (when true 1 2)]": 2,
    "[predict (when-not true 1)]": None,
    "[predict [(and) (and 1 2) (and 1 nil 2) (or) (or nil false) (or nil 3 4)]]": [
        True, 2, None, None, False, 3,
    ],
    "[predict (let [x 2] (and (> x 1) (or (= x 5) (= x 2)) (not= x 3)))]": True,
    # Binding
    "[predict (let [a 1 b (+ a 1) a (* b 10)] [a b])]": [20, 2],
    "[predict (let ((a 1) (b 2)) (- a b))]": -1,
    "[predict (let [[a [b & c] _ d] [1 [2 3 4] 5 6]] [a b (count c) d])]": [1, 2, 2, 6],
    "[predict (let* [x 1] x)]": 1,
    "[predict (do 1 2 3)]": 3,
    "[predict (begin 1 (let [x 2] x))]": 2,
    "[predict (+ (let [x 1] x) (let [x 2] (let [x 3] x)) 4)]": 8,
    # Procedures
    "[predict ((lambda (x y) (- x y)) 5 3)]": 2,
    "[predict ((fn [x & more] [x (count more)]) 1 2 3)]": [1, 2],
    "[predict ((fn [[a b] c] (+ a (* b c))) [1 2] 3)]": 7,
    "[predict ((fn fact [n] (if (< n 2) 1 (* n (fact (dec n))))) 6)]": 720,
    "[define (f x) (* x x)]\n[predict (f 4)]": 16,
    "[defn f [x] (let [y x] y) (* x x)]\n[predict (f 4)]": 16,
    "[assume f (fn [n] (if (= n 0) 0 (g (- n 1))))]\n[assume g (fn [n] (if (= n 0) 1 (f (- n 1))))]\n"
    "[predict [(f 4) (f 5)]]": [0, 1],
    "[assume add (fn [n] (fn [x] (+ x n)))]\n[assume inc2 (add 2)]\n[predict (inc2 (inc2 1))]": 5,
    "[predict (letrec [ev (fn [n] (if (= n 0) true (od (- n 1)))) od (fn [n] (if (= n 0) false (ev (- n 1))))]\n"
    "  [(ev 9) (od 9)])]": [False, True],
    "[predict (let [k 3 f (fn [x] (* k x)) g (fn [h x] (h (h x)))] (g f 2))]": 18,
    "[predict (map (fn [x] (if (> x 1) (recur (- x 1)) x)) [1 2 5])]": [1, 1, 1],
    "[predict ((if (= 1 1) + -) 1 2)]": 3,
    "[assume fib (mem (fn [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))))]\n[predict (fib 40)]": 102334155,
    "[predict (apply (fn [& xs] (count xs)) [1 2 3])]": 3,
    "[predict ((comp inc (partial * 2)) 5)]": 11,
    # Loops
    "[predict (loop [i 0 s 0] (if (< i 10) (recur (inc i) (+ s i)) s))]": 45,
    "[predict (loop [a 1 b a] (if (< a 4) (recur (+ a b) b) [a b]))]": [4, 1],
    "[predict (loop [[a b] [0 1] n 10] (if (= n 0) a (recur [b (+ a b)] (dec n))))]": 55,
    "[predict (loop [i 0 fs []] (if (< i 3) (recur (inc i) (conj fs (fn [x] (+ x i)))) (map (fn [f] (f 10)) fs)))]": [
        10, 11, 12,
    ],
    "[assume f (fn [n acc] (cond (= n 0) acc (= (mod n 2) 0) (f (- n 2) (+ acc 1)) :else (f (dec n) acc)))]\n"
    "[predict (f 11 0)]": 5,
    "[predict (loop [i 0] (let [j (* i i)] (if (> j 50) j (recur (inc i)))))]": 64,
    "[predict (loop [i 0 t 0] (if (< i 3) (recur (inc i) (+ t (loop [j 0] (if (< j i) (recur (inc j)) j)))) t))]": 3,
    # Higher order
    "[predict (reduce + 0 (map (fn [x y] (* x y)) [1 2 3] [4 5 6]))]": 32,
    "[predict (filter (fn [x] (> x 1)) [1 2 3])]": [2, 3],
    "[predict [(some (fn [x] (> x 2)) [1 3]) (every? number? [1 2])]]": [True, True],
    "[predict (concat [1] (rest '(9 2)) (range 3 5))]": [1, 2, 3, 4],
    # Statements
    "[assume x 1]\n[for [t [1 2 3]]\n  [assume y (+ x t)]]\n[predict y]": 4,
    "[input n 3]\n[predict (* n n)]": 9,
    # Scopes
    "[for [[a b] [[1 [10 20]]]]\n  [for [a b]\n    [assume y a]]]\n[predict y]": 20,
    "[for [[x y] [[1 2]] x [10 20]]\n  [assume z [x y]]]\n[predict z]": [20, 2],
    "[for [[d doc] [[1 [5 6]]] w doc]\n  [assume z [d w]]]\n[predict z]": [1, 6],
    "[for [[a [b a]] [[1 [2 3]]] [b & c] [[a b]]]\n  [assume z [a b c]]]\n[predict z]": [3, 3, [2]],
    "[for [f [1] f [[f 2]] f [[f 3]] f [[f 4]]]\n  [assume z f]]\n[predict z]": [[[1, 2], 3], 4],
    "[assume a 7]\n[for [[a b] [[1 2]]]\n  [assume z (let [a (+ a b)] (+ a b))]]\n[predict [a z]]": [7, 5],
    "[for [[a b] [[1 2] [3 4]]]\n  (defn f [b] [a b])]\n[predict (f 5)]": [3, 5],
    "[defn g [] x]\n[for [i [1 2]]\n  [assume x (* 10 i)]\n  [assume y (g)]]\n[predict y]": 20,
    "[for [_ [1 2]]\n  [assume x 3]]\n[assume _ x]\n[assume _ (+ x 1)]\n[predict x]": 3,
    "[predict (let [a 5] (loop [[a b] [1 2] c a] [a b c]))]": [1, 2, 1],
    "[predict (loop [[a [b c]] [1 [2 3]] d (+ a c) e [d b]] (if (< d 5) (recur [c [b a]] (+ d 1) e) [a b c d e]))]": [
        3, 2, 1, 5, [4, 2],
    ],
    "[defn f [n] (if (< n 1) n (let [f 3] (recur (- n f))))]\n[predict (f 5)]": -1,
    "[predict ((fn f [n f] (if (< n 1) f (recur (- n 1) (+ f 2)))) 5 1)]": 11,
    "[predict (letrec [f (fn [n] (if (< n 1) n (recur (- n 1))))] (f 3))]": 0,
    "[assume f (fn [n total] (if (= n 0) total (recur (dec n) (+ total n))))]\n[predict (f 1000 0)]": 500500,
    # All further arguments, in Scheme's way
    "[predict ((lambda (x . more) [x more]) 1 2 3)]": [1, [2, 3]],
    "[predict ((lambda (. all) (count all)) 1 2 3)]": 3,
    "[define (f x . more) (count more)]\n[predict (f 1)]": 0,
    "[predict (let [[a . b] [1 2 3]] [a b])]": [1, [2, 3]],
    # observe in a vector
    "[predict (let [a 1] [observe (flip 0.5) true] a)]": 1,
    "[predict [observe (flip 0.5) true]]": True,
    "[predict (count [observe 1])]": 2,
    "[predict (count (vector observe 1 2))]": 3,
    "[predict '[observe a b]]": ["observe", "a", "b"],
    # Names that look like something else
    "[predict (let [x-y 1 x_y 2 x->y 3 x_to_y 4] [x-y x_y x->y x_to_y])]": [1, 2, 3, 4],
    "[predict (let [µ 1 μ 2 a? 3 a_p 4 b* 5 b_star 6] [µ μ a? a_p b* b_star])]": [1, 2, 3, 4, 5, 6],
    "[predict (let [λ 1 名 2 x² 3 x2 4] [λ 名 x² x2])]": [1, 2, 3, 4],
    "[assume x-y (fn [] 1)]\n[assume x_y (fn [] 2)]\n[assume µ (fn [] 3)]\n[assume μ (fn [] 4)]\n"
    "[predict [(x-y) (x_y) (µ) (μ)]]": [1, 2, 3, 4],
    "[assume do-it (fn [x] (+ x 1))]\n[assume f (fn [do_it] (do-it do_it))]\n[predict (f 2)]": 3,
    "[predict (let [held_1 1 held_1_ 2 test_1 3 then_1 4 other_1 5 part_1 6 literal_1 7 vector_1 8 fn_procedure 9\n"
    "  y (let [z (+ held_1 test_1)] (if (> z 3) (let [w (* z z)] (+ w (nth [1 2] 1))) 0))]\n"
    "  [held_1 held_1_ test_1 then_1 other_1 part_1 literal_1 vector_1 fn_procedure y])]": [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 18,
    ],
    "[predict (let [at 1 numbers 2 list 3 list_ 4 list__ 5 read 6] [at numbers list list_ list__ read])]": [
        1, 2, 3, 4, 5, 6,
    ],
    "[assume at (fn [at] (+ at 1))]\n[assume infer (fn [x] (* 2 x))]\n[assume PROGRAM 1]\n"
    "[assume __file__ (fn [x] x)]\n[assume __name__ 2]\n[assume _STEPS (fn [x] x)]\n"
    "[predict (_STEPS (__file__ (infer (at (+ PROGRAM __name__)))))]": 8,
    "[assume class 1]\n[assume None (fn [x] (+ x 1))]\n[assume print (fn [lambda_] lambda_)]\n"
    "[predict (let [while 3 True 4 self 5] [(print (None class)) while True self])]": [2, 3, 4, 5],
    "[assume observe_1 (fn [x] x)]\n[assume predict_1 (fn [x] x)]\n[assume assume_x (fn [x] x)]\n[assume x 3]\n"
    "[predict (observe_1 (predict_1 (assume_x x)))]": 3,
    "[assume f (fn [x] (let [__x 3 _y 4 __ 5] [__x _y __ x]))]\n[predict (f 1)]": [3, 4, 5, 1],
    "[predict (let [f (fn [x] (+ x 1))] (f 1))]": 2,
    "[predict (let [held-1 (fn [x] (+ 1 x))] (+ (held-1 2) (let [z 3] (* z z))))]": 12,
    "[assume f (fn [g] (g 1))]\n[predict (let [g (fn [x y] y)] (f (fn [x] (g x 5))))]": 5,
    '[assume f (fn [x] (do "text\\n\\ndef x(" x))]\n[predict (f 1)]': 1,
    "[for [at [1 2]]\n  [for [t [3]]\n    [assume z (+ at t)]]]\n[predict z]": 5,
}  # fmt: skip
