"""Benchmarks: what a step costs, beside other libraries and beside the machine's own speed."""
