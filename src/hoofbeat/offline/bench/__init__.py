"""Benchmarks: this package and its peers, timed in one run."""
