; Groups with a mean of their own about a common one: how far groups differ, and how noisy each is, is unknown.
; Known answer, by quadrature over both spreads; given them mean and groups are jointly normal with the data:
;   E[mu] = 4.7390
;   E[between] = 1.8909
;   E[within] = 0.5451
;   E[(group 0)] = 4.5094
;   E[(group 3)] = 5.4138
;   log evidence = -17.1501
[input rows [[0 4.1] [0 5.0] [0 4.4] [1 6.2] [1 6.9] [2 3.1] [2 2.2] [2 3.0] [2 2.6] [3 5.5]]]
[assume mu (sample (normal 0 10))]
[assume between (sample (half-normal 2))]
[assume within (sample (half-normal 1))]
[assume group (mem (fn [g] (sample (normal mu between))))]
[for [[g y] rows]
  [observe (normal (group g) within) y]]
[predict mu]
[predict between]
[predict within]
[predict (group 0)]
[predict (group 3)]
