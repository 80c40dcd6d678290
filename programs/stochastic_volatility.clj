; Stochastic volatility: returns whose log variance is an autoregression, with known parameters.
; Known answer:
;   E[(h 1)] = -0.8963
;   E[(h 8)] = -0.5020
;   E[(h 24)] = -0.6136
;   log evidence = -25.6227
[assume level -1.0]
[assume h
  (mem (lambda (t)
    (if (< t 1)
      (sample (normal level 0.6))
      (sample (normal (+ level (* 0.95 (- (h (dec t)) level))) 0.3)))))]
[assume returns [0.31 -0.52 0.08 0.74 -1.21 0.95 -0.33 -1.62 1.08 0.45 -0.12 0.27
                 -0.19 0.04 -0.41 0.22 0.13 -0.06 0.35 -0.58 0.91 -0.77 0.16 1.34]]
[for [t (range 1 25)]
  [observe (normal 0.0 (exp (/ (h t) 2.0))) (nth returns (dec t))]]
[predict (h 1)]
[predict (h 8)]
[predict (h 24)]
