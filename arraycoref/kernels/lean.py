"""Import numba without what no kernel uses."""

from __future__ import annotations

import sys

_PROBES = ("scipy", "scipy.linalg.cython_blas")


def import_numba() -> None:
    """Import numba without scipy, a quarter of a short run, in a process that runs this project's kernels only.

    Numba imports `scipy.linalg` to learn whether ``np.dot`` can be compiled; no kernel calls that, but a user's own
    function may: the command line asks for this, the library does not.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    hidden = [name for name in _PROBES if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # an import of them fails, at once
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
