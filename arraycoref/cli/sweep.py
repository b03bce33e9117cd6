"""``arraycoref sweep KEY 'runs/*/out.conll'``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from arraycoref.cli.messages import progress_bar, warn_of
from arraycoref.cli.output import write_output
from arraycoref.cli.score import documents_format, score
from arraycoref.report.formats import FORMATS

SHARED = (
    "metrics",
    "duplicates",
    "missing_documents",
    "extra_documents",
    "singletons",
    "beta",
    "threads",
    "column",
    "lenient",
    "max_bytes",
    "output",
    "quiet",
    "progress",
)
"""Options that mean here what they mean to ``score``."""


@click.command()
@click.argument("key")
@click.argument("responses", nargs=-1, required=True, metavar="RUNS...")
@click.option("--metric", metavar="NAME", help="What settings are ranked by.  [default: conll, or the first metric]")
@click.option("--field", type=click.Choice(["recall", "precision", "f1"]), default="f1", show_default=True)
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True
)
@click.option("--resamples", type=click.IntRange(min=1), default=2000, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Same seed, same numbers.")
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Print the best N settings.  [default: all]")
@click.option(
    "--profile",
    type=click.Choice(["paper", "conll"]),
    default="paper",
    show_default=True,
    help="Conventions: of the papers, or of the reference scorer 8.01.",
)
@click.option("--save", metavar="FILE.npz", help="Keep the counts; runs that the file holds are not read again.")
@documents_format
@click.option("--format", "output_format", type=click.Choice(list(FORMATS)), default="table", show_default=True)
@click.option("--plot", metavar="FILE", help="Draw the metric against a parameter: FILE.png, FILE.svg or FILE.pdf.")
@click.option("--parameter", metavar="NAME", help="Of the plot.  [default: the only one whose numbers differ]")
@click.option("--log", is_flag=True, help="Draw the parameter on a logarithmic axis.")
def sweep(
    *,
    key: str,
    responses: tuple[str, ...],
    metric: str | None,
    field: str,
    confidence: float,
    resamples: int,
    seed: int,
    top: int | None,
    profile: str,
    save: str | None,
    output_format: str,
    plot: str | None,
    parameter: str | None,
    log: bool,
    **shared: Any,
) -> None:
    """Score the file KEY against many RUNS, and rank these.

    RUNS are files or directories, a run each, or one quoted glob whose matches are the runs. Parameters in their paths,
    as in runs/lr=0.1,seed=3/out.conll, name the settings. Marked are the best run, *, and the runs that do not differ
    significantly from it, =. With --missing-documents skip, runs are ranked on the documents that all of them have.
    """
    from arraycoref.sweeps.files import sweep_files
    from arraycoref.sweeps.report import SweepReport

    if plot is not None:
        from arraycoref.plot.style import check_suffix

        check_suffix(plot)
    output, quiet, input_format, metrics, progress = (
        shared.pop(name) for name in ("output", "quiet", "input_format", "metrics", "progress")
    )
    metric = None if metric is None else metric.lower()
    with progress_bar(progress, quiet, "runs") as show:
        found = sweep_files(
            key,
            responses[0] if len(responses) == 1 else responses,
            metrics=_with(metrics, metric),
            profile=profile,
            format=input_format,
            report=warn_of(quiet),
            progress=show,
            checkpoint=save,
            **shared,
        )
    ranked = found.on_shared_documents()
    best = ranked.best(metric, field, confidence=confidence, resamples=resamples, seed=seed, threads=shared["threads"])
    best = replace(best, notes=best.notes + found.left_out(ranked))
    if plot is not None:
        from arraycoref.plot import save_figure

        figure = ranked.plot(
            best.metric, field, parameter=parameter, confidence=confidence, resamples=resamples, seed=seed, log=log
        )
        save_figure(figure, plot)
    write_output(SweepReport(ranked, best, top).render(output_format), output)


sweep.params += [option for option in score.params if option.name in SHARED]


def _with(metrics: tuple[str, ...], metric: str | None) -> tuple[str, ...] | None:
    """Return the metrics to score: the default ones, and the one that ranks if it is not among them."""
    from arraycoref.metrics import DEFAULT_METRICS

    if not metrics:
        return None if metric is None or metric in DEFAULT_METRICS else (*DEFAULT_METRICS, metric)
    return metrics if metric is None or metric in metrics else (*metrics, metric)
