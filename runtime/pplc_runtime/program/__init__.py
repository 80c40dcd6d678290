"""What a generated module is made of: steps, control, formulas, distributions as values, names, places."""
