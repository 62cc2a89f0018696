"""The core library: kernels compiled ahead, for Python, C and WebAssembly."""
