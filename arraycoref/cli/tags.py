"""Run ``arraycoref tags score GOLD SYSTEM`` and ``arraycoref tags confusions GOLD SYSTEM``; the group of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli.messages import progress_bar, warn_of
from arraycoref.cli.output import write_output
from arraycoref.cli.tag_options import pairing_options, shared
from arraycoref.cli.tag_weights import weights
from arraycoref.report.formats import FORMATS

if TYPE_CHECKING:
    from arraycoref.tagging import TagComparison
    from arraycoref.tagging.tagsets import Tagset

CONLL18 = ("Words", "UPOS", "XPOS", "UFeats", "AllTags")
MEASURES_HELP = (
    "Score these: exact, with --tagset pos, pa, wpa, cwpa, on CoNLL-U UPOS, XPOS, UFeats, AllTags, and Words.  "
    "[default: all that files and options allow, but for Words]"
)


@click.group()
def tags() -> None:
    """Evaluate taggers: exact, pos, pa, wpa, cwpa, and on CoNLL-U UPOS, XPOS, UFeats, AllTags."""


def split_measures(_ctx: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Take names that are separated by commas or given by repeating the option, each once."""
    return tuple(dict.fromkeys(filter(None, (name.strip() for value in values for name in value.split(",")))))


@tags.command()
@click.argument("gold")
@click.argument("system")
@click.option(
    "--measure", "--metrics", "measures", multiple=True, callback=split_measures, metavar="NAME,...", help=MEASURES_HELP
)
@click.option("--weights", metavar="NAME|FILE", help="Weigh categories as poliqarp or a file, TOML or JSON, says.")
@click.option(
    "--unit",
    type=click.Choice(["document", "sentence"]),
    default="document",
    show_default=True,
    help="Count scores per document or per sentence.",
)
@pairing_options
@click.option(
    "--lexicon", metavar="FILE", help="Score known, unknown and ambiguous words by a lexicon or training file."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice([*FORMATS, "conll"]),
    default="table",
    show_default=True,
    help="Print so; conll: as the evaluation of the CoNLL 2018 shared task with -v, Words to AllTags, on CoNLL-U.",
)
def score(
    *,
    gold: str,
    system: str,
    measures: tuple[str, ...],
    weights: str | None,
    tagset: str | None,
    lexicon: str | None,
    beta: float,
    per_document: bool,
    macro: bool,
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool | None,
    **reading: Any,
) -> None:
    """Score the tags of SYSTEM against those of GOLD; words are aligned by characters.

    Either may be a file, compressed or not, a directory, a quoted glob, or - for standard input. Of several files on a
    side, those of one name are compared. Documents are what a file says they are, or files.
    """
    if output_format == "conll":
        if macro or per_document or lexicon or beta != 1:
            raise click.UsageError("--format conll has neither --macro, --per-document, --lexicon nor --beta")
        measures = _conll18_measures(measures)

    _check_needs(measures, tagset, weights)
    from arraycoref.tagging import load_tagset, load_weights, read_lexicon, score_comparison, score_known
    from arraycoref.tagging.report import TagsReport

    loaded = load_tagset(tagset) if tagset else None
    chosen = load_weights(weights, loaded) if weights else None
    comparison = _compare(gold, system, loaded, quiet, progress, **reading)
    scores = score_comparison(comparison, measures or None, chosen, beta=beta)
    kinds = None
    if lexicon:
        own = {name: reading[name] for name in ("format", "separator", "lenient", "max_bytes")}
        known = read_lexicon(lexicon, report=warn_of(quiet), **own)
        kinds = score_known(comparison, known, measures=scores.metrics, weights=chosen, beta=beta)
    write_output(TagsReport(scores, per_document, macro, kinds).render(output_format), output)


shared(score, "beta", "threads", "lenient", "max_bytes", "per_document", "macro", "output", "quiet", "progress")
tags.add_command(weights)


@tags.command()
@click.argument("gold")
@click.argument("system")
@click.option(
    "--category",
    metavar="NAME",
    help="List values of this category that were taken for one another.  [default: errors of all categories]",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="List the first N rows only.")
@pairing_options
@click.option("--format", "output_format", type=click.Choice(list(FORMATS)), default="table", show_default=True)
def confusions(
    *,
    gold: str,
    system: str,
    category: str | None,
    top: int | None,
    tagset: str | None,
    output_format: str,
    output: str | None,
    quiet: bool,
    progress: bool | None,
    **reading: Any,
) -> None:
    """List errors by category, or which values of one category were taken for which; GOLD and SYSTEM as in score."""
    if not tagset:
        raise click.UsageError("expected --tagset")
    from arraycoref.tagging import CategoryErrors, category_errors, confusions as confused, load_tagset
    from arraycoref.tagging.report import CountsReport

    comparison = _compare(gold, system, load_tagset(tagset), quiet, progress, **reading)
    if category is None:
        report = CountsReport(CategoryErrors._fields, category_errors(comparison)[:top])
    else:
        report = CountsReport(("gold", "assigned", "tags"), confused(comparison, category)[:top])
    write_output(report.render(output_format), output)


shared(confusions, "threads", "lenient", "max_bytes", "output", "quiet", "progress")


def _compare(
    gold: str, system: str, tagset: Tagset | None, quiet: bool, progress: bool | None, **reading: Any
) -> TagComparison:
    """Read and compare the files of two sides, with warnings and a progress bar on standard error."""
    from arraycoref.tagging import compare_files

    with progress_bar(progress, quiet, "files") as show:
        return compare_files(gold, system, tagset=tagset, report=warn_of(quiet), progress=show, **reading)


def _check_needs(measures: tuple[str, ...], tagset: str | None, weights: str | None) -> None:
    """Refuse measures that need an option, before files are read."""
    from arraycoref.tagging.measures import SCORING, WEIGHTED

    for name in measures:
        if not tagset and name.casefold() in SCORING.keys() - {"exact"}:
            raise click.UsageError(f"--measure {name} needs --tagset")
        if not weights and name.casefold() in WEIGHTED:
            raise click.UsageError(f"--measure {name} needs --weights")


def _conll18_measures(measures: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures to score for ``--format conll``."""
    known = {name.casefold(): name for name in CONLL18}
    strange = [name for name in measures if name.casefold() not in known]
    if strange:
        raise click.UsageError(f"--format conll shows the measures {', '.join(CONLL18)}; not {', '.join(strange)}")
    return tuple(known[name.casefold()] for name in measures) or CONLL18
