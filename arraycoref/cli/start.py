"""What the commands do before the first kernel, so that a short run is short."""

from __future__ import annotations

import os


def start_kernels() -> None:
    """Import numba in the way that is quick for a process of our own."""
    from arraycoref.kernels.lean import import_numba

    import_numba()


def start_scoring(key: str, response: str, input_format: str | None, column: int | None) -> None:
    """Prepare to score two files: where the kernels were never compiled, compile them on two cores.

    Whatever is wrong with the arguments is left for scoring to tell.
    """
    from arraycoref.read import FORMATS, format_of
    from arraycoref.warming import warm_scoring

    start_kernels()
    format = input_format or format_of(key)
    if format in FORMATS and column != 0 and os.path.exists(key) and os.path.exists(response):
        warm_scoring(format, column)
