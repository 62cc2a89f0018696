"""Slow tools: nothing that runs a horse imports them."""
