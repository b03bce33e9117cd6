"""``arraycoref tags score GOLD SYSTEM``, and the group of the commands about tags."""

from __future__ import annotations

from typing import Any

import click

from arraycoref.cli.messages import progress_bar, warn_of
from arraycoref.cli.output import write_output
from arraycoref.cli.tag_confusions import confusions
from arraycoref.cli.tag_options import input_option, policy_options, separator_option, shared, tagset_option
from arraycoref.cli.tag_weights import weights
from arraycoref.report.formats import FORMATS

CONLL18 = ("Words", "UPOS", "XPOS", "UFeats", "AllTags")
MEASURES_HELP = (
    "Of exact, pos, pa, wpa, cwpa (but for exact, with a tagset), Words, and on CoNLL-U UPOS, XPOS, UFeats, AllTags.  "
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
@click.option("--weights", metavar="NAME|FILE", help="poliqarp, or a weights file, TOML or JSON.")
@tagset_option
@input_option
@separator_option
@click.option("--unit", type=click.Choice(["document", "sentence"]), default="document", show_default=True)
@policy_options
@click.option("--lexicon", metavar="FILE", help="Lexicon or training file: score known, unknown, ambiguous words.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice([*FORMATS, "conll"]),
    default="table",
    show_default=True,
    help="conll: what the evaluation of the CoNLL 2018 shared task prints with -v, from Words to AllTags; on CoNLL-U.",
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

    from arraycoref.cli.start import start_kernels
    from arraycoref.tagging import compare_files, load_tagset, load_weights, read_lexicon, score_comparison, score_known
    from arraycoref.tagging.report import TagsReport

    start_kernels()
    format = reading.pop("input_format")
    faults = {"lenient": reading.pop("lenient"), "report": warn_of(quiet), "max_bytes": reading.pop("max_bytes")}
    loaded = load_tagset(tagset) if tagset else None
    chosen = load_weights(weights, loaded) if weights else None
    with progress_bar(progress, quiet, "files") as show:
        comparison = compare_files(gold, system, tagset=loaded, format=format, progress=show, **faults, **reading)
    scores = score_comparison(comparison, measures or None, chosen, tagset=loaded, beta=beta)
    kinds = None
    if lexicon:
        known = read_lexicon(lexicon, format, separator=reading["separator"], **faults)
        kinds = score_known(comparison, known, scores.metrics, chosen, beta=beta)
    write_output(TagsReport(scores, per_document, macro, kinds).render(output_format), output)


shared(score, "beta", "threads", "lenient", "max_bytes", "per_document", "macro", "output", "quiet", "progress")
tags.add_command(weights)
tags.add_command(confusions)


def _conll18_measures(measures: tuple[str, ...]) -> tuple[str, ...]:
    """Return the measures to score for ``--format conll``."""
    known = {name.casefold(): name for name in CONLL18}
    strange = [name for name in measures if name.casefold() not in known]
    if strange:
        raise click.UsageError(f"--format conll shows the measures {', '.join(CONLL18)}; not {', '.join(strange)}")
    return tuple(known[name.casefold()] for name in measures) or CONLL18
