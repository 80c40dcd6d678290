; Regression with a Gaussian process: the process is asked for its value at each x, given all values before.
; Known answer:
;   E[(value 0.0)] = 1.6464
;   E[(value 0.7)] = 1.7604
;   E[(value 2.2)] = 0.0136
;   log evidence = -7.1680
[assume kernel (lambda (a b) (* 2.0 (exp (* -0.5 (- a b) (- a b)))))]
[assume f (gp (lambda (x) 0.5) kernel)]
[assume xs [-2.0 -1.0 0.0 1.5 3.0]]
[assume ys [-0.6 0.4 1.7 1.1 -0.9]]
[assume value (mem (lambda (x) (sample (f x))))]
[for [i (range 0 5)]
  [observe (normal (value (nth xs i)) 0.3) (nth ys i)]]
[predict (value 0.0)]
[predict (value 0.7)]
[predict (value 2.2)]
