"""Run ``explain``, ``conventions`` and ``reference``: how a score comes about, and what other scorers print."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import arraycoref
from arraycoref.cli import options as cli
from arraycoref.cli.errors import analyzed
from arraycoref.cli.main import warner, write_output
from arraycoref.cli.systems import sides_of
from arraycoref.display.formats import Report
from arraycoref.exceptions import UnknownNameError, first_names
from arraycoref.options import FileOptions
from arraycoref.scoring.metrics.registry import OF_REFERENCE


@cli.reports(
    usual="document is_full profile beta output_format output",
    examples=(
        "explain muc key.conll response.conll",
        "explain b3 key.conll response.conll --format markdown",
        "explain ceafe key.conll response.conll --output ceafe.txt",
    ),
    takes=(FileOptions,),
)
def explain(
    metric: str,
    key: str,
    response: str,
    *,
    document: str | None = cli.text("NAME", "Explain this document.  [default: the worst by METRIC]"),
    is_full: bool = cli.flag("List entities without an error and whole texts, too.", "--all"),
    **options: Any,
) -> Report:
    """Show how a document's score is computed, step by step.

    METRIC is muc, bcub, ceafm, ceafe, blanc, lea or pairwise. It prints the score, the entities with errors on both
    sides, their pieces, mentions, alignment or links, and the lines that compute recall, precision and F.
    """
    sides = sides_of(key, (response,), None, options)
    return replace(analyzed(sides, options | {"spans": "none"}).explain(metric, document), is_full=is_full)


@cli.reports(
    usual="published is_full metrics profile output_format output",
    examples=(
        "conventions key.conll response.conll",
        "conventions key.conll response.conll --published 61.2",
        "conventions key.conll response.conll --published muc.recall=65.3",
    ),
    takes=(FileOptions,),
)
def conventions(
    key: str,
    response: str,
    *,
    published: tuple[str, ...] = cli.points(
        "Print the rows that agree with this percentage to its digits: 61.2, muc.recall=48.1. Default METRIC: conll, "
        "or the first of --metrics.",
        group=cli.SCORED,
    ),
    metrics: str | None = cli.METRICS,
    is_full: bool = cli.flag("Name the conventions that change nothing or do not apply, too.", "--all"),
    **options: Any,
) -> Report:
    """Find out which convention explains a published score.

    The first row is what the options ask for. Each other one differs from it in a profile, a policy or an average that
    changes a number of this pair; its last cell has the options by which `arraycoref score` prints it. Conventions that
    change nothing are counted below. A row that is consistent with a published figure need not be how it was made.
    """
    made = arraycoref.conventions(key, response, published=published, metrics=metrics, **options)
    return replace(made, is_full=is_full)


@cli.command(
    examples=(
        "reference all key.conll response.conll none",
        "reference muc key.conll response.conll",
        "reference blanc key.conll response.conll '(text/a); part 001'",
    )
)
def reference(
    metric: str = cli.argument("METRIC", type=click.Choice((*OF_REFERENCE, "all"), case_sensitive=False)),
    key: str = cli.argument("KEY"),
    response: str = cli.argument("RESPONSE"),
    name: str | None = cli.argument("[NAME]", required=False),
) -> None:
    """Drop-in replacement for the CoNLL reference scorer.

    METRIC is muc, bcub, ceafm, ceafe, blanc or all. The output is that of scorer.pl 8.01. NAME is the text after
    "#begin document", or the document's name; none prints the totals only. Without NAME, each document is printed too.
    As in that scorer, tokens are not compared, and a missing response document counts as empty.
    """
    metrics = OF_REFERENCE if metric == "all" else (metric,)
    options = {"profile": "conll", "tokens": "ignore", "on_error": warner()}
    scores = arraycoref.score_files(key, response, metrics=("mentions", *metrics), **options)  # type: ignore[arg-type]
    if name not in (None, "none"):
        headers = scores.headers or scores.names
        chosen = [d for d, names in enumerate(zip(headers, scores.names, strict=True)) if name in names]
        if not chosen:
            raise UnknownNameError("document", name, headers, first_names(headers))
        scores = scores[chosen]
    for note in scores.notes:
        click.echo(f"arraycoref: warning: {note}", err=True)
    write_output(scores.render("conll", per_document=name != "none"))
