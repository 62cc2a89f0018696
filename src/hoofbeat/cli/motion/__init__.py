"""Commands that make, judge and convert motion."""
