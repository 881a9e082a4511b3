"""ExecuTorch: the program of a case, its delegates, and a phone that runs it."""
