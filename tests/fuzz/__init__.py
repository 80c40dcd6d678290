"""Fuzzing: what is fed, by `python -m tests.fuzz` for as long as one likes, and a small share in the tests."""
