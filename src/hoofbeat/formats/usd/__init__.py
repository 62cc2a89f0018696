"""USD out, as UsdSkel."""
