; Times until failure, some of which are not seen: a unit that still ran when the study ended, after 10 years, is censored.
; Known answer, by quadrature over shape and scale:
;   E[shape] = 1.7066
;   E[scale] = 9.2655
;   E[survives 15] = 0.1179
;   log evidence = -20.3247
[input times [2.1 3.7 4.4 5.0 6.8 7.9 10.0 10.0 10.0]]
[assume shape (sample (gamma 4 2))]
[assume scale (sample (gamma 4 0.5))]
[for [t times]
  [observe (censored (weibull shape scale) nil 10.0) t]]
[predict shape]
[predict scale]
[predict "survives 15" (exp (- (pow (/ 15 scale) shape)))]
