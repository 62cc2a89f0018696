"""Legs: finding them in any rig, and what the solver knows of them."""
