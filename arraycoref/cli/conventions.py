"""Run ``arraycoref conventions KEY RESPONSE``: the scores under each convention, beside a published figure."""

from __future__ import annotations

from typing import Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import examples, main, warner, write_report
from arraycoref.options import FileOptions


@main.command(
    usual="published metrics profile output_format output",
    epilog=examples(
        "conventions key.conll response.conll",
        "conventions key.conll response.conll --published 61.2",
        "conventions key.conll response.conll --published muc.recall=65.3",
    ),
)
@click.argument("key")
@click.argument("response")
@shared.scored(
    "--published",
    multiple=True,
    metavar="[METRIC[.FIELD]=]POINTS",
    help="Print the rows that are consistent with this figure to its digits, in percent: 61.2, muc.recall=48.1. METRIC "
    "is conll by default, or the first of --metrics.",
)
@shared.metrics
@shared.options_of(FileOptions)
@shared.output_options()
def conventions(
    *,
    key: str,
    response: str,
    published: tuple[str, ...],
    metrics: tuple[str, ...],
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Score a response under each convention in use.

    The first row is what the options ask for. Each other one differs from it in a profile, a policy or an average that
    changes a number of this pair; its last cell has the options by which `arraycoref score` prints it. Ways that change
    nothing are counted below. A row that is consistent with a published figure need not be how it was made.
    """
    import arraycoref

    options |= {"metrics": ",".join(metrics) or None, "on_error": warner(quiet)}
    write_report(arraycoref.conventions(key, response, published=published, **options), output_format, output)
