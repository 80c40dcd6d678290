"""Programs of static structure, as straight code.

`trace` finds what a program does, `slices` makes a specialised program of it (`ir`), `numpy_code` writes code for that,
`suffix` scores what pgas retains, and `engine` offers it to methods.
"""
