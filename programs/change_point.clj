; Counts whose rate changes once: when, and from what to what?
; Known answer:
;   E[when-changed] = 8.5317
;   E[before] = 3.8360
;   E[after] = 1.8142
;   log evidence = -31.1586
[assume when-changed (sample (uniform-discrete 1 16))]
[assume before (sample (gamma 2.0 0.5))]
[assume after (sample (gamma 2.0 0.5))]
[assume counts [4 5 4 1 6 3 4 5 3 1 2 0 2 1 1 3]]
[for [t (range 0 16)]
  [observe (poisson (if (< t when-changed) before after)) (nth counts t)]]
[predict when-changed]
[predict before]
[predict after]
