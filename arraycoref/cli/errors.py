"""Run ``errors`` and ``breakdown``: errors of each type and what they cost, and scores by categories of mentions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

import arraycoref
from arraycoref.cli import options as cli
from arraycoref.cli.main import corrected
from arraycoref.cli.systems import AnalyzedFiles, names_of, sides_of
from arraycoref.exceptions import check_name
from arraycoref.options import FileOptions
from arraycoref.scoring.metrics.registry import resolve_metrics, split_field

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arraycoref.analysis import Analysis
    from arraycoref.analysis.breakdown import Breakdown
    from arraycoref.analysis.findings import Call, Findings
    from arraycoref.display.formats import Report

TYPES, ENTITIES, RESPONSE_ENTITIES, DIFFERENCES = LISTS = "types", "entities", "response-entities", "differences"


@cli.reports(
    usual="listed worst metric by profile output_format output",
    examples=(
        "errors key.conll response.conll",
        "errors key.conll a.conll b.conll --list differences --worst 20",
        "errors key.conll a.conll --list entities --format csv",
    ),
    takes=(FileOptions, cli.SAMPLING, ("method",)),
)
def errors(
    key: str,
    systems: tuple[str, ...] = cli.SYSTEMS,
    *,
    systems_in: str | None = cli.SYSTEMS_IN,
    listed: str = cli.choice(
        *LISTS,
        flags=["--list"],
        help="What to list. types: error types; entities: key entities that lose most; response-entities: response "
        "entities with most wrong; differences: documents that two systems score differently.",
        not_with={TYPES: ("worst",), **dict.fromkeys(LISTS[1:], ("by",))},
    ),
    worst: int | None = cli.number("N", "Print N entities or documents."),
    metric: str = cli.entry("metric", help="Give costs in F of this metric, or sort documents by it."),
    spans: str | None = cli.SPANS,
    pronouns: bool = cli.PRONOUNS,
    by: str | None = cli.BY,
    **options: Any,
) -> Report:
    """Say what went wrong, and what each type of errors costs.

    Findings come first: what costs most, in which documents, mentions and entities. For each type, the table shows how
    many errors, how many MUC links they cost, how much F would gain if only they were fixed, and how much F would still
    miss if all others were. The types are those of Kummerfeld and Klein (2013): conflated and divided entities, extra
    and missing mentions and entities, wrong boundaries; and singletons. A SYSTEM is named as in `arraycoref compare`.

    `errors PROJECT ANNA BEN` compares two annotators of a project, as `arraycoref agree` finds them; Anna is the key.
    """
    sampling = cli.sampling_of(options)
    wanted, field = split_field(metric)
    if field != "f1" and listed != DIFFERENCES:
        raise click.UsageError(f"--metric {metric}: costs are in F; expected {wanted}, or --list differences")
    options |= {"metrics": wanted, "spans": spans, "pronouns": pronouns}
    sides = sides_of(key, systems, systems_in, options)
    a = analyzed(sides, options)
    if listed == TYPES:
        asked = {name: sampling[name] for name in ("resample_by", "confidence", "seed")}
        find = partial(findings_with_commands, a, sides, wanted, by=by, **asked)

        def report(part: Analysis) -> Report:
            return replace(part.error_table(wanted, **sampling), find=find if part is a else None)

        return by_group(a, by, report)
    if listed == DIFFERENCES:
        if len(a.systems) < 2:
            raise click.UsageError("--list differences needs two systems")
        return replace(a.differences(metric=metric), head=worst)
    entities = a.entities(of_response=listed == RESPONSE_ENTITIES)
    return entities if worst is None else entities.first(worst)


@cli.reports(
    usual="attributes metrics by intervals output_format output plot",
    examples=(
        "breakdown key.conll response.conll --attribute length",
        "breakdown key.conll a.conll b.conll --attribute distance",
        "breakdown key.conll a.conll --attribute size --plot sizes.pdf",
    ),
    takes=(FileOptions, cli.SAMPLING, ("method",)),
)
def breakdown(
    key: str,
    systems: tuple[str, ...] = cli.SYSTEMS,
    *,
    systems_in: str | None = cli.SYSTEMS_IN,
    attributes: str | None = cli.text(
        "NAME,...",
        "Break down by length, position, nested, kind, upos, type, size, rank, range, distance, distance-tokens, "
        "distance-sentences.  [default: length, kind if the files give it, size, distance]",
        "--attribute",
        group=cli.SCORED,
    ),
    metrics: str = cli.text(
        "NAME,...",
        "Break these down; also ceafm, blanc, lea, pairwise and conll.",
        group=cli.SCORED,
        default="mentions,muc,bcub,ceafe",
    ),
    by: str | None = cli.BY,
    intervals: bool = cli.INTERVALS,
    plot: str | None = cli.text("FILE", "Draw bars with intervals: FILE.png, FILE.svg or FILE.pdf."),
    metric: str | None = cli.text(
        "NAME[.FIELD]", "Draw this one.  [default: the last of --metrics; F, or else recall]", needs=["plot"]
    ),
    **options: Any,
) -> Iterator[Report]:
    """Break scores down by length, part of speech or distance.

    The counts of the categories add up to those of all mentions. MUC counts a link for its later mention; B-cubed, LEA
    and CEAF count each mention. Two systems are shown side by side. A SYSTEM is named as in `arraycoref compare`.

    Attributes are of a mention (length: its words; position: its first word; nested: inside another; kind: pronoun,
    name or noun; upos: part of speech of its head; type: as in the files), of its entity (size: mentions; rank: by size
    in the document; range: words from first to last) or of both (distance: mentions since the antecedent;
    distance-tokens; distance-sentences).
    """
    from arraycoref.analysis.breakdown import ATTRIBUTES, USUAL, Breakdowns, known_attributes

    names = list(USUAL if attributes is None else map(str.strip, attributes.split(",")))
    for name in names:
        check_name("attribute", name, ATTRIBUTES)
    for option, value, what in (("--plot", plot, "draws"), ("--by", by, "shows")):
        if value is not None and len(names) > 1:
            raise click.UsageError(f"{option} {what} one attribute; expected one name in --attribute")
    wanted = resolve_metrics(metrics)
    drawn, field = (wanted[-1], None) if metric is None else split_field(metric)
    sampling = {**cli.sampling_of(options), "intervals": intervals or plot is not None}
    analysis = analyzed(sides_of(key, systems, systems_in, options), options)
    if attributes is None:
        names = [each.name for each in known_attributes(analysis.index)]
    made: list[Breakdown] = []

    def report(part: Analysis) -> Breakdowns:
        made[:] = [part.breakdown(name, tuple(dict.fromkeys((*wanted, drawn))), **sampling) for name in names]
        return Breakdowns([b if intervals else replace(b, low=None, high=None, about="") for b in made])

    yield by_group(analysis, by, report)
    if plot is not None:
        from arraycoref.stats.figures import save_figure

        save_figure(made[0].plot(drawn, field if metric and "." in metric else None), plot)


def by_group(a: Analysis, by: str | None, report: Callable[[Analysis], Report]) -> Report:
    """Return the report of an analysis; with ``--by`` those of its groups of documents, and the total."""
    from arraycoref.scoring.grouped import GroupedScores

    groups = {} if by is None else {name: report(part) for name, part in a.by(by).items()}
    return GroupedScores(groups, "group", report(a)) if groups else report(a)


def findings_with_commands(
    a: Analysis, sides: AnalyzedFiles, metric: str = "conll", by: str | None = None, **options: Any
) -> Findings:
    """Find what went wrong, with command lines as they would be typed; other options are those of `findings_of`."""
    from arraycoref.analysis.findings import findings_of

    findings, usual = findings_of(a, metric, by=by, **options), {} if by is None else {"--by": by}
    commands = ["" if finding.call is None else command_of(finding.call, sides, usual) for finding in findings]
    typed = [replace(finding, command=command) for finding, command in zip(findings, commands, strict=True)]
    return replace(findings, findings=tuple(typed))


def command_of(call: Call, sides: AnalyzedFiles, usual: Mapping[str, str]) -> str:
    """Return the command line of a finding, with the options typed that it has; "" for the one that runs.

    Args:
        call: the command.
        sides: the key and the systems; standard input is read once, so no other command can read it. A command that
            takes no annotators cannot either.
        usual: options of the command that runs which choose what it shows.
    """
    ctx, words = click.get_current_context(), [*sides.typed, *sides.words(call.systems)]
    is_same = len(call.systems) == len(sides.named) and call.options == usual and call.name == ctx.command.name
    is_of_annotators = len(sides.typed) > 1 and call.name in ("score", "conventions")
    if is_same or is_of_annotators or "-" in words:
        return ""
    without = {"by", "systems_in", "output_format", "output", "worst"}
    without |= set() if call.name == "errors" else {"metric", "method", *cli.SAMPLING}
    return corrected(ctx, *words, command=call.name, values=call.options, without=without)


def analyzed(sides: AnalyzedFiles, options: dict[str, Any]) -> Analysis:
    """Analyze what `sides_of` returns; ``options`` are those of `arraycoref.analyze_files`."""
    from arraycoref.stats.run_scores import text_of

    files = {text_of(name): source for name, (_, source) in zip(names_of(sides.named), sides.named, strict=True)}
    return arraycoref.analyze_files(sides.key, files, **options)
