"""Run ``arraycoref compare KEY A B C...``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import main, refuse_without, warn, write_output
from arraycoref.cli.runs import named, on_shared_documents, split_name, system_name
from arraycoref.options import FileOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arraycoref.scoring.scores import BatchScores
    from arraycoref.stats.ranking import Comparison
    from arraycoref.sweeps import Sweep


@main.command()
@click.argument("key")
@click.argument("responses", nargs=-1, required=True, metavar="RESPONSE...")
@click.option("--metric", default="conll", metavar="NAME", help="Rank systems by this metric.")
@shared.field
@click.option("--macro", is_flag=True, help="Compare means over documents instead of corpus scores.")
@click.option("--baseline", metavar="NAME", help="Test all others against this system.  [default: test all pairs]")
@shared.testing
@shared.sampling_options()
@shared.pool
@shared.options_of(FileOptions)
@shared.output_options()
@click.option("--plot", metavar="FILE", help="Draw a figure too: FILE.png, FILE.svg or FILE.pdf.")
@shared.choice(
    "--plot-kind",
    "scores",
    "differences",
    "correlation",
    help="Draw scores with intervals; differences per document of the two best systems, or of the baseline and the "
    "best other system; or the correlation of all metrics over systems.",
)
def compare(
    *,
    key: str,
    responses: tuple[str, ...],
    metric: str,
    macro: bool,
    resamples: int,
    pool: str | None,
    group: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    plot: str | None,
    plot_kind: str,
    **options: Any,
) -> None:
    """Rank each RESPONSE against the file KEY, with confidence intervals and significance tests.

    A system is named like its file, without suffixes, or by its path where two files have the same name; NAME=PATH
    gives it another name. With --pool seed, the files system=x,seed=1.conll and system=x,seed=2.conll are one system x,
    and its score is computed from the sums over all of its files; --group finds system and seed in names of other
    forms. With --missing-documents skip, systems are ranked on the documents that all of them have.
    """
    import arraycoref
    from arraycoref.stats.ranking import compare as compare_runs

    if plot is None:
        refuse_without("--plot", "plot_kind")
    systems = named(responses)
    if (key, *systems.values()).count("-") > 1:
        raise click.UsageError("standard input is read once; expected one - among KEY and RESPONSES at most")
    metric = metric.lower()
    correlates = plot is not None and plot_kind == "correlation"
    wanted = (*arraycoref.DEFAULT_METRICS, metric) if correlates else metric
    reading = {name: options.pop(name) for name in FileOptions.__annotations__ if name in options}
    swept = arraycoref.sweep_files(key, systems, metrics=wanted, report=partial(warn, quiet), **reading)
    shared_by_all = on_shared_documents(key, swept)
    runs = dict(zip(systems, shared_by_all.values(), strict=True))
    if pool is not None or group is not None:
        runs = grouped(shared_by_all, responses, pool, group)
    options |= {"average": "macro" if macro else "micro", "resamples": resamples, "threads": reading["threads"]}
    c = compare_runs(runs, metric=metric, **options)
    pooled = (f"each system is the sum of {len(systems) // len(runs)} responses",) if pool is not None else ()
    c = replace(c, notes=c.notes + shared_by_all.notes + pooled)
    write_output(c.render(output_format), output)
    if plot is not None:
        from arraycoref.stats.figures import save_figure

        save_figure(draw(runs, c, plot_kind), plot)


def grouped(swept: Sweep, responses: tuple[str, ...], over: str | None, group: str | None) -> dict[str, BatchScores]:
    """Name systems by the parameters of their responses, and add up responses that differ in one parameter only.

    Args:
        swept: the scores of each response.
        responses: paths that show the parameters, or ``NAME=PATH``, where the name shows them.
        over: the parameter in which responses of one system differ; None to add up nothing.
        group: a regular expression that finds the parameters.

    Raises:
        InputError: names without parameters, or a system with fewer responses than another.
    """
    from arraycoref.scoring.runs import pool
    from arraycoref.sweeps.files import settings_of

    settings = settings_of([name or path for name, path in map(split_name, responses)], group)
    found = replace(swept, settings=tuple(settings))
    found = found if over is None else pool(found, over)
    return {system_name(setting): b for setting, b in found.items()}


def draw(runs: dict[str, BatchScores], c: Comparison, kind: str) -> Figure:
    """Draw the figure of a kind, one of the values of ``--plot-kind``.

    Raises:
        click.UsageError: differences, where there is only one system.
    """
    from arraycoref.stats.figures import plot_correlation, plot_differences, plot_scores

    if kind == "scores":
        return plot_scores(c)
    if kind == "correlation":
        from arraycoref.stats.correlation import correlate

        return plot_correlation(correlate(runs, average=c.average), against=c.metric, field=c.field)
    others = [s.name for s in c.systems if s.name != c.reference]
    if not others:
        raise click.UsageError("--plot-kind differences needs two systems")
    pair = (others[0], c.reference) if c.baseline else (c.reference, others[0])
    return plot_differences(runs[pair[0]], runs[pair[1]], metric=c.metric, field=c.field, names=pair)
