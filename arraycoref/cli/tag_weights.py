"""Run ``arraycoref tags weights``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli.messages import warn_of
from arraycoref.cli.output import write_output
from arraycoref.cli.tag_options import reading_options, shared

if TYPE_CHECKING:
    from arraycoref.read.parsed import Fault
    from arraycoref.tagging.weights import Weights

SOURCES = ("preset", "queries", "ambiguity", "rules", "treebank")


@click.command()
@click.option("--preset", metavar="NAME", help="Write weights that come with the package: poliqarp.")
@click.option("--queries", metavar="FILE", help="Count a query log, one query per line.")
@click.option("--ambiguity", metavar="FILE", help="Take a corpus or lexicon that lists every analysis.")
@click.option("--rules", metavar="FILE", help="Count rule applications of parses, JSON lines.")
@click.option("--treebank", metavar="FILE", help="Count agreement in the relations of a treebank, CoNLL-U.")
@reading_options
@click.option("--format", "output_format", type=click.Choice(["toml", "json"]), default="toml", show_default=True)
def weights(
    *, tagset: str | None, output_format: str, output: str | None, quiet: bool, lenient: bool, **given: Any
) -> None:
    """Write a weights file from one source.

    Weights from ambiguity, rules and treebanks are conditional too: for cwpa, they hold those of each part of speech.
    """
    chosen = [(name, given[name]) for name in SOURCES if given[name]]
    if len(chosen) != 1:
        raise click.UsageError(f"expected one of --{', --'.join(SOURCES)}")
    (source, value), *_ = chosen
    if source in ("queries", "ambiguity", "treebank") and not tagset:
        raise click.UsageError(f"--{source} needs --tagset")
    from arraycoref.tagging.read import fault_of
    from arraycoref.tagging.weights import render_weights

    fault = fault_of(lenient, warn_of(quiet))
    reading = {name: given[name] for name in ("format", "separator", "max_bytes")}
    made = _make(source, value, tagset, fault, **reading)
    write_output(render_weights(made, output_format), output)


shared(weights, "lenient", "max_bytes", "output", "quiet")


def _make(source: str, value: str, tagset: str | None, fault: Fault | None, **reading: Any) -> Weights:
    """Make weights from one source; ``reading`` says how to read a corpus."""
    from arraycoref.read.parsed import refuse
    from arraycoref.tagging import load_tagset, load_weights, read_tagged, weights as sources
    from arraycoref.tagging.matching import text_table

    loaded = load_tagset(tagset) if tagset else None
    if source == "rules":
        return sources.rule_weights(sources.read_rules(value, fault or refuse), source=f"rules of {value}")
    if loaded is None or source == "preset":
        return load_weights(value, loaded)
    if source == "queries":
        return sources.query_weights(sources.read_queries(value), loaded, source=f"queries of {value}")
    if source == "treebank":
        relations = sources.read_agreement(value, loaded, fault or refuse)
        return sources.rule_weights(relations, source=f"agreement in {value}")
    text = read_tagged(value, analyses=True, lenient=fault is not None, report=fault, **reading)
    return sources.average_ambiguity(text, text_table(text.tag_names, loaded, [text], fault))
