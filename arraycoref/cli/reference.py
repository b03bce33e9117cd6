"""Run ``arraycoref reference METRIC KEY RESPONSE [NAME]``: the command line and the output of the reference scorer."""

from __future__ import annotations

import click

from arraycoref.cli.main import examples, main, warner, write_output
from arraycoref.errors import UnknownNameError, first_names
from arraycoref.scoring.conll_format import METRICS


@main.command(
    epilog=examples(
        "reference all key.conll response.conll none",
        "reference muc key.conll response.conll",
        "reference blanc key.conll response.conll '(text/a); part 001'",
    )
)
@click.argument("metric", metavar="METRIC", type=click.Choice((*METRICS, "all"), case_sensitive=False))
@click.argument("key")
@click.argument("response")
@click.argument("name", required=False)
def reference(*, metric: str, key: str, response: str, name: str | None) -> None:
    """Score for programs that call the reference scorer.

    METRIC is muc, bcub, ceafm, ceafe, blanc or all. The output is that of scorer.pl 8.01. NAME is what a document has
    behind "#begin document", or its name; none prints the totals only. Without it, each document is printed too. As
    there, tokens are not compared, and a response document that is missing counts as empty.
    """
    import arraycoref

    metrics = METRICS if metric == "all" else (metric,)
    options = {"profile": "conll", "tokens": "ignore", "on_error": warner(quiet=False)}
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
