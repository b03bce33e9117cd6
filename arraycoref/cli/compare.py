"""Run the commands on several systems: ``arraycoref compare``, ``table`` and ``sweep``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from arraycoref.cli import edges as of_edges, options as shared
from arraycoref.cli.main import examples, main, refuse, warner, write_report
from arraycoref.cli.systems import BLOCK, block_names, named_systems, names_of, scored_runs, shared_runs
from arraycoref.options import FileOptions
from arraycoref.scoring.metrics.registry import (
    DEFAULT_METRICS,
    RATIOS,
    check_field,
    own_field,
    resolve_metrics,
    split_field,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arraycoref.stats.comparison import Comparison
    from arraycoref.stats.runs import Runs

AXES = ("parameter", "plot_by", "plot_over", "log")
"""Options of `arraycoref.Runs.plot`, which have no effect without ``--plot``."""


@main.command(
    usual="metric baseline macro pool resample_by missing_documents output_format output plot",
    epilog=examples(
        "compare key.conll ours=out/a.conll theirs=out/b.conll",
        "compare key.conll 'out/*.conll' --metric muc.recall",
        "compare key.conll --systems-in out/ --baseline a --format latex",
    ),
)
@shared.systems
@shared.option("metric", metavar="NAME[.FIELD]")
@shared.field
@shared.by
@shared.scored("--macro", is_flag=True, help="Compare means over documents instead of corpus scores.")
@shared.statistics("--baseline", metavar="NAME", help="Test all others against this system.  [default: test all pairs]")
@shared.testing
@shared.sampling
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
    systems: tuple[str, ...],
    systems_in: str | None,
    metric: str,
    field: str,
    by: str | None,
    macro: bool,
    pool: str | None,
    group: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    plot: str | None,
    plot_kind: str,
    **options: Any,
) -> None:
    """Rank systems, with intervals and tests of significance.

    A SYSTEM is a file, or a folder with all files below it. A quoted glob names many: each match is a system; and so is
    each file and folder in DIR with --systems-in DIR. It is named by NAME=PATH, by its file without suffixes, or, where
    files have the same name, by the parts in which their paths differ.

    With --pool seed, the files system=x,seed=1.conll and system=x,seed=2.conll are one system x, and its score is
    computed from the sums over all of its files; --group finds system and seed in names of other forms. With
    --missing-documents skip, systems are ranked on the documents that all of them have.
    """
    import arraycoref
    from arraycoref.scoring.grouped import Grouped
    from arraycoref.stats.repetitions import pool as pool_runs
    from arraycoref.stats.settings import name_of

    if plot is None:
        refuse("needs --plot", "plot_kind")
    metric, field = _split(metric, field)
    reading = _reading(options, quiet, (*DEFAULT_METRICS, metric) if plot_kind == "correlation" else metric)
    runs = shared_runs(key, named_systems(key, systems, systems_in, quiet), pool, group, reading)
    notes: tuple[str, ...] = ()
    if pool is not None:
        pooled = pool_runs(runs, pool)
        notes += (f"each system is the sum of {len(runs) // len(pooled)} responses",)
        runs = replace(pooled, settings=tuple(map(name_of, pooled.settings)))
    average = "macro" if macro else "micro"
    options |= {"metric": metric, "field": field, "average": average, "threads": reading["threads"]}
    c = arraycoref.compare(runs, **options)
    if len(runs) == 1:
        notes += (f"one system, compared with no other: {key} is the key, and a command names KEY, then systems",)
    c = replace(c, notes=c.notes + notes)
    groups = {} if by is None else {name: arraycoref.compare(part, **options) for name, part in runs.by(by).items()}
    about = "each group by itself: tests, and the correction of p-values"
    write_report(Grouped(groups, "group", c, about=about) if groups else c, output_format, output)
    if plot is not None:
        from arraycoref.stats.figures import save_figure

        save_figure(draw(runs, c, plot_kind), plot)


def draw(runs: Runs, c: Comparison, kind: str) -> Figure:
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
    rivals = [s.name for s in c.systems if s.name != c.reference]
    if not rivals:
        raise click.UsageError("--plot-kind differences needs two systems")
    pair = (rivals[0], c.reference) if c.baseline else (c.reference, rivals[0])
    return plot_differences(runs.at(pair[0]), runs.at(pair[1]), metric=c.metric, field=c.field, names=pair)


@main.command(
    usual="metrics over intervals marks baseline output_format",
    epilog=examples(
        "table key.conll 'out/*.conll'",
        "table key.conll --systems-in out/ --marks --format latex",
        "table key.conll 'runs/*.conll' --over seed --intervals",
    ),
)
@shared.systems
@shared.by
@shared.scored(
    "--metrics", default="muc,bcub,ceafe,conll", metavar="NAME,...", help="Make a group of columns for each, in order."
)
@click.option("--fields", default=",".join(RATIOS), metavar="NAME,...", help="Show these fields of each metric.")
@shared.scored(
    "--blocks", metavar="NAME,...", help="Make a block of rows for each name, which replaces {block} in KEY and SYSTEM."
)
@shared.scored(
    "--over",
    metavar="NAME",
    help="Treat runs that differ only in this parameter, such as seed, as one system: show the mean of their scores ± "
    "the standard deviation of the runs. Intervals and marks resample runs, then documents.",
)
@shared.scored(
    "--pool",
    metavar="NAME",
    help="As --over, but show one score in place of the mean, computed from the sums over all runs of a system as if "
    "they were one large response.",
)
@shared.option("group", metavar="REGEX")
@shared.statistics("--intervals", is_flag=True, help="Print a confidence interval beside each F.")
@shared.statistics(
    "--marks", is_flag=True, help="Underline scores that do not differ significantly from the column's best."
)
@shared.statistics("--baseline", metavar="NAME", help="Mark with a dagger what differs significantly from this system.")
@shared.statistics(
    "--differences",
    is_flag=True,
    help="With --marks or --baseline, print beside each F its difference from the baseline, or else from the best of "
    "the column, with its interval; CSV and JSON hold them in any case.",
)
@click.option(
    "--sort",
    is_flag=False,
    flag_value="last",
    metavar="[NAME[.FIELD]]",
    help="Order the systems of each block by this score, the best first; without NAME, by their last score.",
)
@shared.scored("--macro", is_flag=True, help="Print means over documents instead of corpus scores.")
@shared.testing
@shared.sampling
@shared.options_of(FileOptions)
@click.option("--digits", type=click.IntRange(0, 10), default=2, help="Round percentages to this many decimals.")
@shared.output_options()
def table(
    *,
    key: str,
    systems: tuple[str, ...],
    systems_in: str | None,
    metrics: str,
    blocks: str | None,
    over: str | None,
    pool: str | None,
    group: str | None,
    macro: bool,
    digits: int,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Print the table of a paper: systems by metrics.

    A SYSTEM is a file, or a folder with all files below it. A quoted glob names many: each match is a system; and so is
    each file and folder in DIR with --systems-in DIR. It is named by NAME=PATH, by its file without suffixes, or, where
    files have the same name, by the parts in which their paths differ.

    With --blocks dev,test gold/{block}.conll 'out/{block}/*.conll', the table has a block of rows for dev, one for
    test, and a last one for the means over both. With --by, groups of one key's documents are the blocks, and all of
    them the last one.

    With --over seed, files such as system=x,seed=1.conll and system=x,seed=2.conll are runs of one system x; --group
    finds system and seed in names of other forms.
    """
    import arraycoref

    if not options["marks"] and options["baseline"] is None:
        refuse("needs --marks or --baseline", "differences")
    if pool is not None:
        refuse("has no effect with --pool", "over")
    over = over or pool
    wanted = resolve_metrics(metrics)
    reading = _reading(options, quiet, wanted)
    runs: dict[str, Runs] = {}
    for name in block_names([key, *systems, *filter(None, [systems_in])], blocks):
        of_block, *typed = (path.replace(BLOCK, name) for path in (key, *systems))
        folder = None if systems_in is None else systems_in.replace(BLOCK, name)
        runs[name] = shared_runs(of_block, named_systems(of_block, typed, folder, quiet), over, group, reading)
    average = "macro" if macro else "micro"
    sort = options.pop("sort")
    options |= {
        "metrics": wanted,
        "sort": sort == "last" or sort or False,
        "over": over,
        "pool": pool is not None,
        "average": average,
        "threads": reading["threads"],
    }
    made = arraycoref.table(runs.get("", runs), **options)
    write_report(made, output_format, output, digits)


