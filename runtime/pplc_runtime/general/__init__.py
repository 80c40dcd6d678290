"""Programs in general as machine code: types for a whole program, scalar code a particle, and sweeps in blocks."""
