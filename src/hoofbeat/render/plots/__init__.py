"""Plots of the papers and of training."""
