"""Side-by-side runs of pplc, the same samplers by hand, and other systems: python -m benchmarks"""
