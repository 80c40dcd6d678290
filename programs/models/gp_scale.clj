; A Gaussian process whose length scale and height are unknown: the values at all points are one multivariate normal.
; Known answer, by quadrature over length and height:
;   E[length] = 1.1388
;   E[height] = 1.0063
;   log evidence = -4.4939
[input xs [0.0 0.6 1.1 1.9 2.5 3.2]]
[input ys [0.2 0.9 1.1 0.6 -0.3 -1.0]]
[assume length (sample (gamma 4 4))]
[assume height (sample (half-normal 1))]
[assume kernel (fn [a b] (* height height (exp (* -0.5 (square (/ (- a b) length))))))]
[assume covariance (mapv (fn [a] (mapv (fn [b] (+ (kernel a b) (if (= a b) 0.01 0))) xs)) xs)]
[observe (mvn (mapv (fn [x] 0.0) xs) covariance) ys]
[predict length]
[predict height]
