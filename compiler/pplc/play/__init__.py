"""A page to play with models: an editor, runs that draw as they go, and their reports; served on this machine only."""
