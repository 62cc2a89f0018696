"""Paper tables: the numbers of Zhang et al. 2018, Tables 2 to 5, as printed."""

from __future__ import annotations

#: Columns of Tables 2 and 3, by our names of the networks; "recordings" is their ground truth.
NETWORKS = ("recordings", "plain2048", "pfnn", "mann4", "mann8")
#: Table 2: skating [cm/frame], all legs and hind legs, of NETWORKS.
SKATING = {
    "walk": ((0.21, 0.32, 0.25, 0.23, 0.22), (0.08, 0.15, 0.12, 0.10, 0.09)),
    "canter": ((0.14, 0.24, 0.19, 0.17, 0.16), (0.05, 0.19, 0.11, 0.08, 0.06)),
    "turn": ((0.17, 0.28, 0.34, 0.24, 0.20), (0.06, 0.17, 0.21, 0.13, 0.08)),
}
#: Table 3: leg motion [degrees/frame], all legs and hind legs, of NETWORKS.
LEGS = {
    "walk": ((3.87, 3.02, 3.36, 3.43, 3.69), (3.16, 2.47, 2.71, 2.82, 3.05)),
    "canter": ((6.53, 4.61, 4.63, 5.23, 5.72), (5.56, 3.73, 3.52, 4.56, 5.14)),
    "turn": ((2.74, 1.37, 1.84, 2.24, 2.31), (2.15, 1.02, 1.06, 1.54, 1.82)),
}
#: Table 4: distance [cm] and angle [degrees] from paths, of plain network, PFNN and MANN.
PATH_NETWORKS = ("plain2048", "pfnn", "mann8")
PATHS = {
    "circle": ((2.28, 1.96, 2.98), (3.07, 1.70, 3.21)),
    "square": ((5.80, 3.72, 4.65), (5.20, 3.78, 7.21)),
    "star": ((7.45, 8.37, 6.61), (8.80, 11.94, 8.76)),
    "custom": ((8.14, 9.50, 5.31), (7.69, 9.28, 6.75)),
}
#: Table 5: what failed without each of eight experts.
EXPERTS = (
    "jumping motion fails (drops down after initiate)",
    "left turning not possible (right turning works normally)",
    "jumping motion fails; less accurate movements in general",
    "right turning not possible (left turning works normally)",
    "canter and trot motion not possible",
    "only tiny movements along the limbs",
    "right turning fails; everything else works",
    "hard to activate modes; rather stiff limbs",
)
