"""Run ``arraycoref warmup``."""

from __future__ import annotations

import click

from arraycoref.cli.group import Command


@click.command(cls=Command)
def warmup() -> None:
    """Compile everything now, so that the first score does not have to wait for it.

    For container images and for clusters whose processes share one cache of machine code.
    """
    import time

    import arraycoref

    start = time.perf_counter()
    arraycoref.warmup()
    seconds = time.perf_counter() - start
    click.echo(f"compiled in {seconds:.1f} s; machine code is kept in {_cache_place()}")


def _cache_place() -> str:
    """Return the directory in which numba keeps the kernels' machine code."""
    from arraycoref.kernels import contingency_batch

    stats = getattr(contingency_batch, "stats", None)
    return (
        str(stats.cache_path) if stats is not None and stats.cache_path else "memory only, for no directory is writable"
    )
