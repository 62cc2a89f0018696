"""The command line: `hoofbeat`, or `python -m hoofbeat`. Thin: every command calls the library.

A command's module imports only typer at its top and the library inside its functions, so that `--help`
and shell completion answer before NumPy or the compiler are loaded.
"""

from hoofbeat.cli.app import app, main

__all__ = ["app", "main"]
