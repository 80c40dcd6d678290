; A branching process: every individual has a Poisson number of children, and the size of each of four
; generations is seen through a noisy count. A list whose length is random is drawn in every generation.
; Known answer:
;   E[rate] = 1.2223
;   E[(size 1)] = 3.6382
;   E[(size 4)] = 6.8106
;   log evidence = -9.4334
[assume rate (sample (gamma 12.0 10.0))]
[assume size
  (mem (lambda (t)
    (if (< t 1)
      3
      (sum (repeatedly (size (dec t)) (lambda () (sample (poisson rate))))))))]
[assume counts [4 3 6 7]]
[for [t (range 1 5)]
  [observe (poisson (+ 0.2 (size t))) (nth counts (dec t))]]
[predict rate]
[predict (size 1)]
[predict (size 4)]
