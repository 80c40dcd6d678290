"""Regeneration: the density of a retained suffix after every prefix."""
