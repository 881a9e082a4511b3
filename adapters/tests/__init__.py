"""Run from the root: python3 -m unittest discover -s adapters/tests -t ."""
