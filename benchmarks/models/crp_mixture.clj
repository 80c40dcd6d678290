; An infinite mixture of normals (van de Meent et al. 2015, section 4.1), POINTS points.
[assume class-prior (crp 1.0)]
[assume class
  (mem (lambda (n)
    (sample class-prior)))]
[assume class-dist
  (mem (lambda (k)
    (normal-dist
      (sample (normal-dist 0.0 3.0))
      1.0)))]
[assume y DATA]
[for [n (range 0 POINTS)]
  [observe (class-dist (class n)) (nth y n)]]
[predict (class 1)]
[predict (class LAST)]
