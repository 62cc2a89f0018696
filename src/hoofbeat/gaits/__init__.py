"""Gaits: what they are, and how they are read off the feet."""
