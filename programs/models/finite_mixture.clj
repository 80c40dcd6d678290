; A mixture of two normals with unknown weight and means, of which the first is the smaller by its prior.
; Known answer, by a sum over all assignments:
;   E[(centre 0)] = -1.6043
;   E[(centre 1)] = 1.6782
;   E[weight] = 0.5470
;   E[(class 2)] = 0.6737
;   E[(= (class 2) (class 7))] = 0.7257
;   log evidence = -17.5826
[input ys [-1.9 -2.4 0.3 2.2 1.6 -1.2 2.9 0.8]]
[assume weight (sample (beta 2 2))]
[assume centre (mem (fn [k] (sample (normal (if (= k 0) -2 2) 1.5))))]
[assume class (mem (fn [i] (if (sample (flip weight)) 1 0)))]
[for [[i y] (map-indexed vector ys)]
  [observe (normal (centre (class i)) 1) y]]
[predict weight]
[predict (centre 0)]
[predict (centre 1)]
[predict (class 2)]
[predict (= (class 2) (class 7))]
