; Tug of war: strength belongs to a player, laziness to a player in a match, and the stronger team tends to win.
; Known answer:
;   E[(strength "ann")] = 0.4721
;   E[(strength "bob")] = -0.1337
;   E[(strength "cat")] = 0.5530
;   E[(lazy "ann" 3)] = 0.4435
;   log evidence = -3.7247
[assume strength (mem (lambda (player) (sample (normal 0.0 1.0))))]
[assume lazy (mem (lambda (player match) (sample (flip 0.25))))]
[assume pull
  (lambda (player match)
    (if (lazy player match)
      (- (strength player) 1.0)
      (strength player)))]
[assume team-pull
  (lambda (team match)
    (sum (map (lambda (player) (pull player match)) team)))]
[assume chance
  (lambda (home away match)
    (/ 1.0 (+ 1.0 (exp (* 2.0 (- (team-pull away match) (team-pull home match)))))))]
[observe (flip (chance ["ann"] ["bob"] 1)) true]
[observe (flip (chance ["ann"] ["cat"] 2)) true]
[observe (flip (chance ["bob" "cat"] ["ann"] 3)) true]
[observe (flip (chance ["bob"] ["cat"] 4)) false]
[predict (strength "ann")]
[predict (strength "bob")]
[predict (strength "cat")]
[predict (lazy "ann" 3)]
