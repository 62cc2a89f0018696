"""The methods of synthesis, behind one contract."""
