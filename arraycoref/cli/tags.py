"""Run the commands about tags: ``arraycoref tags score``, ``confusions`` and ``weights``."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from arraycoref.cli import options as cli
from arraycoref.cli.main import Commands, main, write_output
from arraycoref.display.formats import FORMATS, Report

SOURCES = ("preset", "queries", "ambiguity", "rules", "treebank")
FILES = ("format", "max_bytes")
PAIRED = (*FILES, "missing_documents", "extra_documents")
CHANGES: dict[str, dict[str, Any]] = {
    "format": {"help": "Read all files as conllu, xces or tsv.  [default: by suffix]"},
    "missing_documents": {
        "default": "error",
        "show_default": True,
        "help": "What to do with files only in GOLD. empty: leave their words unaligned; skip: leave them out.",
    },
    "extra_documents": {
        "default": "error",
        "show_default": True,
        "help": "What to do with files only in SYSTEM.",
    },
}
TAGSET = cli.text("NAME|FILE.toml", "Parse tags by nkjp, ipipan, ud, prague or a definition file.", group=cli.READING)
SEPARATOR = partial(
    cli.text,
    "TEXT",
    "Split the tags of a word at TEXT, in tab-separated files; '' where a word has one tag.",
    group=cli.READING,
    default="|",
)
OF_AMBIGUITY = {"needs": ["ambiguity"]}
SOURCE = partial(cli.text, "FILE", group=cli.SCORED)


@main.group(cls=Commands)
def tags() -> None:
    """Evaluate taggers.

    Measures are exact, pos, pa, wpa and cwpa; on CoNLL-U also UPOS, XPOS, UFeats and AllTags.
    """


@cli.reports(
    *FORMATS,
    "conll",
    about_format={
        "help": "Print in this format; conll: like the CoNLL 2018 evaluation script with -v, rows Words to AllTags, "
        "for CoNLL-U."
    },
    parent=tags,
    usual="measures weights lexicon tagset format macro per_document output_format output",
    examples=(
        "tags score gold.conllu system.conllu",
        "tags score gold.tsv system.tsv --tagset nkjp --weights poliqarp",
        "tags score gold.tsv system.tsv --lexicon lexicon.tsv --format csv",
    ),
    takes=(PAIRED, ("beta",)),
    changes=CHANGES,
)
def score(
    gold: str,
    system: str,
    *,
    measures: tuple[str, ...] = cli.text(
        "NAME,...",
        "Score these: exact; with --tagset: pos, pa, wpa, cwpa; on CoNLL-U: UPOS, XPOS, UFeats, AllTags, Words.  "
        "[default: all that files and options allow, except Words]",
        "--measure",
        "--metrics",
        group=cli.SCORED,
        multiple=True,
    ),
    weights: str | None = cli.text(
        "NAME|FILE.toml", "Weigh categories by the preset poliqarp, or a TOML file.", group=cli.SCORED
    ),
    unit: str = cli.choice(
        "document", "sentence", group=cli.READING, help="Count scores per document or per sentence."
    ),
    tagset: str | None = TAGSET,
    separator: str = SEPARATOR(),
    lexicon: str | None = cli.text(
        "FILE", "Also score words known, unknown or ambiguous in this lexicon or training file.", group=cli.SCORED
    ),
    per_document: bool = cli.PER_DOCUMENT,
    macro: bool = cli.flag(cli.MACRO, group=cli.SCORED),
    progress: bool = cli.PROGRESS,
    **reading: Any,
) -> Report:
    """Score the tags of a system against a gold standard.

    Words are aligned by characters. Either of GOLD and SYSTEM may be a file, compressed or not, a directory, a quoted
    glob, or - for standard input. Where a side has several files, files of the same name are compared. Documents are
    those marked in a file, or else the files.
    """
    reading |= {"tagset": tagset, "separator": separator, "unit": unit, "progress": progress}
    output_format, beta = click.get_current_context().params["output_format"], reading.pop("beta")
    if output_format == "csv" and per_document + macro + bool(lexicon) > 1:
        raise click.UsageError("--format csv has rows for one of --per-document, --macro and --lexicon; expected one")
    from arraycoref.tagging import compare_files, load_weights, read_lexicon, score_comparison, score_known
    from arraycoref.tagging.measures import CONLL18
    from arraycoref.tagging.report import TagsReport

    names = ",".join(measures) if measures else CONLL18 if output_format == "conll" else None
    chosen = None if weights is None else load_weights(weights, tagset)
    comparison = compare_files(gold, system, **reading)
    scores = score_comparison(comparison, names, chosen, beta=beta)
    kinds = None
    if lexicon is not None:
        words_known = read_lexicon(lexicon, separator=separator, **{name: reading[name] for name in FILES})
        kinds = score_known(comparison, words_known, measures=scores.metrics, weights=chosen, beta=beta)
    return TagsReport(scores, per_document, macro, kinds=kinds)


@cli.reports(
    parent=tags,
    usual="category tagset format top output_format output",
    examples=(
        "tags confusions gold.tsv system.tsv --tagset nkjp",
        "tags confusions gold.tsv system.tsv --tagset nkjp --category case",
        "tags confusions gold.tsv system.tsv --tagset nkjp --top 5",
    ),
    takes=(PAIRED,),
    changes=CHANGES,
)
def confusions(
    gold: str,
    system: str,
    *,
    category: str | None = cli.text(
        "NAME",
        "List which values of this category were assigned for which.  [default: number of errors by category]",
        group=cli.SCORED,
    ),
    top: int | None = cli.number("N", "List the first N rows only."),
    tagset: str | None = TAGSET,
    separator: str = SEPARATOR(),
    progress: bool = cli.PROGRESS,
    **reading: Any,
) -> Report:
    """List errors by category, or the confusions of one.

    GOLD and SYSTEM are as in arraycoref tags score.
    """
    if not tagset:
        raise click.UsageError("expected --tagset")
    from arraycoref.tagging import CategoryErrors, category_errors, compare_files, confusions as confused
    from arraycoref.tagging.report import CountsReport

    comparison = compare_files(gold, system, **reading, tagset=tagset, separator=separator, progress=progress)
    if category is None:
        return CountsReport(CategoryErrors._fields, category_errors(comparison)[:top])
    return CountsReport(("gold", "assigned", "tags"), confused(comparison, category)[:top])


@cli.command(
    parent=tags,
    examples=(
        "tags weights --preset poliqarp",
        "tags weights --queries queries.txt --tagset nkjp",
        "tags weights --ambiguity lexicon.tsv --tagset nkjp",
    ),
    takes=(FILES,),
    changes={"format": CHANGES["format"] | OF_AMBIGUITY, "max_bytes": OF_AMBIGUITY},
)
def weights(
    *,
    preset: str | None = cli.text("NAME", "Write weights that come with the package: poliqarp.", group=cli.SCORED),
    queries: str | None = SOURCE("Count a query log, one query per line."),
    ambiguity: str | None = SOURCE("Average a corpus or lexicon that lists all analyses."),
    rules: str | None = SOURCE("Count rule applications of parses, JSON lines."),
    treebank: str | None = SOURCE("Count agreement in the relations of a treebank, CoNLL-U."),
    tagset: str | None = TAGSET,
    separator: str = SEPARATOR(**OF_AMBIGUITY),
    output: str | None = cli.text("FILE.toml", "Write to FILE, all or nothing.  [default: standard output]"),
    **options: Any,
) -> None:
    """Write a file of weights from one source.

    FILE may be - for standard input. Weights from --ambiguity, --rules and --treebank include those for each part of
    speech, which cwpa needs.
    """
    typed = (preset, queries, ambiguity, rules, treebank)
    values = {name: value for name, value in zip(SOURCES, typed, strict=True) if value is not None}
    if len(values) != 1:
        raise click.UsageError(f"expected one of --{', --'.join(SOURCES)}")
    source, value = values.popitem()
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
        made = sources.average_ambiguity(read_tagged(value, analyses=True, separator=separator, **options), named)
    write_output(render_weights(made), output)
