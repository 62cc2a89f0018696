"""glTF 2.0 out: clips and skins to files."""
