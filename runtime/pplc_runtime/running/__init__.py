"""Running a program: chains, threads, processes, memory."""
