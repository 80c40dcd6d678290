; The nonlinear state space model of Gordon, Salmond and Smith (1993), on which particle filters are compared:
; x_t = x/2 + 25 x / (1 + x^2) + 8 cos(1.2 t) + N(0, 10), y_t = x_t^2 / 20 + N(0, 1), variances 10 and 1.
; The sign of x is often unknown, so that posteriors have two modes.
; Known answer:
;   E[(x 1)] = 5.4290
;   E[(x 50)] = 3.2711
;   E[(x 100)] = -2.1192
;   log evidence = -261.6764
[assume y [1.924 0.636 19.626 8.387 0.697 9.287 -1.136 18.159 11.190 1.017
           0.968 9.572 16.003 5.691 -0.089 -0.522 -0.856 14.664 4.328 0.196
           28.070 15.588 1.684 17.207 4.958 1.910 9.570 -0.064 1.864 4.574
           7.075 13.634 3.509 0.679 14.094 5.380 2.401 2.206 -0.881 18.900
           1.367 1.564 3.763 11.112 15.006 7.017 -0.689 5.629 1.730 0.819
           1.012 14.046 11.070 1.551 0.220 2.392 1.247 0.873 5.292 15.738
           26.021 3.777 -0.061 18.858 4.752 4.838 3.120 13.145 7.010 2.308
           1.328 1.648 9.148 14.256 1.056 0.525 23.552 1.531 0.525 -0.275
           -0.899 6.849 0.674 1.054 0.329 9.637 9.949 0.346 1.698 0.693
           8.085 16.718 3.712 0.856 5.696 6.708 19.687 2.384 0.509 1.067]]
[assume x
  (mem (lambda (t)
    (if (< t 1)
      (sample (normal 0.0 (sqrt 5.0)))
      (let [before (x (dec t))]
        (sample (normal (+ (/ before 2.0)
                           (/ (* 25.0 before) (+ 1.0 (* before before)))
                           (* 8.0 (cos (* 1.2 t))))
                        (sqrt 10.0)))))))]
[for [t (range 1 101)]
  [observe (normal (/ (* (x t) (x t)) 20.0) 1.0) (nth y (dec t))]]
[predict (x 1)]
[predict (x 50)]
[predict (x 100)]
