"""The reference of real horses, built from published mean strides."""
