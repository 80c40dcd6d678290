; A hidden Markov model of two states whose transition matrix and emissions are unknown.
; Known answer, by a sum over all paths of states, in which the rows of the matrix are summed out:
;   E[(centre 0)] = 0.1161
;   E[(centre 1)] = 2.2033
;   E[stays] = 0.7849
;   E[(nth (row 1) 1)] = 0.7401
;   E[(state 6)] = 0.6630
;   E[(state 9)] = 0.1201
;   log evidence = -17.0411
[input ys [0.3 -0.4 0.1 2.4 3.1 2.7 1.6 0.2 -0.8 0.4]]
[assume row (mem (fn [k] (sample (dirichlet (if (= k 0) [3 1] [1 3])))))]
[assume centre (mem (fn [k] (sample (normal (* 2 k) 1))))]
[assume state (mem (fn [t] (if (< t 0) 0 (sample (discrete (row (state (dec t))))))))]
[for [[t y] (map-indexed vector ys)]
  [observe (normal (centre (state t)) 1) y]]
[predict "stays" (nth (row 0) 0)]
[predict (nth (row 1) 1)]
[predict (centre 0)]
[predict (centre 1)]
[predict (state 6)]
[predict (state 9)]
