"""Expressions: text becomes instructions, and one machine runs them."""
