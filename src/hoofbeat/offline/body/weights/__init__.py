"""Skin weights: the first guess, the fit to poses, and its quality."""
