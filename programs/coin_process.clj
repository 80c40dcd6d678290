; A coin of unknown bias, integrated out: every toss, seen or not, changes what is expected of the next.
; Known answer:
;   E[unseen] = 0.4706
;   E[next] = 0.6471
;   log evidence = -4.9988
[assume coin (beta-flip 2.0 1.0)]
[assume tosses [true true false true false true]]
[for [i (range 0 3)]
  [observe coin (nth tosses i)]]
[assume unseen (sample coin)]
[observe (flip (if unseen 0.4 0.9)) true]
[for [i (range 3 6)]
  [observe coin (nth tosses i)]]
[predict unseen]
[predict "next" (sample coin)]
