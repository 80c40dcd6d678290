; Pass or fail against hours of study: a logistic curve with normal priors.
; Known answer:
;   E[weight] = 1.1538
;   E[bias] = 0.0367
;   E[(pass 1.0)] = 0.7195
;   log evidence = -6.3707
[assume weight (sample (normal 0.0 2.0))]
[assume bias (sample (normal 0.0 2.0))]
[assume pass (lambda (hours) (/ 1.0 (+ 1.0 (exp (- (+ bias (* weight hours)))))))]
[assume hours [-2.0 -1.5 -1.0 -0.3 0.2 0.8 1.5 2.2]]
[assume passed [false false true false true false true true]]
[for [i (range 0 8)]
  [observe (flip (pass (nth hours i))) (nth passed i)]]
[predict weight]
[predict bias]
[predict (pass 1.0)]
