"""Programs of static structure, as straight code.

`trace` finds what a program does, `course` what its segments read and write, `emit` writes their code, `suffix` scores
what pgas retains, and `engine` offers it to methods.
"""
