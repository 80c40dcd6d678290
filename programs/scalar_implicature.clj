; A speaker and a listener who think of each other (Frank and Goodman 2012): "some" comes to mean "not all".
; Of three apples 0 to 3 are red. "some" is true of 1, 2 and 3, so that a listener who takes words literally gives each a
; third. A speaker chooses words by what that listener would believe. Who saw 3 red ones would rather have said "all":
; a listener who thinks of this speaker gives 4/9, 4/9 and 1/9.
; Known answer:
;   E[n] = 1.6667
;   E[(= n 3)] = 0.1111
;   log evidence = -0.5754
[assume words ["none" "some" "all"]]
[assume holds? (fn [word n] (case word "none" (= n 0) "some" (> n 0) "all" (= n 3)))]
[assume literal-listener
  (fn [word]
    (conditional
      (fn []
        (let [n (sample (uniform-discrete 0 4))]
          (condition (holds? word n))
          n))))]
[assume speaker
  (fn [n]
    (conditional
      (fn []
        (let [word (nth words (sample (uniform-discrete 0 3)))]
          (factor (logpdf (literal-listener word) n))
          word))))]
[assume n (sample (uniform-discrete 0 4))]
[observe (speaker n) "some"]
[predict n]
[predict (= n 3)]
