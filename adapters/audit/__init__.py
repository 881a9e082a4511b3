"""Reads out of a compiled file what `parallax audit` judges."""
