"""Score files of tables, Parquet or text: the options of ``arraycoref score`` for them, and what they ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        help="Read these columns of tables; several that make a mention as start+end; two for one document.",
    ),
    click.option(
        "--frame",
        type=float,
        default=0.01,
        show_default=True,
        metavar="SECONDS",
        help="Cut RTTM into frames this long.",
    ),
    shared.choice("--engine", "memory", "dask", help="Score Parquet tables at once, or in parts on Dask."),
    click.option(
        "--scheduler", metavar="ADDRESS", help="Use this Dask cluster, tcp://host:port.  [default: --threads]"
    ),
)

NAMES = {"parquet": "a Parquet table", "text": "a table of text", None: "no table"}


def kind_of_tables(
    key: str, response: str, formats: Sequence[str | None], engine: str, scheduler: str | None
) -> str | None:
    """Say what tables the sides are: ``parquet``, ``text`` (one of them at least), or None for documents.

    Args:
        key: path of the key.
        response: path of the response.
        formats: that of the key and that of the response, None for what the suffix says.
        engine: as typed.
        scheduler: as typed.

    Raises:
        UsageError: sides of two kinds, or options that say otherwise.
    """
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler needs --engine dask")
    if engine == "dask":
        other = next((format for format in formats if format not in (None, "parquet")), None)
        if other is not None:
            raise click.UsageError(f"--engine dask reads Parquet tables, not --input-format {other}")
        return "parquet"
    kinds = [_kind(path, format) for path, format in zip((key, response), formats, strict=True)]
    if set(kinds) == {"text", None}:
        return "text"
    if kinds[0] != kinds[1]:
        one, other = (NAMES[kind] for kind in kinds)
        raise click.UsageError(f"the key is {one} and the response is {other}; expected two of a kind")
    return kinds[0]


def _kind(path: str, format: str | None) -> str | None:
    from arraycoref.read.parquet import holds_documents
    from arraycoref.tables.suffixes import FORMATS, tables_of

    if format is not None:
        return "parquet" if format == "parquet" else "text" if format in FORMATS else None
    found = tables_of(path)
    return None if found == "parquet" and holds_documents(path) else found


def score_tables(
    key: str, response: str, columns: str, frame: float, engine: str, scheduler: str | None, kind: str, **options: Any
) -> BatchScores:
    """Score tables; ``options`` are those of `arraycoref.score_files`."""
    reading = {name: options.pop(name) for name in (*ReadOptions.__annotations__, "tokens") if name in options}
    options["max_bytes"] = reading.pop("max_bytes", None)
    formats = formats_of(reading)
    asked = {name for name, value in reading.items() if value != OPTIONS[name].default}
    if asked - {"format", "key_format", "response_format"}:
        raise click.UsageError("tables have neither --column, --lenient nor other options for documents")
    names = [name.strip() for name in columns.split(",")]
    if len(names) not in (2, 3) or not all(names):
        raise click.UsageError(f"--columns is {columns!r}; expected DOCUMENT,MENTION,LABEL or MENTION,LABEL")
    document = names[0] if len(names) == 3 else None
    mention = names[-2].split("+")
    options |= {"document": document, "mention": mention, "label": names[-1]}
    if kind == "text":
        from arraycoref.interop.table_files import score_table_files

        return score_table_files(
            key, response, key_format=formats[0], response_format=formats[1], frame=frame, **options
        )
    if engine == "memory":
        from arraycoref.interop.parquet import score_parquet

        return score_parquet(key, response, **options)
    from arraycoref.dask.api import score_table
    from arraycoref.dask.tasks import connected

    with connected(scheduler, options.pop("threads")) as client:
        scores: BatchScores = score_table(key, response, client=client, **options)
        return scores


def formats_of(options: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the formats that are asked for, of the key and of the response."""
    both = options.get("format")
    return options.get("key_format") or both, options.get("response_format") or both
