"""The lane engine: particles as lanes, what a draw, an observe or a look-up does, and where it keeps values."""
