"""Provide compiled functions (kernels): three public ones for your own compiled code, and those of this package.

Importing a kernel imports numba. Import the public kernels, which `docs/performance.md` describes, from here. All
others are private and may change at any time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arraycoref.kernels.alignment import align
    from arraycoref.kernels.cells import contingency_batch, contingency_document

__all__ = ["align", "contingency_batch", "contingency_document"]

_FILES = {"align": "alignment", "contingency_batch": "cells", "contingency_document": "cells"}


def __getattr__(name: str) -> Any:
    """Import a public kernel, or a file of kernels, when its name is first used."""
    module = f"{__name__}.{_FILES.get(name, name)}"
    try:
        found = import_module(module)
    except ImportError as error:
        if error.name not in {module, None}:
            raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {error}") from None
    return getattr(found, name) if name in _FILES else found
