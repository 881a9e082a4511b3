"""Array libraries that compile: a case as calls of the library's own functions."""
