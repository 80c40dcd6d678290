; A hidden Markov model: three states with normal emissions, sixteen observations.
; Known answer:
;   E[(state 0)] = 0.1410
;   E[(state 3)] = 1.0290
;   E[(state 7)] = 1.9776
;   E[(state 12)] = 0.4544
;   E[(state 15)] = 1.1171
;   log evidence = -27.1926
[assume initial [0.4 0.3 0.3]]
[assume transition [[0.7 0.2 0.1]
                    [0.2 0.6 0.2]
                    [0.1 0.3 0.6]]]
[assume means [-2.0 0.0 2.0]]
[assume state
  (mem (lambda (t)
    (if (< t 1)
      (sample (discrete initial))
      (sample (discrete (nth transition (state (dec t))))))))]
[assume y [-1.3 -2.2 -0.9 0.4 0.2 -0.5 1.1 2.7 1.6 2.2 0.9 0.1 -1.0 -2.6 -1.9 0.7]]
[for [t (range 0 16)]
  [observe (normal (nth means (state t)) 1.0) (nth y t)]]
[predict (state 0)]
[predict (state 3)]
[predict (state 7)]
[predict (state 12)]
[predict (state 15)]
