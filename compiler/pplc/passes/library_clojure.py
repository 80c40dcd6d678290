"""Library (part of `expand`): functions of Clojure and others that are few words in the language itself."""

from __future__ import annotations

from typing import Final

CLOJURE: Final = {
    # Sequences
    "doall": "(defn doall [sequence] sequence)",
    "dorun": "(defn dorun [sequence] nil)",
    "filterv": "(defn filterv [test sequence] (vec (filter test sequence)))",
    "keep": "(defn keep [procedure sequence] (filter some? (map procedure sequence)))",
    "keep-indexed": "(defn keep-indexed [procedure sequence] (filter some? (map-indexed procedure sequence)))",
    "ffirst": "(defn ffirst [sequence] (first (first sequence)))",
    "list*": "(defn list* [& arguments] (concat (butlast arguments) (last arguments)))",
    "nthrest": "(defn nthrest [sequence n] (drop n sequence))",
    "take-last": "(defn take-last [n sequence] (drop (- (count sequence) n) sequence))",
    "drop-last": """
        (defn drop-last
          ([sequence] (take (- (count sequence) 1) sequence))
          ([n sequence] (take (- (count sequence) n) sequence)))""",
    "take-nth": "(defn take-nth [n sequence] (map first (partition 1 n sequence)))",
    "partition-all": """
        (defn partition-all [n sequence]
          (let [whole (partition n sequence)
                left (drop (* n (count whole)) sequence)]
            (if (empty? left) whole (concat whole (list left)))))""",
    "partition-by": """
        (defn partition-by [key sequence]
          (map (fn [group] (map second group))
               (reduce (fn [groups item]
                         (let [k (key item)]
                           (if (and (not (empty? groups)) (= k (first (first (peek groups)))))
                             (conj (pop groups) (conj (peek groups) (list k item)))
                             (conj groups (vector (list k item))))))
                       [] sequence)))""",
    "split-at": "(defn split-at [n sequence] (vector (take n sequence) (drop n sequence)))",
    "split-with": "(defn split-with [test sequence] (vector (take-while test sequence) (drop-while test sequence)))",
    "interleave": "(defn interleave [& sequences] (apply mapcat list sequences))",
    "interpose": "(defn interpose [item sequence] (rest (mapcat (fn [each] (list item each)) sequence)))",
    "not-any?": "(defn not-any? [test sequence] (not (some test sequence)))",
    "not-every?": "(defn not-every? [test sequence] (not (every? test sequence)))",
    "not-empty": "(defn not-empty [sequence] (if (empty? sequence) nil sequence))",
    "max-key": """
        (defn max-key [key & items]
          (reduce (fn [best item] (if (>= (key item) (key best)) item best)) (first items) (rest items)))""",
    "min-key": """
        (defn min-key [key & items]
          (reduce (fn [best item] (if (<= (key item) (key best)) item best)) (first items) (rest items)))""",
    # Maps
    "key": "(defn key [entry] (first entry))",
    "val": "(defn val [entry] (second entry))",
    "select-keys": """
        (defn select-keys [m names]
          (reduce (fn [found name] (if (contains? m name) (assoc found name (get m name)) found)) {} names))""",
    "merge-with": """
        (defn merge-with [procedure & maps]
          (reduce (fn [whole m]
                    (reduce (fn [found entry]
                              (let [[k v] entry]
                                (assoc found k (if (contains? found k) (procedure (get found k) v) v))))
                            whole (map vector (keys m) (vals m))))
                  {} maps))""",
    "reduce-kv": """
        (defn reduce-kv [procedure start m]
          (reduce (fn [found entry] (procedure found (first entry) (second entry)))
                  start
                  (if (map? m) (map vector (keys m) (vals m)) (map-indexed vector m))))""",
    # Procedures
    "juxt": "(defn juxt [& procedures] (fn [& arguments] (mapv (fn [each] (apply each arguments)) procedures)))",
    "fnil": "(defn fnil [procedure default] (fn [x & more] (apply procedure (if (nil? x) default x) more)))",
    "==": "(defn == [& numbers] (apply = numbers))",
    "long": "(defn long [x] (int x))",
    "+'": "(defn +' [& numbers] (apply + numbers))",
    "-'": "(defn -' [& numbers] (apply - numbers))",
    "*'": "(defn *' [& numbers] (apply * numbers))",
    "inc'": "(defn inc' [x] (inc x))",
    "dec'": "(defn dec' [x] (dec x))",
    "println": "(defn println [& values] (do (apply print values) nil))",
    "prn": "(defn prn [& values] (do (apply print values) nil))",
    # The runtime of Anglican
    "signum": "(defn signum [x] (cond (> x 0) 1.0 (< x 0) -1.0 :else 0.0))",
    "cbrt": "(defn cbrt [x] (if (< x 0) (- (pow (- x) (/ 1 3))) (pow x (/ 1 3))))",
    "log-sum-exp": """
        (defn log-sum-exp
          ([numbers] (logsumexp numbers))
          ([x y & more] (logsumexp (vec (cons x (cons y more))))))""",
    "log-gamma-fn": "(defn log-gamma-fn [x] (lgamma x))",
    # core.matrix
    "matrix": "(defn matrix [rows] (mapv (fn [row] (if (sequential? row) (vec row) row)) rows))",
    "identity-matrix": "(defn identity-matrix [n] (eye n))",
    "zero-vector": "(defn zero-vector [n] (vec (repeat n 0.0)))",
    "zero-matrix": "(defn zero-matrix [n m] (vec (repeat n (vec (repeat m 0.0)))))",
    "diagonal-matrix": "(defn diagonal-matrix [values] (diag values))",
    "inner-product": "(defn inner-product [a b] (dot a b))",
    "outer-product": "(defn outer-product [a b] (outer a b))",
    "emul": "(defn emul [& parts] (apply * parts))",
    "esum": "(defn esum [m] (reduce + (flatten m)))",
    "mget": "(defn mget ([v i] (nth v i)) ([m i j] (nth (nth m i) j)))",
    "get-row": "(defn get-row [m i] (nth m i))",
    "get-column": "(defn get-column [m j] (mapv (fn [row] (nth row j)) m))",
    "row-count": "(defn row-count [m] (count m))",
    "column-count": "(defn column-count [m] (count (first m)))",
    "shape": """
        (defn shape [m]
          (if (sequential? m) (vec (cons (count m) (if (empty? m) [] (shape (first m))))) []))""",
    "reshape": """
        (defn reshape [m shape]
          (if (= (count shape) 1)
            (vec (flatten m))
            (mapv (fn [part] (reshape part (rest shape))) (partition (product (rest shape)) (flatten m)))))""",
    "to-nested-vectors": "(defn to-nested-vectors [m] m)",
    # Distributions
    "expectation": """
        (defn expectation
          ([distribution] (expectation distribution identity))
          ([distribution procedure]
            (reduce (fn [total value] (+ total (* (exp (logpdf distribution value)) (procedure value))))
                    0.0 (support distribution))))""",
    "student-t-loc-scale": "(defn student-t-loc-scale [df location scale] (student-t df location scale))",
}
"""Definitions by the names that they define. Others of them may be used in one."""
