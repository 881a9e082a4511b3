"""Measures how far a system's arithmetic is off, for a profile."""
