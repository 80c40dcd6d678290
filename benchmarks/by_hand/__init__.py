"""The same samplers, by hand for one model each: in numpy, and in plain Python one particle at a time.

They are as good as a competent person makes them who may use what every model gives (arrays over particles,
no copy of history, a trace back at the end) but not what only this model gives, such as sufficient statistics
of the observations. `numba_smc` is the limit: machine code for one model.
"""
