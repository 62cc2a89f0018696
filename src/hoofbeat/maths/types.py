"""Types: what kernels take and return. Shapes, spaces and units stand in each function's docstring.

Vectors and quaternions are values: a kernel gets a tuple and returns a new one. Arrays are for batches
and for memory, and are read and written by `maths.vec`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: A number: a Python or NumPy scalar, float32 or float64 by what it is combined with.
Real: TypeAlias = float | np.floating[Any]
#: A number, or an array of them, element by element: what curves and springs take.
Numbers: TypeAlias = Any
#: A whole number: an index, a count, a code.
Int: TypeAlias = int
#: A truth value.
Bool: TypeAlias = bool | np.bool_
#: x, y, z.
Vec3: TypeAlias = tuple[Real, Real, Real]
#: x, y, z, w, of unit length unless said otherwise.
Quat: TypeAlias = tuple[Real, Real, Real, Real]
#: An array of floats, and one of flags.
Floats: TypeAlias = NDArray[Any]
Flags: TypeAlias = NDArray[Any]
#: An array of whole numbers, whose items are indices. NumPy's stubs cannot say so, or nothing could be
#: indexed by an item.
Ints: TypeAlias = Any
#: One structured row, as STATE or STEP, and an array of them, whose items are rows.
Row: TypeAlias = np.void
Rows: TypeAlias = Any
