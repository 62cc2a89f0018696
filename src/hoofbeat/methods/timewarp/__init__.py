"""Timewarp: authored strides, each leg in its own time."""
