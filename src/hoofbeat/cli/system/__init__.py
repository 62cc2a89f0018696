"""Commands for this installation: studio, benchmarks, compiling ahead."""
