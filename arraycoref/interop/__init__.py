"""Connect to other libraries: tables, Parquet files, scikit-learn, coreference tools; sum scores batch by batch."""

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import a module of this room when it is first named."""
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":  # the module exists, but another that it imports does not
            raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
