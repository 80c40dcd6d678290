; A mean that is drawn only when a coin says so (van de Meent et al. 2015, section 4.1).
; `mu` is a sample in one branch and a constant in the other: the two executions differ in what they draw.
; Known answer:
;   E[random?] = 0.4148
;   E[mu] = 0.0207
;   log evidence = -1.0812
[assume random? (sample (flip-dist 0.5))]
[assume mu (if random?
             (sample (normal-dist 0.0 1.0))
             0.0)]
[observe (normal-dist mu 1.0) 0.1]
[predict random?]
[predict mu]
