"""Programs whose posterior is known exactly, and the answers, computed without the compiler."""
