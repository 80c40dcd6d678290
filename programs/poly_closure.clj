; Which polynomial? The procedure itself is random: a constant, a line or a parabola, closed over as many
; coefficients as it needs.
; Known answer:
;   E[degree] = 0.4833
;   E[(f 3.0)] = 1.1052
;   log evidence = -5.3768
[assume make
  (lambda (degree)
    (let [a (sample (normal 0.0 2.0))]
      (if (= degree 0)
        (fn [x] a)
        (let [b (sample (normal 0.0 1.0))]
          (if (= degree 1)
            (fn [x] (+ a (* b x)))
            (let [c (sample (normal 0.0 0.5))]
              (fn [x] (+ a (* b x) (* c x x)))))))))]
[assume degree (sample (discrete [0.4 0.3 0.3]))]
[assume f (make degree)]
[observe (normal (f -1.0) 0.7) 0.9]
[observe (normal (f 0.0) 0.7) 0.2]
[observe (normal (f 1.0) 0.7) 0.6]
[observe (normal (f 2.0) 0.7) 1.4]
[predict degree]
[predict (f 3.0)]