@main.command(
    usual="systems_in metric pool top output_format plot edges",
    epilog=examples(
        "sweep key.conll 'runs/*,seed=1.conll' --plot curve.pdf",
        "sweep key.conll --systems-in runs/ --metric lea --top 3",
        "sweep truth.csv --edges pairs.csv --plot curve.pdf",
    ),
)
@shared.systems
@of_edges.edges
@shared.metrics
@shared.scored(
    "--metric",
    metavar="NAME[.FIELD]",
    help="Rank settings by this metric.  [default: conll, or the first of --metrics]",
)
@shared.field
@shared.sampling
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
@click.option("--by", "plot_by", metavar="NAME", help="Draw a line for each value of this parameter.")
@click.option("--over", "plot_over", metavar="NAME", help="Draw the mean over this parameter, such as the seed.")
@click.option("--log", is_flag=True, help="Draw the parameter on a logarithmic axis.")
def sweep(
    *,
    key: str,
    systems: tuple[str, ...],
    systems_in: str | None,
    edges: str | None,
    thresholds: str | None,
    wrong: str | None,
    metrics: tuple[str, ...],
    metric: str | None,
    field: str,
    pool: str | None,
    group: str | None,
    top: int | None,
    save: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool | None,
    plot: str | None,
    **options: Any,
) -> None:
    """Score many settings, and find the best.

    A SYSTEM is a file, or a folder with all files below it. A quoted glob names many: each match is a system; and so is
    each file and folder in DIR with --systems-in DIR. Parameters in the paths, as in runs/lr=0.1,seed=3/out.conll, name
    the settings; --group finds them in paths of other forms. The best comes first, and those that do not differ
    significantly from it are marked =. With --missing-documents skip, settings are ranked on the documents that all of
    them have.

    With --edges, the settings are thresholds of scored pairs of records, such as Splink's predictions, whose connected
    components are clusters; KEY is then a table of records and their entities.
    """
    from arraycoref.stats.repetitions import pool as pool_runs

    if plot is None:
        refuse("needs --plot", *AXES)
    axes = {name.removeprefix("plot_"): options.pop(name) for name in AXES}
    sampling = {name: options.pop(name) for name in ("confidence", "resample_by", "resamples", "seed")}
    wanted = resolve_metrics(",".join(metrics) if metrics else None)
    metric, field = (None, field) if metric is None else _split(metric, field)
    reading = _reading(options, quiet, (*wanted, metric) if metric else wanted)
    scoring = reading | {"progress": progress and not quiet, "edge_columns": options.pop("edge_columns")}
    if edges is not None:
        if systems:
            raise click.UsageError("--edges takes no SYSTEM; expected KEY alone")
        runs = of_edges.scored_edges(key, edges, thresholds, scoring)
    else:
        refuse("needs --edges", *of_edges.NAMES)
        del scoring["edge_columns"]
        named = named_systems(key, systems, systems_in, quiet)
        if plot is not None:  # fail before files are read
            from arraycoref.stats.curves import axis_of
            from arraycoref.stats.settings import parameters_of

            axis_of(parameters_of(names_of(named, True, group)), axes["parameter"], (axes["by"], axes["over"], pool))
        runs = scored_runs(key, named, True, group, scoring)
    if save is not None:
        runs.save(save)
    ranked = runs.on_shared_documents()
    ranked = ranked if pool is None else pool_runs(ranked, pool)
    best = ranked.best(metric, field, **sampling, threads=reading["threads"])
    write_report(replace(best, top=top), output_format, output)
    if plot is not None:
        from arraycoref.stats.figures import save_figure

        save_figure(ranked.plot(best.metric, field, **sampling, **axes), plot)
    if edges is not None and wrong is not None:
        of_edges.write_wrong(wrong, key, edges, best.setting["threshold"], scoring)  # type: ignore[index,call-overload,arg-type]


def _split(metric: str, field: str) -> tuple[str, str]:
    """Split ``--metric METRIC.FIELD``, unless ``--field`` is typed too and has another value."""
    split = split_field(metric)
    if "." not in metric and own_field(metric) is None:
        check_field(field, split[0])
        return split[0], field
    source = click.get_current_context().get_parameter_source("field")
    if source is ParameterSource.COMMANDLINE and field != split[1]:
        raise click.UsageError(f"--metric {metric} and --field {field}; expected one of them")
    return split


def _reading(options: dict[str, Any], quiet: bool, metrics: str | tuple[str, ...]) -> dict[str, Any]:
    """Take those options out that say how files are read and scored; return them, for `arraycoref.sweep_files`."""
    taken = {name: options.pop(name) for name in FileOptions.__annotations__ if name in options}
    return taken | {"metrics": metrics, "on_error": warner(quiet)}
