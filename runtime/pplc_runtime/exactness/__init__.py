"""Whether a method is exact on a program: tests by simulated data, which anyone can run on a model of their own."""
