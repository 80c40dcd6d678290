; An infinite mixture of normals (van de Meent et al. 2015, section 4.1): every point asks for its class, a
; label from a Chinese restaurant process, and every class for its distribution, drawn when first needed.
; Known answer:
;   E[(= (class 0) (class 1))] = 0.5080
;   E[(= (class 0) (class 2))] = 0.0817
;   E[(= (class 0) (class 3))] = 0.6667
;   E[classes] = 3.4888
;   log evidence = -20.7585
[assume class-prior (crp 1.0)]
[assume class
  (mem (lambda (n)
    (sample class-prior)))]
[assume class-dist
  (mem (lambda (k)
    (normal-dist
      (sample (normal-dist 0.0 1.0))
      1.0)))]
[assume y [2.1 0.6 -1.7 1.9 -2.4 0.3 2.8 -1.1 1.4 1.2]]
[for [n (range 0 10)]
  [observe (class-dist (class n)) (nth y n)]]
[predict (= (class 0) (class 1))]
[predict (= (class 0) (class 2))]
[predict (= (class 0) (class 3))]
[predict "classes" (+ 1 (reduce max 0 (map class (range 0 10))))]
