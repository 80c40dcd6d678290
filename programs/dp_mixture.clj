; A Dirichlet process mixture: the means are drawn from a process with a normal base distribution, so that
; two points share a mean with positive probability.
; Known answer:
;   E[(theta 0)] = -2.8917
;   E[(theta 3)] = 1.0697
;   E[(theta 7)] = 1.5040
;   E[(= (theta 0) (theta 1))] = 0.8334
;   E[(= (theta 3) (theta 7))] = 0.5933
;   log evidence = -19.8195
[assume means (dp 1.0 (normal 0.0 3.0))]
[assume theta (mem (lambda (i) (sample means)))]
[assume y [-2.9 -3.4 0.3 0.8 3.1 2.7 -2.6 1.5]]
[for [i (range 0 8)]
  [observe (normal (theta i) 0.7) (nth y i)]]
[predict (theta 0)]
[predict (theta 3)]
[predict (theta 7)]
[predict (= (theta 0) (theta 1))]
[predict (= (theta 3) (theta 7))]
