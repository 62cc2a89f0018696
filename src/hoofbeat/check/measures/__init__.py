"""Measures: one file for each family of numbers that a check takes."""
