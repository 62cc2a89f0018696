"""Pure functions on arrays: rotations, kinematics, springs, curves, expressions. No project types."""
