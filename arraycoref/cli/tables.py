"""Score Parquet files of long tables: the options of ``arraycoref score`` for them, and what they ask for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.options import OPTIONS, ReadOptions

if TYPE_CHECKING:
    from arraycoref.results import BatchScores

table_options = shared.together(
    click.option(
        "--columns",
        default="document,mention,label",
        show_default=True,
        metavar="NAMES",
        help="Read these columns of Parquet tables; several that make a mention as start+end; two for one document.",
    ),
    shared.choice("--engine", "memory", "dask", help="Score Parquet tables at once, or in parts on Dask."),
    click.option(
        "--scheduler", metavar="ADDRESS", help="Use this Dask cluster, tcp://host:port.  [default: --threads]"
    ),
)


def are_tables(key: str, response: str, input_format: str | None, engine: str, scheduler: str | None) -> bool:
    """Whether the sides are Parquet tables.

    Raises:
        UsageError: only one of them is, or options that say otherwise.
    """
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler needs --engine dask")
    if engine == "dask" or input_format == "parquet":
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
    key: str, response: str, columns: str, engine: str, scheduler: str | None, **options: Any
) -> BatchScores:
    """Score Parquet tables; ``options`` are those of `arraycoref.score_files`."""
    reading = {name: options.pop(name) for name in (*ReadOptions.__annotations__, "tokens") if name in options}
    options["max_bytes"] = reading.pop("max_bytes", None)
    if any(value != OPTIONS[name].default for name, value in reading.items() if name != "format"):
        raise click.UsageError(
            "Parquet tables have neither --column, --lenient nor other options for files of documents"
        )
    names = [name.strip() for name in columns.split(",")]
    if len(names) not in (2, 3) or not all(names):
        raise click.UsageError(f"--columns is {columns!r}; expected DOCUMENT,MENTION,LABEL or MENTION,LABEL")
    document = names[0] if len(names) == 3 else None
    options |= {"document": document, "mention": names[-2].split("+"), "label": names[-1]}
    if engine == "memory":
        from arraycoref.interop.parquet import score_parquet

        return score_parquet(key, response, **options)
    from arraycoref.dask.api import score_table
    from arraycoref.dask.tasks import connected

    with connected(scheduler, options.pop("threads")) as client:
        scores: BatchScores = score_table(key, response, client=client, **options)
        return scores
