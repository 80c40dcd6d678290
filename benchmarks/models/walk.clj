; A random walk, seen STEPS times with noise.
[assume y DATA]
[assume x
  (mem (lambda (t)
    (if (< t 0)
      0.0
      (sample (normal (x (dec t)) 1.0)))))]
[for [t (range 0 STEPS)]
  [observe (normal (x t) 1.0) (nth y t)]]
[predict (x 0)]
[predict (x LAST)]
