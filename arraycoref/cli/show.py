"""Run ``arraycoref show`` and ``report``: what went wrong in documents, in the terminal and as a page of HTML."""

from __future__ import annotations

import os
import shutil
from typing import Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.errors import analyzed
from arraycoref.cli.main import examples, is_coloured, is_terminal, main, refuse, write_output
from arraycoref.errors import check_name
from arraycoref.options import FileOptions

ROWS, WORST = 12, 3
"""How many rows of how many documents are shown if none is named."""

sides = shared.together(click.argument("key"), click.argument("response"))
order = shared.together(
    click.option("--sort", metavar="NAME[.FIELD]", help="Call documents the worst by this score.  [default: conll]"),
    shared.analyzing,
    shared.options_of(FileOptions),
)


@main.command(
    usual="worst rows colour sort spans profile output",
    epilog=examples(
        "show key.conll response.conll",
        "show key.conll response.conll --worst 10 --sort muc.recall",
        "show key.conll response.conll --colour always --output errors.txt",
    ),
)
@sides
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]...")
@click.option(
    "--worst", type=click.IntRange(min=1), default=WORST, metavar="N", help="Show the N worst, if no DOCUMENT is named."
)
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Show the first N sentences with errors of each document, 0 for all.  [default: {ROWS}; of a DOCUMENT, all]",
)
@shared.choice("--colour", "auto", "always", "never", help="Use colours; auto: in a terminal, unless NO_COLOR is set.")
@order
@click.option("--output", type=shared.TARGET, metavar="FILE", help="Write to FILE.  [default: standard output]")
@shared.quiet
def show(
    *,
    key: str,
    response: str,
    documents: tuple[str, ...],
    worst: int,
    rows: int | None,
    colour: str,
    sort: str | None,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Show sentences with errors, key above response.

    Each mention is in brackets, with the number of its entity behind and a sign for each error in front. Sentences
    without errors are left out. Without DOCUMENT, the worst documents are shown. Of records and other mentions without
    text, the entities are shown that lose most.
    """
    if documents:
        refuse("has no effect on a DOCUMENT", "worst", "sort")
    analysis = analyzed(key, (response,), None, quiet, options)
    for name in documents:
        check_name("document", name, analysis.documents)
    rows = (0 if documents else ROWS) if rows is None else rows
    shown = analysis.show(*documents, worst=worst, sort=sort, rows=rows)
    coloured = colour == "always" or (colour == "auto" and is_terminal(output) and is_coloured())
    width = shutil.get_terminal_size().columns if is_terminal(output) or "COLUMNS" in os.environ else 0
    write_output(shown.text(width, colours=coloured), output)


@main.command(
    usual="worst rows sort spans profile output",
    epilog=examples(
        "report key.conll response.conll --output report.html",
        "report key.conll a.conll b.conll --output report.html",
        "report anna.conll bo.conll --names anna,bo --output report.html",
    ),
)
@sides
@click.argument("second", required=False, metavar="[RESPONSE2]")
@click.option("--output", type=shared.TARGET, required=True, metavar="FILE", help="Write the page to FILE.")
@click.option("--names", metavar="NAME,...", help="Show the key and the responses under these names.")
@click.option("--words/--no-words", default=True, help="Write the words into the page, or only their numbers.")
@click.option("--worst", type=click.IntRange(min=1), metavar="N", help="Write only the N worst documents.")
@order
@shared.quiet
def report(
    *,
    key: str,
    response: str,
    second: str | None,
    output: str,
    names: str | None,
    words: bool,
    worst: int | None,
    sort: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Write a page of HTML that shows every error in its text.

    The page is one file, which needs no network. It lists the documents by any score, or by the difference of two
    responses; shows their sentences, or the entities of records, with a sign for each error; and has filters, keys and
    addresses of documents and entities (#document/k3) that can be sent to others.
    """
    if worst is None:
        refuse("needs --worst", "sort")
    responses = (response, second) if second else (response,)
    analysis = analyzed(key, responses, None, quiet, options)
    called = None if names is None else [name.strip() for name in names.split(",")]
    size = analysis.save_html(output, names=called, words=words, worst=worst or 0, sort=sort)
    from arraycoref.analysis.page import LARGE

    if size > LARGE and not quiet:
        reason = f"{output}: {size / 1e6:.0f} MB, which browsers open slowly; --worst N and --no-words make it smaller"
        click.echo(f"arraycoref: warning: {reason}", err=True)
