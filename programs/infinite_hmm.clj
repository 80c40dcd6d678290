; A hidden Markov model with unboundedly many states, as a hierarchy of restaurants: every state has its own
; crp over tables, and a table serves a dish, the next state, that comes from a crp shared by all.
; Known answer:
;   E[(= (state 1) (state 2))] = 0.5852
;   E[(= (state 1) (state 3))] = 0.0951
;   E[(= (state 1) (state 5))] = 0.5983
;   E[(= (state 4) (state 6))] = 0.5070
;   E[(state 6)] = 1.2459
;   log evidence = -12.5435
[assume dishes (crp 1.0)]
[assume row (mem (lambda (s) (crp 1.0)))]
[assume dish (mem (lambda (s table) (sample dishes)))]
[assume mu (mem (lambda (s) (sample (normal 0.0 2.0))))]
[assume state
  (mem (lambda (t)
    (if (< t 1)
      (sample dishes)
      (let [s (state (dec t))]
        (dish s (sample (row s)))))))]
[assume y [1.6 1.9 -1.2 -0.7 1.5 -1.4]]
[for [t (range 1 7)]
  [observe (normal (mu (state t)) 0.8) (nth y (dec t))]]
[predict (= (state 1) (state 2))]
[predict (= (state 1) (state 3))]
[predict (= (state 1) (state 5))]
[predict (= (state 4) (state 6))]
[predict (state 6)]
