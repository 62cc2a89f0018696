"""The network: its file, its columns, and how it is run."""
