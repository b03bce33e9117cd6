"""Score tables in Parquet or text files, and define the options that ``arraycoref score`` has for tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arraycoref.cli import options as shared
from arraycoref.cli.group import refuse_without
from arraycoref.options import OPTIONS, ReadOptions

if TYPE_CHECKING:
    from arraycoref.scoring.scores import BatchScores

table_options = shared.together(
    click.option(
        "--columns",
        default="document,mention,label",
        metavar="NAMES",
        help="Read these columns of tables; start+end: columns that make one mention; MENTION,LABEL: one document.",
    ),
    click.option(
        "--frame",
        type=float,
        default=0.01,
        metavar="SECONDS",
        help="Cut RTTM into frames this long.",
    ),
    shared.choice("--engine", "memory", "dask", help="Score Parquet tables in memory, or in parts with Dask."),
    click.option(
        "--scheduler", metavar="ADDRESS", help="Use this Dask cluster, tcp://host:port.  [default: none, but --threads]"
    ),
)

NAMES = {"parquet": "a Parquet table", "text": "a table of text", None: "no table"}


def kind_of_tables(key: str, response: str, pairs: bool, options: Mapping[str, Any]) -> str | None:
    """Return the kind of both sides: ``parquet`` or ``text`` for tables, None for documents.

    Where one side is a table of text and the other is not, both are read as tables if ``--columns`` or ``--frame`` is
    typed, otherwise as documents.

    Args:
        key: path of the key.
        response: path of the response.
        pairs: whether ``--pairs`` is given; pairs are documents.
        options: the command's options, among them the format of each side, the engine and its scheduler.

    Raises:
        UsageError: sides of two kinds, or options that do not apply to their kind.
    """
    from arraycoref.files import reading
    from arraycoref.read.table_shapes import tables_of

    engine, scheduler = options["engine"], options["scheduler"]
    if pairs and (engine == "dask" or scheduler is not None or options["format"] == "parquet"):
        raise click.UsageError("--pairs takes files of documents; expected no Parquet tables, and no --engine dask")
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler needs --engine dask")
    formats = [reading(options, side).get("format") for side in ("key", "response")]
    if engine == "dask":
        other = next((format for format in formats if format not in (None, "parquet")), None)
        if other is not None:
            raise click.UsageError(f"--engine dask reads Parquet tables, not --input-format {other}")
        refuse_without("RTTM", "frame")
        return "parquet"
    kinds = [None if pairs else tables_of(*side) for side in zip((key, response), formats, strict=True)]
    source = click.get_current_context().get_parameter_source
    typed = [name for name in ("columns", "frame") if source(name) is ParameterSource.COMMANDLINE]
    if set(kinds) == {"text", None}:
        return "text" if typed else None
    if kinds[0] != kinds[1]:
        one, other = (NAMES[kind] for kind in kinds)
        raise click.UsageError(f"the key is {one} and the response is {other}; expected two of a kind")
    if kinds[0] == "parquet":
        refuse_without("RTTM", "frame")
    if kinds[0] is None and typed:
        refuse_without("tables with one row per mention", *typed)
    return kinds[0]


def score_tables(
    key: str, response: str, kind: str, columns: str, frame: float, engine: str, scheduler: str | None, **options: Any
) -> BatchScores:
    """Score two tables of one kind; ``options`` are those of `arraycoref.score_files`, other arguments are as typed."""
    from arraycoref.files import reading

    given = {name: options.pop(name) for name in (*ReadOptions.__annotations__, "tokens") if name in options}
    options |= {name: given.pop(name) for name in ("max_bytes", "report")}
    changed = {name for name, value in given.items() if value != OPTIONS[name].default}
    if changed - {"format", "key_format", "response_format"}:
        raise click.UsageError("tables have neither --column, --lenient nor other options for documents")
    names = [name.strip() for name in columns.split(",")]
    if len(names) not in (2, 3) or not all(names):
        raise click.UsageError(f"--columns is {columns!r}; expected DOCUMENT,MENTION,LABEL or MENTION,LABEL")
    document = names[0] if len(names) == 3 else None
    mention = names[-2].split("+")
    options |= {"document": document, "mention": mention, "label": names[-1]}
    if kind == "text":
        from arraycoref.interop.table_files import score_table_files

        ours, theirs = (reading(given, side).get("format") for side in ("key", "response"))
        options |= {"key_format": ours, "response_format": theirs, "frame": frame}
        return score_table_files(key, response, **options)
    if engine == "memory":
        from arraycoref.interop.parquet import score_parquet

        return score_parquet(key, response, **options)
    from arraycoref.interop.dask.api import score_table
    from arraycoref.interop.dask.tasks import connected

    with connected(scheduler, options.pop("threads")) as client:
        scores: BatchScores = score_table(key, response, client=client, **options)
        return scores
