"""``arraycoref compare KEY A B C...``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli.messages import warn_of
from arraycoref.cli.output import write_output
from arraycoref.cli.score import documents_format, score
from arraycoref.report.formats import FORMATS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arraycoref.results import BatchScores
    from arraycoref.stats.comparison import Comparison

PLOTS = ("scores", "differences", "correlation")
SHARED = (
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
)
"""Options that mean here what they mean to ``score``."""


@click.command()
@click.argument("key")
@click.argument("responses", nargs=-1, required=True, metavar="RESPONSE...")
@click.option("--metric", default="conll", show_default=True, metavar="NAME", help="What systems are ranked by.")
@click.option("--field", type=click.Choice(["recall", "precision", "f1"]), default="f1", show_default=True)
@click.option("--macro", is_flag=True, help="Compare means over documents in place of corpus scores.")
@click.option("--baseline", metavar="NAME", help="Test all others against this system.  [default: test all pairs]")
@click.option(
    "--test",
    type=click.Choice(["randomisation", "bootstrap"]),
    default="randomisation",
    show_default=True,
    help="Approximate randomisation or paired bootstrap, two-sided.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bh", "none"]),
    default="holm",
    show_default=True,
    help="Of p-values for many tests; bh: Benjamini-Hochberg.",
)
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True)
@click.option(
    "--interval",
    "method",
    type=click.Choice(["percentile", "basic", "bca"]),
    default="bca",
    show_default=True,
    help="Kind of bootstrap interval.",
)
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True
)
@click.option("--resamples", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Same seed, same numbers.")
@click.option(
    "--profile",
    type=click.Choice(["paper", "conll"]),
    default="paper",
    show_default=True,
    help="Conventions: of the papers, or of the reference scorer 8.01.",
)
@documents_format
@click.option("--format", "output_format", type=click.Choice(list(FORMATS)), default="table", show_default=True)
@click.option("--plot", metavar="FILE", help="Draw a figure too: FILE.png, FILE.svg or FILE.pdf.")
@click.option(
    "--plot-kind",
    type=click.Choice(PLOTS),
    default="scores",
    show_default=True,
    help="Scores with intervals; documents' differences of the first two in rank, or of the first and the baseline; "
    "correlation of all metrics over systems.",
)
def compare(
    *,
    key: str,
    responses: tuple[str, ...],
    metric: str,
    field: str,
    macro: bool,
    baseline: str | None,
    test: str,
    correction: str,
    alpha: float,
    method: str,
    confidence: float,
    resamples: int,
    seed: int,
    profile: str,
    output_format: str,
    plot: str | None,
    plot_kind: str,
    **shared: Any,
) -> None:
    """Rank each RESPONSE against the file KEY, with confidence intervals and significance tests.

    A system is called as its file is, without suffixes, or by its path where two files have one name; NAME=PATH names
    it otherwise. With --missing-documents skip, systems are ranked on the documents that all of them have.
    """
    import arraycoref
    from arraycoref.stats.ranking import compare as compare_runs

    if plot is not None:
        from arraycoref.plot.style import check_suffix

        check_suffix(plot)
    systems = named(responses)
    if (key, *systems.values()).count("-") > 1:
        raise click.UsageError("standard input is read once; expected one - among KEY and RESPONSES at most")
    metric = metric.lower()
    output, quiet, input_format = (shared.pop(name) for name in ("output", "quiet", "input_format"))
    every_metric = plot is not None and plot_kind == "correlation"
    swept = arraycoref.sweep_files(
        key,
        systems,
        metrics=None if every_metric and metric in arraycoref.DEFAULT_METRICS else metric,
        profile=profile,
        format=input_format,
        report=warn_of(quiet),
        **shared,
    )
    shared_by_all = swept.on_shared_documents()
    runs = dict(zip(systems, shared_by_all, strict=True))
    c = compare_runs(
        runs,
        metric=metric,
        field=field,
        average="macro" if macro else "micro",
        baseline=baseline,
        test=test,
        correction=correction,
        alpha=alpha,
        method=method,
        confidence=confidence,
        n_resamples=resamples,
        seed=seed,
        threads=shared["threads"],
    )
    c = replace(c, notes=c.notes + swept.left_out(shared_by_all))
    if plot is not None:
        from arraycoref.plot import save_figure

        save_figure(draw(runs, c, plot_kind), plot)
    write_output(c.render(output_format), output)


compare.params += [option for option in score.params if option.name in SHARED]


def named(responses: tuple[str, ...]) -> dict[str, str]:
    """Give each response a name of its own.

    Args:
        responses: paths, or ``NAME=PATH``.

    Raises:
        click.UsageError: two systems of one name.
    """
    given = [_split(response) for response in responses]
    stems = [name or Path(path).name.split(".")[0] or path for name, path in given]
    names = [stem if name or stems.count(stem) == 1 else path for (name, path), stem in zip(given, stems, strict=True)]
    for name in names:
        if names.count(name) > 1:
            raise click.UsageError(f"two systems are named {name!r}; name them apart with NAME=PATH")
    return {name: path for name, (_, path) in zip(names, given, strict=True)}


def _split(response: str) -> tuple[str, str]:
    name, equals, path = response.partition("=")
    return (name, path) if equals and name and path and not Path(response).exists() else ("", response)


def draw(runs: dict[str, BatchScores], c: Comparison, kind: str) -> Figure:
    """Draw one of `PLOTS`.

    Raises:
        click.UsageError: a figure of differences of one system.
    """
    from arraycoref.plot import plot_correlation, plot_differences, plot_scores

    if kind == "scores":
        return plot_scores(c)
    if kind == "correlation":
        from arraycoref.stats.correlation import correlate

        return plot_correlation(correlate(runs), field=c.field)
    others = [s.name for s in c.systems if s.name != c.reference]
    if not others:
        raise click.UsageError("--plot-kind differences needs two systems")
    pair = (others[0], c.reference) if c.baseline else (c.reference, others[0])
    return plot_differences(runs[pair[0]], runs[pair[1]], metric=c.metric, field=c.field, names=pair)
