; A regression in which some covariates are missing: what is missing is drawn from the law of the others.
; Known answer, by quadrature over the three parameters; what is missing is normal given them:
;   E[centre] = 0.7574
;   E[intercept] = 0.6448
;   E[slope] = 1.6604
;   E[(unseen 1)] = 1.3131
;   E[(unseen 4)] = -0.4218
;   log evidence = -18.0340
[input x [0.5 nil 1.5 -0.4 nil 2.1 0.9]]
[input y [1.4 2.9 3.3 0.1 -0.2 4.2 2.0]]
[assume centre (sample (normal 0 2))]
[assume intercept (sample (normal 0 2))]
[assume slope (sample (normal 0 2))]
[assume unseen (mem (fn [i] (sample (normal centre 1))))]
[for [[i x] (map-indexed vector x)]
  [when-not (missing? x)
    [observe (normal centre 1) x]]]
[for [[i x y] (map vector (range) x y)]
  [observe (normal (+ intercept (* slope (if (missing? x) (unseen i) x))) 0.5) y]]
[predict centre]
[predict intercept]
[predict slope]
[predict (unseen 1)]
[predict (unseen 4)]
