"""Training and evaluation of the networks; training imports only NumPy and torch."""
