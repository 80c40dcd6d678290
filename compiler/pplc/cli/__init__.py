"""The pplc command."""
