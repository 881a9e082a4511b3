"""Core ML Tools."""
