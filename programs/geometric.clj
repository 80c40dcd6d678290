; A recursion of unbounded depth inside a single observe (van de Meent et al. 2015, section 4.1).
; Known answer:
;   E[n] = 2.3556
;   log evidence = -2.1011
[assume geom (lambda (p)
               (if (sample (flip-dist p))
                 1
                 (+ 1 (geom p))))]
[assume n (geom 0.5)]
[observe (poisson-dist n) 3]
[predict n]
