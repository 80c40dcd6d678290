; Two variants of a page: is the second better, and by how much?
; Known answer, by beta distributions by conjugacy, and which is greater by quadrature:
;   E[(rate 0)] = 0.0916
;   E[(rate 1)] = 0.1587
;   E[better] = 0.9509
;   E[lift] = 0.0671
;   log evidence = -7.4723
[input shown [120 115]]
[input clicked [11 19]]
[assume rate (mem (fn [variant] (sample (beta 1 10))))]
[for [[variant n k] (map vector (range) shown clicked)]
  [observe (binomial n (rate variant)) k]]
[predict (rate 0)]
[predict (rate 1)]
[predict "better" (> (rate 1) (rate 0))]
[predict "lift" (- (rate 1) (rate 0))]
