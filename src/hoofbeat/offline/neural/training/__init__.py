"""Training: the networks, their samples, checkpoints and files."""
