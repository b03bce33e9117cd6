"""Run ``arraycoref convert IN OUT``."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.group import Command
from arraycoref.cli.output import warn
from arraycoref.errors import UnknownNameError


@click.command(cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--from",
    "format",
    metavar="NAME",
    help="Read IN as conll or jsonlines, or as JSON or a table of this tool.  [default: by suffix]",
)
@click.option("--to", "target_format", metavar="NAME", help="Write OUT as conll or jsonlines.  [default: by suffix]")
@shared.choice("--side", "key", "response", help="Take the clusters of this side from a file that holds both.")
@shared.option("unit", help="Read positions in JSON as numbers of words, subtokens or characters.")
@shared.option("end", help="Take the ends of mentions in JSON as inclusive or exclusive.")
@shared.option("clusters_field", help="Read the clusters in this field of JSON.")
@shared.option("name_field", help="Read the documents' names in this field of JSON.")
@shared.option("column")
@shared.option("lenient")
@shared.option(
    "max_bytes",
    help="Refuse to read files of more bytes, decompressed, and to write more as CoNLL.  [default: for compressed IN "
    "and for CoNLL, 1 GiB, or 200 times the size of IN if that is more]",
)
@shared.quiet
def convert(*, source: str, target: str, target_format: str | None, quiet: bool, **options: Any) -> None:
    """Convert the file IN to the file OUT of another format; either may be - for standard input or output."""
    from arraycoref.files import read_some, reading
    from arraycoref.read.write import FORMATS, write_documents

    if target_format is not None and target_format not in FORMATS:
        raise UnknownNameError("--to", target_format, FORMATS)
    documents = read_some(source, reading(options | {"report": partial(warn, quiet)}, options["side"]))
    write_documents(documents, target, format=target_format, max_bytes=options["max_bytes"])
