"""PyTorch and what compiles its modules."""
