; Latent Dirichlet allocation in the small: three documents of words 0, 1, 2, each word of one of two topics.
; Known answer, by a sum over all assignments of words to topics, in which shares and words are summed out:
;   E[(= (topic 0 0) (topic 0 1))] = 0.8699
;   E[(= (topic 0 0) (topic 0 2))] = 0.6676
;   E[(= (topic 0 0) (topic 1 0))] = 0.2044
;   E[(= (topic 1 0) (topic 2 1))] = 0.7313
;   log evidence = -14.2583
[input documents [[0 0 1 0] [2 1 2 2] [0 2 0 1]]]
[assume words (mem (fn [topic] (sample (dirichlet [0.5 0.5 0.5]))))]
[assume shares (mem (fn [document] (sample (dirichlet [0.8 0.8]))))]
[assume topic (mem (fn [document position] (sample (discrete (shares document)))))]
[for [[document text] (map-indexed vector documents) [position word] (map-indexed vector text)]
  [observe (discrete (words (topic document position))) word]]
[predict (= (topic 0 0) (topic 0 1))]
[predict (= (topic 0 0) (topic 0 2))]
[predict (= (topic 0 0) (topic 1 0))]
[predict (= (topic 1 0) (topic 2 1))]
