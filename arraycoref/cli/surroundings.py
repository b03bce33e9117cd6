"""Keep numba and matplotlib from reading settings files in the working directory, which anyone may have put there.

The user's own settings, in the environment and the home directory, are read as usual. Only the command line does this:
in a program that imports this package, numba and matplotlib read all their settings.
"""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import chdir, suppress
from importlib import import_module

NUMBA, MATPLOTLIB = ".numba_config.yaml", "matplotlibrc"
"""Names of the settings files that numba and matplotlib read in the working directory."""


def import_numba() -> None:
    """Import numba now, without its settings file, if there is one in the working directory.

    Numba has no option to ignore the file. But it reads the file only if it can import PyYAML, and otherwise warns. So
    PyYAML is hidden during the import, and the warning is ignored, now and later when numba compiles.
    """
    if not os.path.exists(NUMBA) or "numba" in sys.modules:
        return
    warnings.filterwarnings("ignore", "A Numba config file is found")
    yaml = sys.modules.get("yaml")
    sys.modules["yaml"] = None  # type: ignore[assignment]  # makes `import yaml` fail, as Python documents
    try:
        import_module("arraycoref.kernels.jit")
    finally:
        del sys.modules["yaml"]
        if yaml is not None:
            sys.modules["yaml"] = yaml


def import_matplotlib() -> None:
    """Import matplotlib, if installed, from another directory if its settings file is in the working directory."""
    if os.path.exists(MATPLOTLIB) and "matplotlib" not in sys.modules:
        with chdir(os.path.dirname(__file__)), suppress(ImportError):
            import_module("matplotlib")
