"""Run the commands on several systems: ``arraycoref compare``, ``table`` and ``sweep``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import arraycoref
from arraycoref.cli import options as cli
from arraycoref.cli.main import write_output
from arraycoref.cli.systems import BLOCK, block_names, named_systems, scored_runs, shared_runs
from arraycoref.display.formats import HEAD, Report, plain
from arraycoref.display.tables import TextTable
from arraycoref.options import FileOptions, PairOptions, resolve_policies
from arraycoref.scoring.metrics import registry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arraycoref.stats.ranking import Comparison
    from arraycoref.stats.runs import Runs

PLOT = ("plot",)
NOT_FOR_PAIRS = ("systems_in", *(FileOptions.__annotations__.keys() - PairOptions.__annotations__ - {"on_error"}))
"""Options that have no effect on scored pairs of records."""


@cli.reports(
    usual="metric baseline macro pool resample_by missing_documents output_format output plot",
    examples=(
        "compare key.conll ours=out/a.conll theirs=out/b.conll",
        "compare key.conll 'out/*.conll' --metric muc.recall",
        "compare key.conll --systems-in out/ --baseline a --format latex",
    ),
    takes=(FileOptions, cli.SAMPLING, cli.TESTING),
)
def compare(
    key: str,
    systems: tuple[str, ...] = cli.SYSTEMS,
    *,
    systems_in: str | None = cli.SYSTEMS_IN,
    metric: str = cli.entry("metric"),
    field: str = cli.entry("field"),
    by: str | None = cli.BY,
    macro: bool = cli.flag("Compare means over documents instead of corpus scores.", group=cli.SCORED),
    baseline: str | None = cli.text(
        "NAME", "Test all others against this system.  [default: test all pairs]", group=cli.STATISTICS
    ),
    pool: str | None = cli.POOL,
    name_pattern: str | None = cli.entry("name_pattern"),
    plot: str | None = cli.text("FILE", "Draw a figure too: FILE.png, FILE.svg or FILE.pdf."),
    plot_kind: str = cli.choice(
        "scores",
        "differences",
        "correlation",
        help="What to draw. scores: with intervals; differences: per document, of the best two, or of baseline and "
        "best other; correlation: of metrics over systems.",
        needs=PLOT,
    ),
    **options: Any,
) -> Iterator[Report]:
    """Rank systems, with intervals and tests of significance.

    A SYSTEM is a file, or a folder with all its files. To give many, quote a glob, or use --systems-in DIR. Its name is
    the file name without suffixes (or the part of the path that differs); NAME=PATH gives another.

    With --pool seed, the files system=x,seed=1.conll and system=x,seed=2.conll are one system x, and its score is
    computed from the sums over all of its files; --name-pattern finds system and seed in names of other forms. With
    --missing-documents skip, systems are ranked on the documents that all of them have.
    """
    from arraycoref.scoring.grouped import GroupedScores
    from arraycoref.stats.run_scores import name_of
    from arraycoref.stats.runs import pool as pool_runs

    metric, field = _split(metric, field)
    reading = _reading(options, (*registry.DEFAULT_METRICS, metric) if plot_kind == "correlation" else metric)
    runs = shared_runs(key, named_systems(key, systems, systems_in), pool, name_pattern, reading)
    notes: tuple[str, ...] = ()
    if pool is not None:
        pooled = pool_runs(runs, pool)
        notes += (f"each system is the sum of {len(runs) // len(pooled)} responses",)
        runs = replace(pooled, settings=tuple(map(name_of, pooled.settings)))
    options |= {"metric": metric, "field": field, "average": "macro" if macro else "micro", "baseline": baseline}
    options |= {"threads": reading["threads"]}
    c = arraycoref.compare(runs, **options)
    if len(runs) == 1:
        notes += (f"only one system: the first file, {key}, is the key; give two or more after it",)
    c = replace(c, notes=c.notes + notes)
    groups = {} if by is None else {name: arraycoref.compare(part, **options) for name, part in runs.by(by).items()}
    about = "each group by itself: tests, and the correction of p-values"
    yield GroupedScores(groups, "group", c, description=about) if groups else c
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

        return plot_correlation(correlate(runs, average=c.how.average), against=c.how.metric, field=c.how.field)
    rivals = [s.name for s in c.systems if s.name != c.reference]
    if not rivals:
        raise click.UsageError("--plot-kind differences needs two systems")
    pair = (rivals[0], c.reference) if c.baseline else (c.reference, rivals[0])
    return plot_differences(runs.at(pair[0]), runs.at(pair[1]), metric=c.how.metric, field=c.how.field, names=pair)


@cli.reports(
    usual="metrics over intervals marks baseline output_format",
    examples=(
        "table key.conll 'out/*.conll'",
        "table key.conll --systems-in out/ --marks --format latex",
        "table key.conll 'runs/*.conll' --over seed --intervals",
    ),
    takes=(FileOptions, cli.SAMPLING, cli.TESTING),
)
def table(
    key: str,
    systems: tuple[str, ...] = cli.SYSTEMS,
    *,
    systems_in: str | None = cli.SYSTEMS_IN,
    by: str | None = cli.BY,
    metrics: str = cli.text(
        "NAME,...", "Make a group of columns for each, in order.", group=cli.SCORED, default="muc,bcub,ceafe,conll"
    ),
    fields: str = cli.text("FIELD,...", "Show these fields of each metric.", default=",".join(registry.RATIOS)),
    blocks: str | None = cli.text(
        "NAME,...", "Make a block of rows for each name, which replaces {block} in KEY and SYSTEM.", group=cli.SCORED
    ),
    over: str | None = cli.text(
        "NAME",
        "Treat runs that differ only in this parameter as one system: mean score ± standard deviation of runs. "
        "Intervals and marks resample runs, then documents.",
        group=cli.SCORED,
    ),
    pool: str | None = cli.text(
        "NAME",
        "As --over, but instead of the mean, one score of all runs of a system as if they were one large response.",
        group=cli.SCORED,
        not_with=("over",),
    ),
    name_pattern: str | None = cli.entry("name_pattern"),
    intervals: bool = cli.INTERVALS,
    marks: bool = cli.flag(
        "Underline scores that do not differ significantly from the column's best.", group=cli.STATISTICS
    ),
    baseline: str | None = cli.text(
        "NAME", "Mark with a dagger what differs significantly from this system.", group=cli.STATISTICS
    ),
    differences: bool = cli.flag(
        "With --marks or --baseline, also print the difference from the baseline (else from the column's best), with "
        "its interval; CSV and JSON always have it.",
        group=cli.STATISTICS,
        needs=("marks", "baseline"),
    ),
    sort: str | None = cli.text(
        "[NAME[.FIELD]]",
        "Order the systems of each block by this score, the best first; without NAME, by their last score.",
        is_flag=False,
        flag_value="last",
    ),
    macro: bool = cli.flag("Print means over documents instead of corpus scores.", group=cli.SCORED),
    digits: int = cli.option(type=click.IntRange(0, 10), default=2, help="Round percentages to this many decimals."),
    **options: Any,
) -> Report:
    """Print the table of a paper: systems by metrics.

    A SYSTEM is a file, or a folder with all its files. To give many, quote a glob, or use --systems-in DIR. Its name is
    the file name without suffixes (or the part of the path that differs); NAME=PATH gives another.

    With --blocks dev,test gold/{block}.conll 'out/{block}/*.conll', the table has a block of rows for dev, one for
    test, and a last one for the means over both. With --by, groups of one key's documents are the blocks, and all of
    them the last one.

    With --over seed, files such as system=x,seed=1.conll and system=x,seed=2.conll are runs of one system x;
    --name-pattern finds system and seed in names of other forms.
    """
    over = over or pool
    wanted = registry.resolve_metrics(metrics)
    reading = _reading(options, wanted)
    runs: dict[str, Runs] = {}
    for name in block_names([key, *systems, *filter(None, [systems_in])], blocks):
        of_block, *typed = (path.replace(BLOCK, name) for path in (key, *systems))
        folder = None if systems_in is None else systems_in.replace(BLOCK, name)
        runs[name] = shared_runs(of_block, named_systems(of_block, typed, folder), over, name_pattern, reading)
    options |= {"by": by, "fields": fields, "intervals": intervals, "marks": marks, "baseline": baseline}
    options |= {"sort": sort == "last" or sort or False, "over": over, "pool": pool is not None}
    options |= {"differences": differences, "average": "macro" if macro else "micro", "threads": reading["threads"]}
    return arraycoref.table(runs.get("", runs), metrics=wanted, **options)


@cli.reports(
    usual="systems_in metric pool top output_format plot scored_pairs",
    examples=(
        "sweep key.conll 'runs/*,seed=1.conll' --plot curve.pdf",
        "sweep key.conll --systems-in runs/ --metric lea --top 3",
        "sweep truth.csv --scored-pairs pairs.csv --plot curve.pdf",
    ),
    takes=(FileOptions, cli.SAMPLING),
)
def sweep(
    key: str,
    systems: tuple[str, ...] = cli.SYSTEMS,
    *,
    systems_in: str | None = cli.SYSTEMS_IN,
    scored_pairs: str | None = cli.text(
        "FILE",
        "Read scored pairs of records from FILE and score the clusters at each threshold; KEY has the true entity of "
        "each record.",
        group=cli.SCORED,
        not_with=NOT_FOR_PAIRS,
    ),
    pair_columns: str | None = cli.entry("pair_columns", needs=["scored_pairs"]),
    thresholds: str | None = cli.text(
        "T,...",
        "Cut the pairs of --scored-pairs at these scores.  [default: up to 100 at which clusters merge]",
        group=cli.SCORED,
        needs=["scored_pairs"],
    ),
    wrong: str | None = cli.text(
        "FILE.csv", "Write the pairs of --scored-pairs that the best threshold gets wrong.", needs=["scored_pairs"]
    ),
    records: str | None = cli.text("FILE", cli.ABOUT_RECORDS, needs=["wrong"]),
    metrics: str | None = cli.METRICS,
    metric: str | None = cli.text(
        "NAME[.FIELD]", "Rank settings by this metric.  [default: conll, or the first of --metrics]", group=cli.SCORED
    ),
    field: str = cli.entry("field"),
    pool: str | None = cli.POOL,
    name_pattern: str | None = cli.entry("name_pattern"),
    top: int | None = cli.number("N", "Print the best N settings.  [default: all]"),
    save: str | None = cli.text("FILE.npz", "Keep the counts in FILE, for arraycoref.load_runs."),
    progress: bool = cli.PROGRESS,
    plot: str | None = cli.text("FILE", "Draw the metric against a parameter: FILE.png, FILE.svg or FILE.pdf."),
    parameter: str | None = cli.text(
        "NAME", "Draw against this parameter.  [default: the only one whose numbers differ]", needs=PLOT
    ),
    plot_by: str | None = cli.text("NAME", "Draw a line for each value of this parameter.", "--lines", needs=PLOT),
    plot_over: str | None = cli.text(
        "NAME", "Draw the mean over this parameter, such as the seed.", "--average", needs=PLOT
    ),
    log: bool = cli.flag("Draw the parameter on a logarithmic axis.", needs=PLOT),
    **options: Any,
) -> Iterator[Report]:
    """Score many settings, and find the best.

    A SYSTEM is a file, or a folder with all its files. To give many, quote a glob, or use --systems-in DIR. Parameters
    in the paths, as in runs/lr=0.1,seed=3/out.conll, name the settings; --name-pattern finds them in other paths. The
    best comes first, and those that do not differ significantly from it are marked =. With --missing-documents skip,
    settings are ranked on the documents that all of them have.

    With --scored-pairs, the settings are thresholds of scored pairs of records, such as Splink's predictions, whose
    connected components are clusters; KEY is then a table of records and their entities. Sentences before the ranking
    count the true pairs of records that blocking, the best threshold and closing lose or add.
    """
    from arraycoref.stats.runs import pool as pool_runs

    sampling = cli.sampling_of(options)
    wanted = registry.resolve_metrics(metrics or (None if scored_pairs is None else registry.RECORD_METRICS))
    metric, field = (None, field) if metric is None else _split(metric, field)
    scoring = _reading(options, (*wanted, metric) if metric else wanted) | {"progress": progress}
    if scored_pairs is None:
        runs = scored_runs(key, named_systems(key, systems, systems_in), True, name_pattern, scoring)
    else:
        from arraycoref.sweeps.cuts import sweep_records
        from arraycoref.sweeps.records import records_at
        from arraycoref.sweeps.stages import stages_of

        if systems:
            raise click.UsageError("--scored-pairs takes no SYSTEM; expected KEY alone")
        of_pairs: Any = {name: value for name, value in scoring.items() if name in PairOptions.__annotations__}
        of_pairs["pair_columns"] = pair_columns
        policies = resolve_policies(of_pairs, PairOptions)
        scored = records_at(key, scored_pairs, None, of_pairs, policies)
        runs = sweep_records(scored, _numbers(thresholds), policies, of_pairs)
    if save is not None:
        runs.save(save)
    ranked = runs.on_shared_documents()
    ranked = ranked if pool is None else pool_runs(ranked, pool)
    printed = click.get_current_context().params
    is_long = len(ranked) > HEAD and printed["output_format"] == "table" and printed["output"] in (None, "-")
    if is_long:
        yield Curve(ranked)
    best = ranked.best(metric, **sampling | {"field": field})
    rivals = max(n for n, s in enumerate(best.systems, 1) if s.mark or n == 1) if is_long else None
    best = replace(best, top=top or rivals)
    setting: Any = best.setting
    threshold = None if scored_pairs is None else setting["threshold"]
    yield best if threshold is None else replace(best, stages=stages_of(scored, threshold, policies))
    if plot is not None:
        from arraycoref.stats.figures import save_figure

        axes = {"parameter": parameter, "by": plot_by, "over": plot_over, "log": log}
        save_figure(ranked.plot(best.how.metric, field, **sampling, **axes), plot)
    if threshold is not None and wrong is not None:
        from arraycoref.sweeps.wrong import fields_of_records, wrong_columns

        columns = wrong_columns(scored, threshold, fields_of_records(scored, key, records, scoring))
        rows = (map(plain, row) for row in zip(*columns.values(), strict=True))
        written = io.StringIO(newline="")
        csv.writer(written, lineterminator="\n").writerows([columns, *rows])
        write_output(written.getvalue(), wrong)


@dataclass(frozen=True)
class Curve(Report):
    """F of many settings, in their order, which is printed before they are tested.

    Attributes:
        runs: the scores of the settings.
    """

    runs: Runs

    def tables(self, digits: int) -> list[TextTable]:
        """Lay out a row for each setting."""
        from arraycoref.scoring.reports import table_of_f

        return [table_of_f(self.runs.parameters, self.runs.corpus, range(len(self.runs)), digits)]

    def caption(self, digits: int) -> list[str]:
        """Say what follows."""
        settings = f"{len(self.runs)} settings, F{self.runs.signature.beta:g}"
        return [f"{settings}; below: the best by its test, and those that may be as good", ""]


def _split(metric: str, field: str) -> tuple[str, str]:
    """Split ``--metric METRIC.FIELD``, unless ``--field`` is typed too and has another value."""
    split = registry.split_field(metric)
    if "." not in metric and registry.own_field(metric) is None:
        registry.check_field(field, split[0])
        return split[0], field
    source = click.get_current_context().get_parameter_source("field")
    if source is ParameterSource.COMMANDLINE and field != split[1]:
        raise click.UsageError(f"--metric {metric} and --field {field}; expected one of them")
    return split


def _numbers(typed: str | None) -> list[float] | None:
    """Read the numbers of ``--thresholds``; None where it was not typed."""
    try:
        return None if typed is None else [float(number) for number in typed.split(",")]
    except ValueError:
        raise click.UsageError(f"--thresholds is {typed!r}; expected numbers with commas") from None


def _reading(options: dict[str, Any], metrics: str | tuple[str, ...]) -> dict[str, Any]:
    """Take those options out that say how files are read and scored; return them, for `arraycoref.sweep_files`."""
    taken = {name: options.pop(name) for name in FileOptions.__annotations__ if name in options}
    return taken | {"metrics": metrics}
