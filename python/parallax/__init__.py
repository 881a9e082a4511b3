"""Parallax as a Python package: the program, its data, and a pytest plugin."""

from __future__ import annotations

__version__ = "0.1.0"
