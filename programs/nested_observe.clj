; Observes inside expressions: before, between and after the top-level observes, and in one branch only.
; Known answer:
;   E[mu] = -0.3535
;   E[(> mu 0.0)] = 0.1563
;   log evidence = -7.7351
[assume mu (sample (normal 0.0 2.0))]
[assume seen (lambda (sd) (do (observe (normal mu sd) 1.0) mu))]
[assume a (seen 1.0)]
[observe (normal mu 1.0) -0.5]
[assume b (if (> mu 0.0) (seen 0.5) mu)]
[observe (normal b 1.0) -1.5]
[assume c (seen 2.0)]
[predict mu]
[predict (> mu 0.0)]
