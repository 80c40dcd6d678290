; A line through points of which one is far off: noise with heavy tails and an unknown scale.
; Known answer, by quadrature over intercept, slope and the logarithm of the scale:
;   E[intercept] = 1.0185
;   E[slope] = 2.0035
;   E[scale] = 0.5737
;   log evidence = -20.3421
[input x [0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0]]
[input y [0.9 3.2 4.8 7.1 18.0 11.2 12.7 15.1]]
[assume intercept (sample (normal 0 5))]
[assume slope (sample (normal 0 3))]
[assume scale (sample (half-normal 1))]
[for [[x y] (map vector x y)]
  [observe (student-t 3 (+ intercept (* slope x)) scale) y]]
[predict intercept]
[predict slope]
[predict scale]
