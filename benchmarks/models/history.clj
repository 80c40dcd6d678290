; VALUES random values, then OBSERVES observes of the first: what does a fork cost when the history is long?
[assume x (mem (lambda (i) (sample (normal 0.0 1.0))))]
[assume total (reduce + 0.0 (map x (range 0 VALUES)))]
[for [t (range 0 OBSERVES)]
  [observe (normal (x 0) 30.0) 1.0]]
[predict total]
