; An epidemic by the equations of Kermack and McKendrick, a step a day: susceptible, infected, recovered, as shares. Reported
; are new cases among ten thousand people. Contact and recovery rates are to be found.
; Known answer, by quadrature over the two rates:
;   E[contact] = 0.6793
;   E[recovery] = 0.2285
;   E[reproduction number] = 3.0147
;   log evidence = -46.5348
[input cases [53 102 111 177 252 315 412 506 640 696]]
[assume contact (sample (lognormal -0.5 0.5))]
[assume recovery (sample (beta 2 8))]
[assume caught (fn [[s i]] (* s (- 1 (exp (- (* contact i))))))]
[assume next-day (fn [[s i]]
                   (let [new (caught [s i])]
                     [(- s new) (- (+ i new) (* recovery i))]))]
[assume days (vec (take (count cases) (iterate next-day [0.95 0.01])))]
[for [[t y] (map-indexed vector cases)]
  [observe (poisson (* 10000 (caught (nth days t)))) y]]
[predict contact]
[predict recovery]
[predict "reproduction number" (/ contact recovery)]
