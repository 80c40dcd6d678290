; Four customers of a Chinese restaurant; every table has a biased coin, tossed once by each customer.
; Known answer:
;   E[(table 1)] = 0.5629
;   E[(table 2)] = 0.5472
;   E[(table 3)] = 0.5995
;   E[(bias 0)] = 0.7106
;   E[(= (table 1) (table 3))] = 0.4371
;   log evidence = -2.8729
[assume tables (crp 0.8)]
[assume table (mem (lambda (i) (sample tables)))]
[assume bias (mem (lambda (k) (nth [0.1 0.5 0.9] (sample (discrete [0.3 0.4 0.3])))))]
[observe (flip (bias (table 0))) true]
[observe (flip (bias (table 1))) false]
[observe (flip (bias (table 2))) true]
[observe (flip (bias (table 3))) true]
[predict (table 1)]
[predict (table 2)]
[predict (table 3)]
[predict (bias 0)]
[predict (= (table 1) (table 3))]
