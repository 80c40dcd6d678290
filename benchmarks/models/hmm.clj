; A hidden Markov model: three states with normal emissions, STEPS observations.
[assume initial [0.4 0.3 0.3]]
[assume transition [[0.7 0.2 0.1]
                    [0.2 0.6 0.2]
                    [0.1 0.3 0.6]]]
[assume means [-2.0 0.0 2.0]]
[assume state
  (mem (lambda (t)
    (if (< t 1)
      (sample (discrete initial))
      (sample (discrete (nth transition (state (dec t))))))))]
[assume y DATA]
[for [t (range 0 STEPS)]
  [observe (normal (nth means (state t)) 1.0) (nth y t)]]
[predict (state 0)]
[predict (state LAST)]
