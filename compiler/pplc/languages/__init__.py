"""What flows between the passes."""
