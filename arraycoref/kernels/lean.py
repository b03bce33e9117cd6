"""Import numba without what no kernel uses."""

from __future__ import annotations

import sys


def import_numba() -> None:
    """Import numba without `scipy.linalg`, a fifth of a short run, in a process that runs this project's kernels only.

    Numba imports it to learn whether ``np.dot`` can be compiled; no kernel calls that, but a user's own function may:
    the command line asks for this, the library does not.
    """
    probe = "scipy.linalg.cython_blas"
    if probe in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    sys.modules[probe] = None  # type: ignore[assignment]  # an import of it fails, at once
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[probe]
