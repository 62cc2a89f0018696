"""Evaluation: all measures of networks, their tables and files."""
