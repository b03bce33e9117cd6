"""Options of ``arraycoref score`` for Parquet files of long tables, and what they ask for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

if TYPE_CHECKING:
    from arraycoref.results import BatchScores

F = TypeVar("F", bound=Callable[..., Any])


class TableOptions(NamedTuple):
    """What the user said about tables."""

    columns: str
    engine: str
    scheduler: str | None


def table_options(command: F) -> F:
    """Add the options to a command, which receives them as `TableOptions` by the name ``tables``."""
    options = (
        click.option(
            "--columns",
            default="document,mention,label",
            show_default=True,
            metavar="NAMES",
            help="Columns of Parquet tables; several that make a mention as start+end; two for one document.",
        ),
        click.option(
            "--engine",
            type=click.Choice(["memory", "dask"]),
            default="memory",
            show_default=True,
            help="Score Parquet tables at once, or in parts on Dask.",
        ),
        click.option("--scheduler", metavar="ADDRESS", help="Dask cluster, tcp://host:port.  [default: --threads]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


def are_tables(key: str, response: str, input_format: str | None, options: TableOptions) -> bool:
    """Whether the sides are Parquet tables.

    Raises:
        UsageError: only one of them is, or options that say otherwise.
    """
    if options.scheduler is not None and options.engine != "dask":
        raise click.UsageError("--scheduler needs --engine dask")
    if options.engine == "dask" or input_format == "parquet":
        if input_format not in (None, "parquet"):
            raise click.UsageError(f"--engine dask reads Parquet tables, not --input-format {input_format}")
        return True
    found = [input_format is None and _is_parquet(path) for path in (key, response)]
    if any(found) and not all(found):
        raise click.UsageError("one side is a Parquet table and the other is not; expected two of a kind")
    return all(found)


def _is_parquet(path: str) -> bool:
    """Whether a file, a pattern or a directory's files have the suffix of Parquet."""
    from arraycoref.read import TABLES

    if path.lower().endswith(TABLES):
        return True
    return os.path.isdir(path) and any(n.lower().endswith(TABLES) for _, _, names in os.walk(path) for n in names)


def score_tables(
    key: str,
    response: str,
    tables: TableOptions,
    *,
    threads: int,
    progress: Callable[[int, int], None] | None,
    **options: Any,
) -> BatchScores:
    """Score Parquet tables; ``options`` are metrics and policies of `arraycoref.api`."""
    names = [name.strip() for name in tables.columns.split(",")]
    if len(names) not in (2, 3) or not all(names):
        raise click.UsageError(f"--columns is {tables.columns!r}; expected DOCUMENT,MENTION,LABEL or MENTION,LABEL")
    document = names[0] if len(names) == 3 else None
    mention, label = names[-2].split("+"), names[-1]
    options |= {"document": document, "mention": mention, "label": label, "progress": progress}
    if tables.engine == "memory":
        from arraycoref.interop.parquet import score_parquet

        return score_parquet(key, response, threads=threads, **options)
    from arraycoref.dask.api import score_table
    from arraycoref.dask.tasks import connected

    with connected(tables.scheduler, threads) as client:
        scores: BatchScores = score_table(key, response, client=client, **options)
        return scores
