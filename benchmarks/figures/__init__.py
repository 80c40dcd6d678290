"""The paper's experiment (section 5) through the public API: python -m benchmarks.figures"""
