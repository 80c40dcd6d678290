; A mixture of three with lazy parameters: which observe is the first to ask for a parameter is random.
; Known answer:
;   E[(z 0)] = 0.2945
;   E[(z 2)] = 1.4286
;   E[(theta 0)] = -0.6288
;   E[(theta 1)] = 0.4004
;   E[(theta 2)] = 1.0675
;   log evidence = -9.0158
[assume theta (mem (lambda (k) (sample (normal (- k 1.0) 1.0))))]
[assume z (mem (lambda (i) (sample (discrete [0.5 0.3 0.2]))))]
[assume y [-1.4 0.9 1.8 -0.2 1.1]]
[for [i (range 0 5)]
  [observe (normal (theta (z i)) 0.6) (nth y i)]]
[predict (z 0)]
[predict (z 2)]
[predict (theta 0)]
[predict (theta 1)]
[predict (theta 2)]
