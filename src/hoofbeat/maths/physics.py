"""Physics: the constants that every layer shares."""

#: Acceleration of free fall [m/s2].
GRAVITY = 9.81
