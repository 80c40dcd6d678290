; A reference game (Frank and Goodman 2012): which of three objects is "blue"?
; There are a blue square, a blue circle and a green square, and a word is a colour or a shape. Literally "blue" is the
; square or the circle. But who means the circle can say "circle", which is true of nothing else; so that "blue" is rather
; the square. How much so depends on how carefully the speaker chooses, alpha, of which the listener learns from the first
; two words: the speaker was seen to call the circle "circle", twice.
; Known answer:
;   E[alpha] = 2.6138
;   E[(= thing 0)] = 0.7684
;   log evidence = -1.8992
[assume colours ["blue" "blue" "green"]]
[assume shapes ["square" "circle" "square"]]
[assume words ["blue" "green" "square" "circle"]]
[assume holds? (fn [word thing] (or (= word (nth colours thing)) (= word (nth shapes thing))))]
[assume alpha (sample (uniform-discrete 1 5))]
[assume listener
  (mem (fn [word]
    (conditional
      (fn []
        (let [thing (sample (uniform-discrete 0 3))]
          (condition (holds? word thing))
          thing)))))]
[assume speaker
  (fn [thing]
    (conditional
      (fn []
        (let [word (nth words (sample (uniform-discrete 0 4)))]
          (condition (holds? word thing))
          (factor (* alpha (logpdf (listener word) thing)))
          word))))]
[observe (speaker 1) "circle"]
[observe (speaker 1) "circle"]
[assume thing (sample (uniform-discrete 0 3))]
[observe (speaker thing) "blue"]
[predict alpha]
[predict (= thing 0)]
