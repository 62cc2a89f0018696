"""Skeletons, poses, clips and contacts."""
