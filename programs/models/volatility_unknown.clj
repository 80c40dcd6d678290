; Stochastic volatility with unknown persistence and unknown volatility of the volatility.
; Known answer, by quadrature over both parameters, and over the states one after the other:
;   E[persistence] = 0.7915
;   E[spread] = 0.3226
;   E[(h 7)] = 0.0377
;   E[(h 11)] = -0.2906
;   log evidence = -15.0327
[input returns [0.31 -0.52 0.08 0.74 -1.21 0.95 -0.33 -1.62 1.08 0.45 -0.12 0.27]]
[assume persistence (sample (beta 8 2))]
[assume spread (sample (half-normal 0.5))]
[assume h (mem (fn [t] (if (< t 0) 0.0 (sample (normal (* persistence (h (dec t))) spread)))))]
[for [[t y] (map-indexed vector returns)]
  [observe (normal 0 (exp (/ (h t) 2))) y]]
[predict persistence]
[predict spread]
[predict (h 7)]
[predict (h 11)]
