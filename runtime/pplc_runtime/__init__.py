"""The runtime of compiled probabilistic programs."""
