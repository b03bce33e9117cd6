"""Run ``arraycoref breakdown KEY RESPONSE --attribute NAME``: scores by classes of mentions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.errors import analyzed, by_group, sampling_of
from arraycoref.cli.main import examples, main, refuse, write_report
from arraycoref.errors import check_name
from arraycoref.options import FileOptions
from arraycoref.scoring.metrics.registry import resolve_metrics, split_field

if TYPE_CHECKING:
    from arraycoref.analysis import Analysis
    from arraycoref.analysis.breakdown import Breakdown


@main.command(
    usual="attributes metrics by intervals output_format output plot",
    epilog=examples(
        "breakdown key.conll response.conll --attribute length",
        "breakdown key.conll a.conll b.conll --attribute distance",
        "breakdown key.conll a.conll --attribute size --plot sizes.pdf",
    ),
)
@shared.systems
@shared.scored(
    "--attribute",
    "attributes",
    required=True,
    metavar="NAME,...",
    help="Make classes by length of mentions; upos or kind (pronoun, name, noun) of their heads; type that files give; "
    "size or range (words from first to last mention) of entities; distance, distance-tokens or distance-sentences to "
    "the closest antecedent.",
)
@shared.scored(
    "--metrics",
    default="mentions,muc,bcub,ceafe",
    metavar="NAME,...",
    help="Break these down; also ceafm, blanc, lea, pairwise and conll.",
)
@shared.by
@shared.statistics("--intervals", is_flag=True, help="Print a confidence interval beside each F, or else precision.")
@shared.option("method")
@shared.sampling
@shared.options_of(FileOptions)
@shared.output_options()
@click.option("--plot", metavar="FILE", help="Draw bars with intervals: FILE.png, FILE.svg or FILE.pdf.")
@click.option(
    "--metric", metavar="NAME[.FIELD]", help="Draw this one.  [default: the last of --metrics; F, or else recall]"
)
def breakdown(
    *,
    key: str,
    systems: tuple[str, ...],
    systems_in: str | None,
    attributes: str,
    metrics: str,
    by: str | None,
    intervals: bool,
    output_format: str,
    output: str | None,
    quiet: bool,
    plot: str | None,
    metric: str | None,
    **options: Any,
) -> None:
    """Print scores by classes of mentions.

    The parts of the classes add up to a metric's sums. MUC counts a link for its later mention; B-cubed, LEA and CEAF
    count each mention. Two systems are shown side by side. A SYSTEM is named as in `arraycoref compare`.
    """
    from arraycoref.analysis.breakdown import ATTRIBUTES, Breakdowns

    if plot is None:
        refuse("needs --plot", "metric")
    names = [name.strip() for name in attributes.split(",")]
    for name in names:
        check_name("attribute", name, ATTRIBUTES)
    if plot is not None and len(names) > 1:
        raise click.UsageError("--plot draws one attribute; expected one name in --attribute")
    if by is not None and len(names) > 1:
        raise click.UsageError("--by shows one attribute; expected one name in --attribute")
    wanted = resolve_metrics(metrics)
    drawn, field = (wanted[-1], None) if metric is None else split_field(metric)
    sampling = {**sampling_of(options), "intervals": intervals or plot is not None}
    analysis = analyzed(key, systems, systems_in, quiet, options)
    made: list[Breakdown] = []

    def report(part: Analysis) -> Breakdowns:
        made[:] = [part.breakdown(name, tuple(dict.fromkeys((*wanted, drawn))), **sampling) for name in names]
        return Breakdowns([b if intervals else replace(b, low=None, high=None, about="") for b in made])

    write_report(by_group(analysis, by, report), output_format, output)
    if plot is not None:
        from arraycoref.stats.figures import save_figure

        named = metric is not None and "." in metric
        save_figure(made[0].plot(drawn, field if named else None), plot)
