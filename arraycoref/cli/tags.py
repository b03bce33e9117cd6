"""Run the commands about tags: ``arraycoref tags score``, ``confusions`` and ``weights``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import main, progress_bar, refuse_without, warn, write_output
from arraycoref.report.formats import FORMATS

if TYPE_CHECKING:
    from arraycoref.tagging import TagComparison

SOURCES = ("preset", "queries", "ambiguity", "rules", "treebank")

reading_options = shared.together(
    click.option(
        "--tagset", metavar="NAME|FILE.toml", help="Parse tags by nkjp, ipipan, ud, prague or a definition file."
    ),
    shared.option("format", help="Read all files as conllu, xces or tsv.  [default: by suffix]"),
    click.option(
        "--separator",
        default="|",
        show_default=True,
        metavar="TEXT",
        help="Split the tags of a word at TEXT, in tab-separated files; '' where a word has one tag.",
    ),
    shared.option("lenient"),
    shared.option("max_bytes"),
)
pairing_options = shared.together(
    shared.option(
        "missing_documents",
        default="error",
        show_default=True,
        help="Refuse files of GOLD that SYSTEM lacks, leave their words unaligned (empty), or skip them.",
    ),
    shared.option(
        "extra_documents",
        default="error",
        show_default=True,
        help="Refuse or ignore files of SYSTEM that GOLD lacks.",
    ),
    reading_options,
    shared.option("threads"),
)


@main.group()
def tags() -> None:
    """Evaluate taggers by exact, pos, pa, wpa, cwpa; on CoNLL-U also by UPOS, XPOS, UFeats, AllTags."""


@tags.command()
@click.argument("gold")
@click.argument("system")
@click.option(
    "--measure",
    "--metrics",
    "measures",
    multiple=True,
    metavar="NAME,...",
    help="Score these: exact; with --tagset: pos, pa, wpa, cwpa; on CoNLL-U: UPOS, XPOS, UFeats, AllTags, Words.  "
    "[default: all that files and options allow, except Words]",
)
@click.option("--weights", metavar="NAME|FILE", help="Weigh categories by the preset poliqarp, or a TOML or JSON file.")
@shared.choice("--unit", "document", "sentence", help="Count scores per document or per sentence.")
@pairing_options
@shared.option("beta")
@click.option(
    "--lexicon", metavar="FILE", help="Also score words known, unknown or ambiguous in this lexicon or training file."
)
@shared.per_document
@shared.macro
@shared.output_options(
    *FORMATS,
    "conll",
    help="Print in this format; conll: as the evaluation script of the CoNLL 2018 shared task with -v, the rows from "
    "Words to AllTags; for CoNLL-U files.",
)
@shared.progress
def score(
    *,
    gold: str,
    system: str,
    measures: tuple[str, ...],
    weights: str | None,
    lexicon: str | None,
    beta: float,
    per_document: bool,
    macro: bool,
    output_format: str,
    output: str | None,
    **reading: Any,
) -> None:
    """Score the tags of SYSTEM against those of GOLD; words are aligned by characters.

    Either may be a file, compressed or not, a directory, a quoted glob, or - for standard input. Where a side has
    several files, files of the same name are compared. Documents are those marked in a file, or else the files.
    """
    if output_format == "conll" and (macro or per_document or lexicon or beta != 1):
        raise click.UsageError("--format conll has neither --macro, --per-document, --lexicon nor --beta")
    if output_format == "csv" and per_document + macro + bool(lexicon) > 1:
        raise click.UsageError("--format csv has rows for one of --per-document, --macro and --lexicon; expected one")
    tagset = reading["tagset"]
    if lexicon == "-" and "-" in (gold, system):
        raise click.UsageError("--lexicon and a side are both '-', which can be read only once")
    names = _measures(measures, tagset, weights, output_format)
    from arraycoref.tagging import load_weights, read_lexicon, score_comparison, score_known
    from arraycoref.tagging.report import TagsReport

    chosen = None if weights is None else load_weights(weights, tagset)
    if chosen and not tagset:
        raise click.UsageError("--weights needs --tagset")
    comparison = _compare(gold, system, **reading)
    scores = score_comparison(comparison, names, chosen, beta=beta)
    kinds = None
    if lexicon is not None:
        own = {name: reading[name] for name in ("format", "separator", "lenient", "max_bytes")}
        known = read_lexicon(lexicon, report=partial(warn, reading["quiet"]), **own)
        kinds = score_known(comparison, known, measures=scores.metrics, weights=chosen, beta=beta)
    write_output(TagsReport(scores, per_document, macro, kinds).render(output_format), output)


@tags.command()
@click.argument("gold")
@click.argument("system")
@click.option(
    "--category",
    metavar="NAME",
    help="List which values of this category were assigned for which.  [default: number of errors by category]",
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="List the first N rows only.")
@pairing_options
@shared.output_options()
@shared.progress
def confusions(
    *,
    gold: str,
    system: str,
    category: str | None,
    top: int | None,
    output_format: str,
    output: str | None,
    **reading: Any,
) -> None:
    """List errors by category, or which values of one category were assigned for which; GOLD, SYSTEM as in score."""
    if not reading["tagset"]:
        raise click.UsageError("expected --tagset")
    from arraycoref.tagging import CategoryErrors, category_errors, confusions as confused
    from arraycoref.tagging.report import CountsReport

    comparison = _compare(gold, system, **reading)
    if category is None:
        report = CountsReport(CategoryErrors._fields, category_errors(comparison)[:top])
    else:
        report = CountsReport(("gold", "assigned", "tags"), confused(comparison, category)[:top])
    write_output(report.render(output_format), output)


def _compare(
    gold: str, system: str, *, tagset: str | None, quiet: bool, progress: bool | None, **reading: Any
) -> TagComparison:
    """Read and compare the files of two sides, with warnings and a progress bar on standard error."""
    from arraycoref.tagging import compare_files

    reading |= {"report": partial(warn, quiet), "progress": progress_bar(progress, quiet)}
    return compare_files(gold, system, tagset=tagset, **reading)


def _measures(
    measures: tuple[str, ...], tagset: str | None, weights: str | None, output_format: str
) -> tuple[str, ...] | None:
    """Return the measures to score, or None for all that are possible.

    Measures that need an option which is not given are refused here, before files are read. ``--format conll`` prints
    only the measures of `arraycoref.tagging.measures.CONLL18`, which are returned as spelled there.
    """
    from arraycoref.tagging.measures import CONLL18, SCORING, WEIGHTED

    names = tuple(filter(None, map(str.strip, ",".join(measures).split(","))))
    if measures and not names:
        raise click.UsageError("--measure names no measure; expected some, such as exact,pos")
    if output_format == "conll":
        known = {name.casefold(): name for name in CONLL18}
        strange = [name for name in names if name.casefold() not in known]
        if strange:
            raise click.UsageError(f"--format conll shows the measures {', '.join(CONLL18)}; not {', '.join(strange)}")
        return tuple(known[name.casefold()] for name in names) or CONLL18
    for name in names:
        if not tagset and name.casefold() in SCORING.keys() - {"exact"}:
            raise click.UsageError(f"--measure {name} needs --tagset")
        if not weights and name.casefold() in WEIGHTED:
            raise click.UsageError(f"--measure {name} needs --weights")
    return names or None


@tags.command()
@click.option("--preset", metavar="NAME", help="Write weights that come with the package: poliqarp.")
@click.option("--queries", metavar="FILE", help="Count a query log, one query per line.")
@click.option("--ambiguity", metavar="FILE", help="Average a corpus or lexicon that lists all analyses.")
@click.option("--rules", metavar="FILE", help="Count rule applications of parses, JSON lines.")
@click.option("--treebank", metavar="FILE", help="Count agreement in the relations of a treebank, CoNLL-U.")
@reading_options
@shared.output_options("toml", "json", help="Write in this format.")
def weights(
    *, tagset: str | None, output_format: str, output: str | None, quiet: bool, lenient: bool, **reading: Any
) -> None:
    """Write a weights file from one source; FILE may be - for standard input.

    Weights from --ambiguity, --rules and --treebank include those for each part of speech, which cwpa needs.
    """
    given = {name: reading.pop(name) for name in SOURCES}
    chosen = [(name, value) for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise click.UsageError(f"expected one of --{', --'.join(SOURCES)}")
    (source, value), *_ = chosen
    if source != "ambiguity":
        refuse_without("--ambiguity", "format", "separator", "max_bytes")
    if source in ("preset", "queries"):
        refuse_without("--ambiguity, --rules or --treebank", "lenient")
    from arraycoref.runtime import STDIN
    from arraycoref.tagging import load_tagset, load_weights, read_tagged, weights as sources
    from arraycoref.tagging.matching import text_table
    from arraycoref.tagging.read import fault_of

    if value == "-" and source != "preset":
        value = STDIN
    loaded = None if tagset is None else load_tagset(tagset)
    fault = fault_of(lenient, partial(warn, quiet))
    if source == "preset":
        made = load_weights(value, loaded)
    elif source == "rules":
        made = sources.rule_weights(sources.read_rules(value, fault), source=f"rules of {value}")
    elif loaded is None:
        raise click.UsageError(f"--{source} needs --tagset")
    elif source == "queries":
        made = sources.query_weights(sources.read_queries(value), loaded, source=f"queries of {value}")
    elif source == "treebank":
        relations = sources.read_agreement(value, loaded, fault)
        made = sources.rule_weights(relations, source=f"agreement in {value}")
    else:
        text = read_tagged(value, analyses=True, lenient=lenient, report=fault, **reading)
        made = sources.average_ambiguity(text, text_table(text.tag_names, loaded, [text], fault))
    write_output(sources.render_weights(made, output_format), output)
