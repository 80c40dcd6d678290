; A grammar with one nonterminal, S -> S S | "a" | "b", seen only through summaries of the sentence:
; the recursion branches, and how often is random.
; Known answer:
;   E[(count sentence)] = 3.0376
;   E[a-words] = 1.5510
;   E[(= (first sentence) "a")] = 0.3040
;   log evidence = -5.3352
[assume derive
  (lambda (words)
    (let [rule (sample (discrete [0.3 0.4 0.3]))]
      (case rule
        0 (derive (derive words))
        1 (conj words "a")
        (conj words "b"))))]
[assume sentence (derive [])]
[observe (poisson (count sentence)) 4]
[assume a-words (count (filter (lambda (word) (= word "a")) sentence))]
[observe (normal a-words 1.0) 2.0]
[observe (flip (if (= (first sentence) "a") 0.2 0.9)) true]
[predict (count sentence)]
[predict a-words]
[predict (= (first sentence) "a")]
