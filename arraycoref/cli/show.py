"""Run ``arraycoref show`` and ``report``: what went wrong in documents, in the terminal and as a page of HTML."""

from __future__ import annotations

import os
import shutil
from typing import Any

import click

from arraycoref.cli import options as cli
from arraycoref.cli.errors import analyzed, findings_with_commands
from arraycoref.cli.main import is_colored, is_terminal, warn, write_output
from arraycoref.cli.systems import annotators_of, sides_of
from arraycoref.exceptions import ReadError
from arraycoref.options import FileOptions

SENTENCES, WORST = 12, 3
"""How many sentences of how many documents are shown if none is named."""

BY_SCORE = "The worst documents are those with the lowest of this score.  [default: conll]"


@cli.command(
    usual="worst max_sentences color sort spans profile output",
    examples=(
        "show key.conll response.conll",
        "show key.conll response.conll --worst 10 --sort muc.recall",
        "show key.conll response.conll --color always --output errors.txt",
    ),
    takes=(FileOptions,),
)
def show(
    key: str,
    response: str,
    documents: tuple[str, ...] = cli.argument("[DOCUMENT]...", nargs=-1, not_with=("worst", "sort")),
    *,
    worst: int = cli.option(
        type=cli.AT_LEAST_ONE, default=WORST, metavar="N", help="Show the N worst, if no DOCUMENT is named."
    ),
    max_sentences: int | None = cli.option(
        "--sentences",
        type=click.IntRange(min=0),
        metavar="N",
        help=f"Show the first N sentences with errors of each document, 0 for all.  [default: {SENTENCES}; of a "
        "DOCUMENT, all]",
    ),
    color: str = cli.choice("auto", "always", "never", help="Use colors; auto: in a terminal, unless NO_COLOR is set."),
    sort: str | None = cli.text("NAME[.FIELD]", BY_SCORE),
    spans: str | None = cli.SPANS,
    pronouns: bool = cli.PRONOUNS,
    records: str | None = cli.RECORDS,
    bridging: bool = cli.flag("Show bridging links: [the door]k2→k1 is an anaphor of entity k1."),
    output: str | None = cli.option(type=cli.TARGET, metavar="FILE", help="Write to FILE.  [default: standard output]"),
    quiet: bool = cli.QUIET,
    **options: Any,
) -> None:
    """Show sentences with errors, key above response.

    Each mention is in brackets, with the number of its entity after it and a sign for each error before it. Sentences
    without errors are left out. Without DOCUMENT, the worst documents are shown. For records and other data without
    text, it shows the entities that lose most. `show PROJECT ANNA BEN` compares two annotators of a project, as
    `arraycoref agree` finds them; Anna is the key.
    """
    of_project = annotators_of(key, (response, *documents[:1]), options)
    documents = documents[1:] if of_project else documents
    sides = of_project or sides_of(key, (response,), None, options)
    own = {"spans": spans, "pronouns": pronouns, "records": records, "bridging": bridging}
    analysis = analyzed(sides, options | own)
    max_sentences = (0 if documents else SENTENCES) if max_sentences is None else max_sentences
    made = analysis.show(*documents, worst=worst, sort=sort, max_sentences=max_sentences)
    colored = color == "always" or (color == "auto" and is_terminal(output) and is_colored())
    width = shutil.get_terminal_size().columns if is_terminal(output) or "COLUMNS" in os.environ else 0
    write_output(made.text(width, colors=colored), output)


@cli.command(
    usual="worst sort spans profile output",
    examples=(
        "report key.conll response.conll --output report.html",
        "report key.conll a.conll b.conll --output report.html",
        "report project/ anna bo --output report.html",
    ),
    takes=(FileOptions,),
)
def report(
    key: str,
    response: str,
    second: str | None = cli.argument("[RESPONSE2]", required=False),
    *,
    output: str = cli.option(type=cli.TARGET, required=True, metavar="FILE", help="Write the page to FILE."),
    names: str | None = cli.text("NAME,...", "Show the key and the responses under these names."),
    words: bool = cli.option(
        "--words/--no-words", default=True, help="Write the words into the page, or only their numbers."
    ),
    worst: int | None = cli.number("N", "Write only the N worst documents."),
    sort: str | None = cli.text("NAME[.FIELD]", BY_SCORE, needs=["worst"]),
    spans: str | None = cli.SPANS,
    pronouns: bool = cli.PRONOUNS,
    records: str | None = cli.RECORDS,
    quiet: bool = cli.QUIET,
    **options: Any,
) -> None:
    """Write a page of HTML that shows every error in its text.

    The page is one file, which needs no network. It lists the documents by any score, or by the difference of two
    responses; shows their sentences, or the entities of records, with a sign for each error; and has filters, keys and
    addresses of documents and entities (#document/k3) that can be sent to others. `report PROJECT ANNA BEN` compares
    two annotators of a project, as `arraycoref agree` finds them; Anna is the key.
    """
    from arraycoref.analysis.page import LARGE

    responses = (response, second) if second else (response,)
    sides = sides_of(key, responses, None, options)
    analysis = analyzed(sides, options | {"spans": spans, "pronouns": pronouns, "records": records})
    called = [*sides.typed[1:], *sides.words(range(len(sides.named)))] if len(sides.typed) > 1 else None
    called = called if names is None else [name.strip() for name in names.split(",")]
    findings = findings_with_commands(analysis, sides)
    size = analysis.save_html(output, names=called, words=words, worst=worst or 0, sort=sort, findings=findings)
    if size > LARGE:
        reason = f"{size / 1e6:.0f} MB, which browsers open slowly; --worst N and --no-words make it smaller"
        warn(ReadError(output, None, reason))
