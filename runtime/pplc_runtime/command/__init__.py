"""The command line of a run: what `pplc infer` and a compiled module share. Its help needs no numpy."""
