"""Method `neural`: mode-adaptive neural networks (N1 to N10)."""
