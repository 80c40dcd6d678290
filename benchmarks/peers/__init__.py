"""Other systems on the same models, each in a process of its own; one not installed is said to be missing."""
