"""``arraycoref tags``: score taggers, make weights, list confusions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arraycoref.cli.output import write_output

if TYPE_CHECKING:
    from arraycoref.tagging.weights import Weights

OUTPUT_FORMATS = ("table", "json", "csv", "markdown", "latex")
SOURCES = ("preset", "queries", "ambiguity", "rules", "treebank")

tagset_option = click.option(
    "--tagset", metavar="NAME|FILE.toml", help="nkjp, ipipan, ud, prague, or a definition file."
)
input_option = click.option("--input-format", metavar="NAME", help="conllu, xces or tsv.  [default: by suffix]")
format_option = click.option(
    "--format", "output_format", type=click.Choice(OUTPUT_FORMATS), default="table", show_default=True
)
output_option = click.option("--output", metavar="FILE", help="Write there, whole or not at all.  [default: stdout]")


@click.group()
def tags() -> None:
    """Evaluate taggers: exact, pos, pa, wpa, cwpa, and on CoNLL-U UPOS, XPOS, UFeats, AllTags."""


@tags.command()
@click.argument("gold")
@click.argument("system")
@click.option("--measure", "measures", multiple=True, metavar="NAME,...", help="[default: all that can be computed]")
@click.option("--weights", metavar="NAME|FILE", help="poliqarp, or a weights file, TOML or JSON.")
@tagset_option
@input_option
@click.option("--unit", type=click.Choice(["document", "sentence"]), default="document", show_default=True)
@click.option("--beta", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True)
@click.option("--lexicon", metavar="FILE", help="Lexicon or training file: score known, unknown, ambiguous words.")
@click.option("--per-document", is_flag=True, help="Tell every unit's scores.")
@click.option("--macro", is_flag=True, help="Tell means over units.")
@format_option
@output_option
def score(
    *,
    gold: str,
    system: str,
    measures: tuple[str, ...],
    weights: str | None,
    tagset: str | None,
    input_format: str | None,
    unit: str,
    beta: float,
    lexicon: str | None,
    per_document: bool,
    macro: bool,
    output_format: str,
    output: str | None,
) -> None:
    """Score the tags of SYSTEM against those of GOLD; words are aligned by characters."""
    from arraycoref.tagging import compare_files, load_tagset, load_weights, read_lexicon, score_comparison, score_known
    from arraycoref.tagging.report import render_tags

    loaded = load_tagset(tagset) if tagset else None
    chosen = load_weights(weights, loaded) if weights else None
    comparison = compare_files(gold, system, tagset=loaded, format=input_format, unit=unit)
    names = [name for value in measures for name in value.split(",") if name.strip()] or None
    scores = score_comparison(comparison, names, chosen, tagset=loaded, unit=unit, beta=beta)
    kinds = None
    if lexicon:
        kinds = score_known(comparison, read_lexicon(lexicon, input_format), scores.metrics, chosen, beta=beta)
    text = render_tags(scores, output_format, per_document=per_document, macro=macro, kinds=kinds)
    write_output(text, output)


@tags.command()
@click.option("--preset", metavar="NAME", help="Weights that come with the package: poliqarp.")
@click.option("--queries", metavar="FILE", help="Query log, one query a line.")
@click.option("--ambiguity", metavar="FILE", help="Corpus or lexicon that lists every analysis.")
@click.option("--rules", metavar="FILE", help="Rule applications of parses, JSON lines.")
@click.option("--treebank", metavar="FILE", help="Dependency treebank, CoNLL-U: agreement in its relations.")
@tagset_option
@input_option
@click.option("--format", "output_format", type=click.Choice(["toml", "json"]), default="toml", show_default=True)
@output_option
def weights(
    *,
    preset: str | None,
    queries: str | None,
    ambiguity: str | None,
    rules: str | None,
    treebank: str | None,
    tagset: str | None,
    input_format: str | None,
    output_format: str,
    output: str | None,
) -> None:
    """Write a weights file from one source."""
    given = dict(zip(SOURCES, (preset, queries, ambiguity, rules, treebank), strict=True))
    chosen = [(name, value) for name, value in given.items() if value]
    if len(chosen) != 1:
        raise click.UsageError(f"expected one of --{', --'.join(SOURCES)}")
    (source, value), *_ = chosen
    if source in ("queries", "ambiguity", "treebank") and not tagset:
        raise click.UsageError(f"--{source} needs --tagset")
    from arraycoref.tagging.weights import render_weights

    write_output(render_weights(_make(source, value, tagset, input_format), output_format), output)


def _make(source: str, value: str, tagset: str | None, input_format: str | None) -> Weights:
    """Make weights from one source."""
    from arraycoref.tagging import load_tagset, load_weights, read_tagged
    from arraycoref.tagging import weights as sources
    from arraycoref.tagging.matching import text_table

    loaded = load_tagset(tagset) if tagset else None
    if source == "rules":
        return sources.rule_weights(sources.read_rules(value), source=f"rules of {value}")
    if loaded is None or source == "preset":
        return load_weights(value, loaded)
    if source == "queries":
        return sources.query_weights(sources.read_queries(value), loaded, source=f"queries of {value}")
    if source == "treebank":
        return sources.rule_weights(sources.read_agreement(value, loaded), source=f"agreement in {value}")
    text = read_tagged(value, input_format, analyses=True)
    return sources.average_ambiguity(text, text_table(text.tag_names, loaded, text))


@tags.command()
@click.argument("gold")
@click.argument("system")
@click.option("--category", metavar="NAME", help="Values taken for one another.  [default: errors of all categories]")
@click.option("--top", type=click.IntRange(min=1), help="Only the most frequent.")
@tagset_option
@input_option
@format_option
@output_option
def confusions(
    *,
    gold: str,
    system: str,
    category: str | None,
    top: int | None,
    tagset: str | None,
    input_format: str | None,
    output_format: str,
    output: str | None,
) -> None:
    """List errors by category, or which values of one category were taken for which."""
    if not tagset:
        raise click.UsageError("expected --tagset")
    from arraycoref.tagging import CategoryErrors, category_errors, compare_files
    from arraycoref.tagging import confusions as confused
    from arraycoref.tagging.report import render_rows

    comparison = compare_files(gold, system, tagset=tagset, format=input_format)
    if category is None:
        text = render_rows(CategoryErrors._fields, category_errors(comparison)[:top], output_format)
    else:
        text = render_rows(("gold", "assigned", "tags"), confused(comparison, category)[:top], output_format)
    write_output(text, output)
