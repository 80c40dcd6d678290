; Counts that grow with a covariate: a Poisson regression with a logarithmic link.
; Known answer, by quadrature over intercept and slope:
;   E[intercept] = 0.3419
;   E[slope] = 0.8818
;   E[rate at 1] = 3.4821
;   log evidence = -14.6997
[input x [-1.0 -0.5 0.0 0.5 1.0 1.5 2.0]]
[input y [0 2 1 3 2 6 9]]
[assume intercept (sample (normal 0 2))]
[assume slope (sample (normal 0 1))]
[for [[x y] (map vector x y)]
  [observe (poisson (exp (+ intercept (* slope x)))) y]]
[predict intercept]
[predict slope]
[predict "rate at 1" (exp (+ intercept slope))]
