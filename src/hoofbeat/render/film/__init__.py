"""Moving pictures and video."""
