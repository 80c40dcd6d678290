"""pplc: a compiler for probabilistic programs."""
