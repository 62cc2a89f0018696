"""Meshes: the skins that ship, and bones as a mesh where there is none."""
