; An autoregression of order one with unknown level, persistence and noise.
; Known answer, by quadrature over the noise; given it level and persistence are those of a linear regression:
;   E[level] = 1.6833
;   E[persistence] = 0.1610
;   E[noise] = 0.6038
;   E[next] = 2.0053
;   log evidence = -10.9909
[input ys [1.2 1.9 1.4 2.3 2.9 2.2 1.3 1.7 2.4 2.0]]
[assume level (sample (normal 0 2))]
[assume persistence (sample (normal 0 0.5))]
[assume noise (sample (half-normal 1))]
[for [[before y] (map vector ys (rest ys))]
  [observe (normal (+ level (* persistence before)) noise) y]]
[predict level]
[predict persistence]
[predict noise]
[predict "next" (+ level (* persistence (last ys)))]
