; A memoised choice that is first asked for inside a branch: in one execution it belongs to the first
; generation, in the other to the second.
; Known answer:
;   E[early] = 0.5520
;   E[(shift 0)] = 0.3746
;   E[(shift 1)] = -0.4373
;   log evidence = -4.4937
[assume shift (mem (lambda (k) (sample (normal 0.0 1.0))))]
[assume early (sample (flip 0.5))]
[observe (normal (if early (shift 0) 0.0) 1.0) 1.2]
[observe (normal (shift 0) 1.0) 0.8]
[observe (normal (+ (shift 0) (shift 1)) 1.0) -0.5]
[predict early]
[predict (shift 0)]
[predict (shift 1)]
