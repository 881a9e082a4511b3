"""XLA under JAX, whichever library writes the program."""
