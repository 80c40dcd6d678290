; A line through eight points with known noise.
; Known answer:
;   E[slope] = 1.0691
;   E[intercept] = 0.9499
;   E[(line 6.0)] = 7.3643
;   log evidence = -9.1631
[assume slope (sample (normal 0.0 3.0))]
[assume intercept (sample (normal 0.0 3.0))]
[assume line (lambda (x) (+ intercept (* slope x)))]
[assume xs [0.0 0.5 1.0 1.5 2.0 3.0 4.0 5.0]]
[assume ys [1.1 1.3 2.4 2.2 3.1 3.9 5.6 6.2]]
[for [i (range 0 8)]
  [observe (normal (line (nth xs i)) 0.5) (nth ys i)]]
[predict slope]
[predict intercept]
[predict (line 6.0)]
