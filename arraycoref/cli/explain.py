"""Run ``arraycoref explain METRIC KEY RESPONSE``: how a metric scores one document, in fractions."""

from __future__ import annotations

from typing import Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.errors import analyzed
from arraycoref.cli.main import examples, main, write_report
from arraycoref.options import FileOptions


@main.command(
    usual="document profile beta output_format output",
    epilog=examples(
        "explain muc key.conll response.conll",
        "explain b3 key.conll response.conll --format markdown",
        "explain ceafe key.conll response.conll --output ceafe.txt",
    ),
)
@click.argument("metric")
@click.argument("key")
@click.argument("response")
@click.option("--document", metavar="NAME", help="Explain this document.  [default: the worst by METRIC]")
@shared.options_of(FileOptions)
@shared.output_options()
def explain(
    *,
    metric: str,
    key: str,
    response: str,
    document: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Work out the score of a document in fractions.

    METRIC is muc, bcub, ceafm, ceafe, blanc, lea or pairwise. What is printed: the entities of both sides; their
    parts, mentions, alignment or links; and the lines that compute recall, precision and F from these.
    """
    analysis = analyzed(key, (response,), None, quiet, options | {"spans": "none"})
    write_report(analysis.explain(metric, document), output_format, output)
