"""Take no settings from files that lie in the working directory, whoever put them there.

A user's own settings, in the environment and the home directory, hold as ever; so do all of them where this package
is imported by a program.
"""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import chdir, suppress
from importlib import import_module

NUMBA, MATPLOTLIB = ".numba_config.yaml", "matplotlibrc"
"""What numba and matplotlib read in the working directory."""


def import_numba() -> None:
    """Import numba ahead where its file of settings lies here, so that it passes over it now and when it compiles.

    It has no switch for that, but reads the file only where it finds PyYAML, and warns otherwise.
    """
    if not os.path.exists(NUMBA) or "numba" in sys.modules:
        return
    warnings.filterwarnings("ignore", "A Numba config file is found")
    yaml = sys.modules.get("yaml")
    sys.modules["yaml"] = None  # type: ignore[assignment]  # as Python documents: an import of it fails
    try:
        import_module("arraycoref.kernels.jit")
    finally:
        del sys.modules["yaml"]
        if yaml is not None:
            sys.modules["yaml"] = yaml


def import_matplotlib() -> None:
    """Import matplotlib, if it is installed, from elsewhere where its file of settings lies here."""
    if os.path.exists(MATPLOTLIB) and "matplotlib" not in sys.modules:
        with chdir(os.path.dirname(__file__)), suppress(ImportError):
            import_module("matplotlib")
