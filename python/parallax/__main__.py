"""python -m parallax."""

from __future__ import annotations

from parallax.launcher import main

main()
