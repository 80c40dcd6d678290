; A linear Gaussian chain, observed with noise: the Kalman smoother in one dimension.
; Known answer:
;   E[(x 1)] = 0.3915
;   E[(x 5)] = 2.2985
;   E[(x 10)] = -1.1375
;   log evidence = -14.8068
[assume x
  (mem (lambda (t)
    (if (< t 1)
      0.0
      (sample (normal (* 0.9 (x (dec t))) 1.0)))))]
[assume y [0.3 1.4 0.8 2.6 2.2 3.1 1.7 0.2 -0.6 -1.3]]
[for [t (range 1 11)]
  [observe (normal (x t) 0.5) (nth y (dec t))]]
[predict (x 1)]
[predict (x 5)]
[predict (x 10)]
