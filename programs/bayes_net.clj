; The sprinkler network: the grass is wet, the neighbour says that it did not rain. Did it?
; Known answer:
;   E[cloudy] = 0.3993
;   E[sprinkler] = 0.5926
;   E[rain] = 0.4577
;   log evidence = -1.2032
[assume cloudy (sample (flip 0.5))]
[assume sprinkler (sample (flip (if cloudy 0.1 0.5)))]
[assume rain (sample (flip (if cloudy 0.8 0.2)))]
[observe (flip (cond (and sprinkler rain) 0.99
                     (or sprinkler rain) 0.9
                     :else 0.05)) true]
[observe (flip (if rain 0.3 0.8)) true]
[predict cloudy]
[predict sprinkler]
[predict rain]
