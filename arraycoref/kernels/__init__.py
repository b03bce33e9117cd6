"""Everything that numba compiles; one self-contained file a kernel. Importing one imports numba."""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import a file of kernels when it is first named; kernels import nothing of the rest, so not `arraycoref.lazy`."""
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
