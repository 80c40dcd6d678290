"""One thread for all: to be imported before numpy."""

import os

for _library in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "NUMBA", "VECLIB_MAXIMUM"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
