"""BVH in and out."""
