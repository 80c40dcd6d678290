; Item response: who can solve what? Abilities of five people and difficulties of three items, by a logistic curve.
; Known answer, by quadrature over the three difficulties, and for each person over the ability:
;   E[(difficulty 0)] = -1.0629
;   E[(difficulty 2)] = 1.1697
;   E[(ability 0)] = 0.2142
;   E[(ability 2)] = 0.8989
;   log evidence = -10.0295
[input answers [[true true false] [true false false] [true true true] [false true false] [true true false]]]
[assume ability (mem (fn [person] (sample (normal 0 1))))]
[assume difficulty (mem (fn [item] (sample (normal 0 1.5))))]
[for [[person row] (map-indexed vector answers) [item solved] (map-indexed vector row)]
  [observe (flip-logit (- (ability person) (difficulty item))) solved]]
[predict (ability 0)]
[predict (ability 2)]
[predict (difficulty 0)]
[predict (difficulty 2)]
