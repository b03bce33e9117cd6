"""Score long tables in partitions, on a Dask cluster or the threads of one machine.

    >>> from arraycoref.interop.dask import score_table
    >>> scores = score_table("key/*.parquet", "response/*.parquet")  # doctest: +SKIP

Needs ``pip install arraycoref[dask]``. ``docs/scale.md`` describes which data move between processes and at what cost.
"""

from __future__ import annotations

from arraycoref.interop.dask.api import score_table

__all__ = ["score_table"]
