"""``arraycoref convert IN OUT``."""

from __future__ import annotations

import click

from arraycoref.cli.messages import warn_of


@click.command()
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--from", "source_format", metavar="NAME", help="conll or jsonlines.  [default: by suffix]")
@click.option("--to", "target_format", metavar="NAME", help="conll or jsonlines.  [default: by suffix]")
@click.option(
    "--side",
    type=click.Choice(["key", "response"]),
    default="key",
    show_default=True,
    help="Which clusters of a file that holds both.",
)
@click.option("--column", type=int, help="Coreference column, from 1, or from -1 at the right.  [default: the last]")
@click.option("--lenient", is_flag=True, help="Warn of faults in the file and go on.")
@click.option(
    "--max-bytes", type=click.IntRange(min=1), metavar="N", help="Refuse a file that holds more, decompressed."
)
@click.option("--quiet", is_flag=True, help="No warnings.")
def convert(
    *,
    source: str,
    target: str,
    source_format: str | None,
    target_format: str | None,
    side: str,
    column: int | None,
    lenient: bool,
    max_bytes: int | None,
    quiet: bool,
) -> None:
    """Convert the file IN to the file OUT of another format; either may be - for standard input or output."""
    from arraycoref.read import read_documents
    from arraycoref.write import write_documents

    documents = read_documents(
        source,
        side=side,
        format=source_format,
        column=column,
        lenient=lenient,
        report=warn_of(quiet),
        max_bytes=max_bytes,
    )
    write_documents(documents, target, format=target_format)
