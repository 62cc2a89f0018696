"""Tables: a configuration of a horse as one file, with which C and WebAssembly ride it without Python."""

from hoofbeat.offline.core.tables.read import TableFileError, Tables, describe_tables
from hoofbeat.offline.core.tables.write import SUFFIX, NoCoreError, export_tables, tables_of

__all__ = [
    "SUFFIX",
    "NoCoreError",
    "TableFileError",
    "Tables",
    "describe_tables",
    "export_tables",
    "tables_of",
]
