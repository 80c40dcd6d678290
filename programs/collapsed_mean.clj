; Normal data with an unknown mean that is integrated out: prior mean 1, prior deviation 2, noise 0.5.
; Known answer:
;   E[unseen] = 2.5755
;   E[next] = 2.2247
;   log evidence = -4.0017
[assume level (normal-normal 1.0 2.0 0.5)]
[observe level 2.3]
[observe level 1.9]
[assume unseen (sample level)]
[observe (normal unseen 0.4) 2.8]
[observe level 2.2]
[predict unseen]
[predict "next" (sample level)]
