"""glTF 2.0 in: files of any program to clips."""
