"""Method `actions` (R): poses from periodic expressions, after A. Romney's thesis."""
