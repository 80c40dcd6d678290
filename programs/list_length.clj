; A list of random length, of which only the sum and (roughly) the length are seen.
; Known answer:
;   E[(count xs)] = 3.6976
;   E[(sum xs)] = 4.1391
;   E[marks] = 1.3127
;   log evidence = -3.7760
[assume n (sample (poisson 3.0))]
[assume xs (repeatedly n (lambda () (sample (normal 1.0 1.0))))]
[observe (normal (sum xs) 0.5) 4.2]
[assume marked (map (lambda (x) (sample (flip 0.3))) xs)]
[assume marks (count (filter (lambda (m) m) marked))]
[observe (poisson (+ 0.5 marks)) 2]
[predict (count xs)]
[predict (sum xs)]
[predict marks]
