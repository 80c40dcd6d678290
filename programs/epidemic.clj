; A chain binomial epidemic among thirty people, seen through under-reported cases. The state is a vector
; [susceptible infected newly-infected]; the contact rate is to be found.
; Known answer:
;   E[beta] = 1.1545
;   E[(nth (state 4) 1)] = 10.2453
;   E[(nth (state 8) 0)] = 3.2376
;   log evidence = -13.4325
[assume beta (sample (gamma 6.0 6.0))]
[assume state
  (mem (lambda (t)
    (if (< t 1)
      [27 3 0]
      (let [before (state (dec t))
            susceptible (nth before 0)
            infected (nth before 1)
            risk (- 1.0 (exp (/ (* -1.0 beta infected) 30.0)))
            caught (sample (binomial susceptible risk))
            recovered (sample (binomial infected 0.4))]
        [(- susceptible caught) (- (+ infected caught) recovered) caught]))))]
[assume cases [1 3 4 4 2 3 1 0]]
[for [t (range 1 9)]
  [observe (poisson (+ 0.1 (* 0.7 (nth (state t) 2)))) (nth cases (dec t))]]
[predict beta]
[predict (nth (state 4) 1)]
[predict (nth (state 8) 0)]
