"""Run the commands about tags: ``arraycoref tags score``, ``confusions`` and ``weights``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import examples, main, refuse, write_output, write_report
from arraycoref.report.formats import FORMATS

if TYPE_CHECKING:
    from arraycoref.tagging import TagComparison

SOURCES = ("preset", "queries", "ambiguity", "rules", "treebank")

reading_options = shared.together(
    shared.reading(
        "--tagset", metavar="NAME|FILE.toml", help="Parse tags by nkjp, ipipan, ud, prague or a definition file."
    ),
    shared.option("format", help="Read all files as conllu, xces or tsv.  [default: by suffix]"),
    shared.reading(
        "--separator",
        default="|",
        show_default=True,
        metavar="TEXT",
        help="Split the tags of a word at TEXT, in tab-separated files; '' where a word has one tag.",
    ),
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
)


@main.group()
def tags() -> None:
    """Evaluate taggers.

    Measures are exact, pos, pa, wpa and cwpa; on CoNLL-U also UPOS, XPOS, UFeats and AllTags.
    """


@tags.command(
    usual="measures weights lexicon tagset format macro per_document output_format output",
    epilog=examples(
        "tags score gold.conllu system.conllu",
        "tags score gold.tsv system.tsv --tagset nkjp --weights poliqarp",
        "tags score gold.tsv system.tsv --lexicon lexicon.tsv --format csv",
    ),
)
@click.argument("gold")
@click.argument("system")
@shared.scored(
    "--measure",
    "--metrics",
    "measures",
    multiple=True,
    metavar="NAME,...",
    help="Score these: exact; with --tagset: pos, pa, wpa, cwpa; on CoNLL-U: UPOS, XPOS, UFeats, AllTags, Words.  "
    "[default: all that files and options allow, except Words]",
)
@shared.scored("--weights", metavar="NAME|FILE.toml", help="Weigh categories by the preset poliqarp, or a TOML file.")
@shared.choice("--unit", "document", "sentence", make=shared.reading, help="Count scores per document or per sentence.")
@pairing_options
@shared.option("beta")
@shared.scored(
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
    """Score the tags of a system against a gold standard.

    Words are aligned by characters. Either of GOLD and SYSTEM may be a file, compressed or not, a directory, a quoted
    glob, or - for standard input. Where a side has several files, files of the same name are compared. Documents are
    those marked in a file, or else the files.
    """
    if output_format == "csv" and per_document + macro + bool(lexicon) > 1:
        raise click.UsageError("--format csv has rows for one of --per-document, --macro and --lexicon; expected one")
    from arraycoref.tagging import load_weights, read_lexicon, score_comparison, score_known
    from arraycoref.tagging.measures import CONLL18
    from arraycoref.tagging.report import TagsReport

    names = ",".join(measures) if measures else CONLL18 if output_format == "conll" else None
    chosen = None if weights is None else load_weights(weights, reading["tagset"])
    comparison = _compare(gold, system, **reading)
    scores = score_comparison(comparison, names, chosen, beta=beta)
    kinds = None
    if lexicon is not None:
        words_known = read_lexicon(lexicon, **{name: reading[name] for name in ("format", "separator", "max_bytes")})
        kinds = score_known(comparison, words_known, measures=scores.metrics, weights=chosen, beta=beta)
    write_report(TagsReport(scores, per_document, macro, kinds=kinds), output_format, output)


@tags.command(
    usual="category tagset format top output_format output",
    epilog=examples(
        "tags confusions gold.tsv system.tsv --tagset nkjp",
        "tags confusions gold.tsv system.tsv --tagset nkjp --category case",
        "tags confusions gold.tsv system.tsv --tagset nkjp --top 5",
    ),
)
@click.argument("gold")
@click.argument("system")
@shared.scored(
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
    """List errors by category, or the confusions of one.

    GOLD and SYSTEM are as in arraycoref tags score.
    """
    if not reading["tagset"]:
        raise click.UsageError("expected --tagset")
    from arraycoref.tagging import CategoryErrors, category_errors, confusions as confused
    from arraycoref.tagging.report import CountsReport

    comparison = _compare(gold, system, **reading)
    if category is None:
        report = CountsReport(CategoryErrors._fields, category_errors(comparison)[:top])
    else:
        report = CountsReport(("gold", "assigned", "tags"), confused(comparison, category)[:top])
    write_report(report, output_format, output)


def _compare(gold: str, system: str, *, quiet: bool, progress: bool | None, **reading: Any) -> TagComparison:
    """Read and compare the files of two sides, with a progress bar on standard error."""
    from arraycoref.tagging import compare_files

    return compare_files(gold, system, progress=progress and not quiet, **reading)


@tags.command(
    epilog=examples(
        "tags weights --preset poliqarp",
        "tags weights --queries queries.txt --tagset nkjp",
        "tags weights --ambiguity lexicon.tsv --tagset nkjp",
    )
)
@shared.scored("--preset", metavar="NAME", help="Write weights that come with the package: poliqarp.")
@shared.scored("--queries", metavar="FILE", help="Count a query log, one query per line.")
@shared.scored("--ambiguity", metavar="FILE", help="Average a corpus or lexicon that lists all analyses.")
@shared.scored("--rules", metavar="FILE", help="Count rule applications of parses, JSON lines.")
@shared.scored("--treebank", metavar="FILE", help="Count agreement in the relations of a treebank, CoNLL-U.")
@reading_options
@click.option("--output", metavar="FILE.toml", help="Write to FILE, all or nothing.  [default: standard output]")
def weights(*, tagset: str | None, output: str | None, **options: Any) -> None:
    """Write a file of weights from one source.

    FILE may be - for standard input. Weights from --ambiguity, --rules and --treebank include those for each part of
    speech, which cwpa needs.
    """
    values = {name: value for name in SOURCES if (value := options.pop(name)) is not None}
    if len(values) != 1:
        raise click.UsageError(f"expected one of --{', --'.join(SOURCES)}")
    source, value = values.popitem()
    if source != "ambiguity":
        refuse("needs --ambiguity", "format", "separator", "max_bytes")
    if source not in ("preset", "rules") and tagset is None:
        raise click.UsageError(f"--{source} needs --tagset")
    from arraycoref.runtime import STDIN
    from arraycoref.tagging import load_weights, read_tagged, weights as sources
    from arraycoref.tagging.weights import render_weights

    if value == "-" and source != "preset":
        value = STDIN
    named: Any = tagset  # needed by all sources but the rules and the preset
    if source == "preset":
        made = load_weights(value, named)
    elif source == "rules":
        made = sources.rule_weights(sources.read_rules(value), source=f"rules of {value}")
    elif source == "queries":
        made = sources.query_weights(sources.read_queries(value), named, source=f"queries of {value}")
    elif source == "treebank":
        made = sources.rule_weights(sources.read_agreement(value, named), source=f"agreement in {value}")
    else:
        made = sources.average_ambiguity(read_tagged(value, analyses=True, **options), named)
    write_output(render_weights(made), output)
