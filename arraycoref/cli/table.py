"""Run ``arraycoref table KEY RUNS...``."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import main, refuse_without, warn, write_output
from arraycoref.cli.runs import Systems, blocks_of, on_shared_documents, require_same_runs, runs_of
from arraycoref.options import FileOptions
from arraycoref.scoring.metrics.registry import RATIOS, resolve_metrics

if TYPE_CHECKING:
    from arraycoref.scoring.scores import BatchScores

METRICS = "muc,bcub,ceafe,conll"


@main.command()
@click.argument("key")
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
@click.option("--metrics", default=METRICS, metavar="NAME,...", help="Make a group of columns for each, in order.")
@click.option("--fields", default=",".join(RATIOS), metavar="NAME,...", help="Show these fields of each metric.")
@click.option(
    "--blocks", metavar="NAME,...", help="Make a block of rows for each name, which replaces {block} in KEY and RUNS."
)
@click.option(
    "--over",
    metavar="NAME",
    help="Treat runs that differ only in this parameter, such as seed, as one system: show the mean of their scores ± "
    "the standard deviation of the runs. Intervals and marks resample runs, then documents.",
)
@click.option(
    "--pool",
    is_flag=True,
    help="With --over, show one score in place of the mean, computed from the sums over all runs of a system as if "
    "they were one large response.",
)
@shared.option("group", metavar="REGEX")
@click.option("--intervals", is_flag=True, help="Print a confidence interval beside each F.")
@click.option("--marks", is_flag=True, help="Underline scores that do not differ significantly from the column's best.")
@click.option("--baseline", metavar="NAME", help="Mark with a dagger what differs significantly from this system.")
@click.option(
    "--differences",
    is_flag=True,
    help="With --marks or --baseline, print beside each F its difference from the baseline, or else from the best of "
    "the column, with its interval; CSV and JSON hold them in any case.",
)
@click.option("--sort", is_flag=True, help="Order the systems of each block by their last score.")
@click.option("--macro", is_flag=True, help="Print means over documents instead of corpus scores.")
@shared.testing
@shared.sampling_options()
@shared.options_of(FileOptions)
@click.option("--digits", type=click.IntRange(0, 10), default=2, help="Round percentages to this many decimals.")
@shared.output_options()
def table(
    *,
    key: str,
    runs: tuple[str, ...],
    metrics: str,
    blocks: str | None,
    over: str | None,
    group: str | None,
    macro: bool,
    resamples: int,
    digits: int,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Print the table of a paper: a row per system, recall, precision and F of metrics in groups of columns.

    RUNS are files or directories, one for each run; a quoted glob, whose matches are the runs; or one directory, whose
    files and directories are the runs. A system is named by NAME=PATH; or like its file, without suffixes; or, where
    files have the same name, by the parts in which their paths differ.

    With --blocks dev,test gold/{block}.conll 'out/{block}/*.conll', the table has a block of rows for dev, one for
    test, and a last one for the means over both. Genres or languages can be blocks in the same way.

    With --over seed, files such as system=x,seed=1.conll and system=x,seed=2.conll are runs of one system x; --group
    finds system and seed in names of other forms.
    """
    if not options["marks"] and options["baseline"] is None:
        refuse_without("--marks or --baseline", "differences")
    if over is None:
        refuse_without("--over", "pool")
    if macro and options["pool"]:
        raise click.UsageError("--pool adds up documents' sums, and --macro prints means; expected one of these")
    import arraycoref

    reading = {name: options.pop(name) for name in FileOptions.__annotations__ if name in options}
    reading |= {"metrics": resolve_metrics(metrics.lower()), "report": partial(warn, quiet)}
    keys = blocks_of(key, runs, blocks)
    found = {name: runs_of(name, runs, over, group) for name in keys}
    require_same_runs(found)
    swept = {name: _score(path, found[name], reading) for name, path in keys.items()}
    scored = {name: systems for name, (systems, _) in swept.items()}
    options |= {"average": "macro" if macro else "micro", "resamples": resamples, "threads": reading["threads"]}
    options |= {"metrics": reading["metrics"]}
    made = arraycoref.table(scored.get("", scored), **options)
    left_out = (f"{name}: {note}" if name else note for name, (_, notes) in swept.items() for note in notes)
    made = replace(made, notes=(*made.notes, *left_out))
    write_output(made.render(output_format, digits=digits), output)


def _score(key: str, systems: Systems, reading: dict[str, Any]) -> tuple[dict[str, list[BatchScores]], tuple[str, ...]]:
    """Score the runs of a block on the documents that all runs have, and note how many documents are left out.

    Returns:
        By system, the scores of its runs; and the notes.
    """
    from arraycoref.sweeps.files import sweep_files

    swept = sweep_files(key, {name: path for runs in systems.values() for name, path in runs.items()}, **reading)
    shared = on_shared_documents(key, swept)
    scores = iter(shared.values())
    return {name: [next(scores) for _ in runs] for name, runs in systems.items()}, shared.notes
