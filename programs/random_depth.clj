; A walk of random length, observed where it stops, continued, and observed again.
; Known answer:
;   E[(nth first-walk 0)] = 2.0354
;   E[(nth first-walk 1)] = 0.9559
;   E[(nth second-walk 0)] = 2.7886
;   E[(nth second-walk 1)] = 2.7507
;   log evidence = -4.8236
[assume walk
  (lambda (steps x)
    (if (sample (flip 0.6))
      (walk (+ steps 1) (+ x (sample (normal 0.0 1.0))))
      [steps x]))]
[assume first-walk (walk 0 0.0)]
[observe (normal (nth first-walk 1) 0.5) 1.0]
[assume second-walk (walk 0 (nth first-walk 1))]
[observe (normal (nth second-walk 1) 0.5) 3.0]
[predict (nth first-walk 0)]
[predict (nth first-walk 1)]
[predict (nth second-walk 0)]
[predict (nth second-walk 1)]
