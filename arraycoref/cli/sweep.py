"""Run ``arraycoref sweep KEY 'runs/*/out.conll'``."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import main, progress_bar, refuse_without, warn, write_output
from arraycoref.options import FileOptions
from arraycoref.scoring.metrics.registry import resolve_metrics

AXES = ("parameter", "by", "over", "log")
"""Arguments of `arraycoref.sweeps.Sweep.plot` whose options have no effect without ``--plot``."""


@main.command()
@click.argument("key")
@click.argument("responses", nargs=-1, required=True, metavar="RUNS...")
@shared.metrics
@click.option(
    "--metric", metavar="NAME", help="Rank settings by this metric.  [default: conll, or the first of --metrics]"
)
@shared.field
@shared.sampling_options(default=2000)
@shared.pool
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Print the best N settings.  [default: all]")
@shared.options_of(FileOptions)
@click.option("--save", metavar="FILE.npz", help="Keep the counts in FILE, for arraycoref.load_sweep.")
@shared.output_options()
@shared.progress
@click.option("--plot", metavar="FILE", help="Draw the metric against a parameter: FILE.png, FILE.svg or FILE.pdf.")
@click.option(
    "--parameter", metavar="NAME", help="Draw against this parameter.  [default: the only one whose numbers differ]"
)
@click.option("--by", metavar="NAME", help="Draw a line for each value of this parameter.")
@click.option("--over", metavar="NAME", help="Draw the mean over this parameter, such as the seed.")
@click.option("--log", is_flag=True, help="Draw the parameter on a logarithmic axis.")
def sweep(
    *,
    key: str,
    responses: tuple[str, ...],
    metrics: tuple[str, ...],
    metric: str | None,
    field: str,
    pool: str | None,
    top: int | None,
    save: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool | None,
    plot: str | None,
    **options: Any,
) -> None:
    """Score many RUNS against the file KEY, and rank the runs.

    RUNS are files or directories, each of them a run; or one directory, whose files and directories are the runs; or
    one quoted glob, whose matches are the runs. Parameters in the paths, as in runs/lr=0.1,seed=3/out.conll, name the
    settings of the runs; --group finds them in paths of other forms. The best run is marked *, and runs that do not
    differ significantly from it are marked =. With --missing-documents skip, runs are ranked on the documents that all
    of them have.
    """
    from arraycoref.scoring.runs import pool as pool_runs
    from arraycoref.sweeps.files import sweep_files
    from arraycoref.sweeps.report import SweepReport

    if plot is None:
        refuse_without("--plot", *AXES)
    axes = {name: options.pop(name) for name in AXES}
    sampling = {name: options.pop(name) for name in ("confidence", "resamples", "seed")}
    wanted = resolve_metrics(",".join(metrics).lower() if metrics else None)
    metric = None if metric is None else metric.lower()
    runs = responses[0] if len(responses) == 1 else responses
    options |= {"metrics": (*wanted, metric) if metric else wanted, "report": partial(warn, quiet)}
    found = sweep_files(key, runs, progress=progress_bar(progress, quiet), **options)
    if save is not None:
        found.save(save)
    ranked = found.on_shared_documents()
    ranked = ranked if pool is None else pool_runs(ranked, pool)
    best = ranked.best(metric, field, **sampling, threads=options["threads"])
    write_output(SweepReport(ranked, best, top).render(output_format), output)
    if plot is not None:
        from arraycoref.stats.figures import save_figure

        save_figure(ranked.plot(best.metric, field, **sampling, **axes), plot)
