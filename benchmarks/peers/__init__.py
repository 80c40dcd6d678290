"""Other systems on the same models. Each runs in a process of its own; one that is not installed is missing."""
