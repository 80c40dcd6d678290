"""The paper's experiment (section 5) and the infinite mixture through the public API: python -m benchmarks.figures"""
