"""The world: ground, the root's way over it, and the placing of feet."""
