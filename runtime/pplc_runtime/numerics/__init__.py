"""Numbers: weights in logs."""
