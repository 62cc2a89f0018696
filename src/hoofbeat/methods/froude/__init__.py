"""Froude: base cycles and adjusters at the Froude number, transitions in stages."""
