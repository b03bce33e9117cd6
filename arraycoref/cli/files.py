"""Run the commands on files without a key, ``agree``, ``check``, ``convert`` and ``demo``, and ``warmup``."""

from __future__ import annotations

import os
import re
import shlex
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import (
    as_typed,
    examples,
    is_coloured,
    is_terminal,
    main,
    refuse,
    warner,
    write_output,
    write_report,
)
from arraycoref.cli.score import score
from arraycoref.cli.systems import named_systems, names_of
from arraycoref.errors import InputError
from arraycoref.options import OPTIONS, FileOptions, SideOptions
from arraycoref.report.looks import painted

if TYPE_CHECKING:
    from pathlib import Path


FLAGS = {"error": painted("error", "31"), "warning": painted("warning", "33")}
"""What a terminal shows of the severity of a finding."""


@main.command(
    usual="strict format output_format output",
    epilog=examples("check key.conll", "check 'gold/*.conll' --strict", "check gold/ --format github"),
)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@shared.choice(
    "--side", "key", "response", make=shared.reading, help="Check the clusters of this side, in JSON that has both."
)
@shared.options_of(SideOptions)
@click.option("--strict", is_flag=True, help="End with status 1 for warnings too.")
@shared.output_options(
    "text", "json", "github", help="Print in this format; github: annotations that GitHub Actions shows beside lines."
)
def check(
    *,
    files: tuple[str, ...],
    strict: bool,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """List the faults of annotation files, with their lines.

    The exit status is 1 if there are errors. FILES are files, directories, quoted globs, or - for standard input, in
    any format of documents that score reads.
    Errors are faults that score refuses without --lenient. Warnings are doubtful places: mentions in two entities or
    twice in one, files without a mention, numbers without a bracket; in CoNLL-U also what the validator of Universal
    Dependencies refuses though score reads it, of each kind the first place and how many there are.
    """
    from arraycoref.read.lint import check_files

    findings = check_files(files, **options)
    listed = findings.errors if quiet else findings.findings
    typed = [replace(finding, message=as_typed(InputError(finding.message, finding.option))) for finding in listed]
    text = replace(findings, findings=tuple(typed)).render(output_format)
    if output_format == "text" and is_terminal(output) and is_coloured():
        text = re.sub(r": (error|warning)(?=: )", lambda word: f": {FLAGS[word[1]]}", text)
    write_output(text, output)
    if findings.errors or (strict and findings.warnings):
        click.get_current_context().exit(1)


@main.command(
    usual="format to words side lenient",
    epilog=examples(
        "convert key.conll key.jsonl",
        "convert output.json output.conll --from fastcoref",
        "convert both.jsonl out.conllu --side response --words key.conllu",
    ),
)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", type=shared.TARGET)
@shared.reading(
    "--from",
    "format",
    metavar="NAME",
    help=OPTIONS["format"].brief.replace("all files", "IN").replace("each file's", "its"),
)
@click.option(
    "--to",
    "to",
    type=click.Choice(["conll", "jsonlines", "conllu", "xml-text", "markdown"]),
    help="Write OUT in this format.  [default: by suffix]",
)
@click.option(
    "--words",
    metavar="FILE",
    help="Write OUT with the words of this file and what it says of them; heads are from IN or else its trees.",
)
@shared.choice(
    "--zeros",
    "keep",
    "drop",
    help="Drop mentions of empty nodes, which only CoNLL-U can hold, and all empty nodes in other mentions.",
)
@shared.option(
    "missing_documents", help="Refuse documents of --words that IN lacks, or write them as empty, or skip them."
)
@shared.option("extra_documents", help="Refuse or leave out documents of IN that --words lacks.")
@shared.option(
    "tokens", help="Refuse documents whose tokens differ between IN and --words, ignore that, or align them."
)
@shared.option("max_changed")
@shared.choice(
    "--side", "key", "response", make=shared.reading, help="Take the clusters of this side from a file that holds both."
)
@shared.option("unit", help="Read positions in JSON as numbers of words, subtokens or characters.")
@shared.option("end", help="Take the ends of mentions in JSON as inclusive or exclusive.")
@shared.option("start")
@shared.option("clusters_field", help="Read the clusters in this field of JSON.")
@shared.option("name_field", help="Read the documents' names in this field of JSON.")
@shared.option("column")
@shared.option("columns")
@shared.option("frame")
@shared.option("join")
@shared.option("relations")
@shared.option("annotator")
@shared.option(
    "lenient",
    help="Pass over faults in the files, of which the first ten are printed, and mentions that CoNLL-U cannot hold.",
)
@shared.option(
    "max_bytes",
    help="Refuse to read files of more bytes, decompressed, and to write more as CoNLL.  [default: for compressed IN "
    "and for CoNLL, 1 GiB, or 200 times the size of IN if that is more]",
)
@shared.quiet
def convert(
    *, source: str, target: str, to: str | None, words: str | None, zeros: str, quiet: bool, **options: Any
) -> None:
    """Convert a file to another format.

    OUT has the words, and what IN says of them, as far as its format can hold that: sentences, parts of speech, parses,
    speakers, types of entities, trees, empty nodes. What it cannot hold is listed. Either of IN and OUT may be - for
    standard input or output.
    """
    from arraycoref.match import on_words
    from arraycoref.read import format_of, read_documents, read_side
    from arraycoref.read.write import write_documents

    warn = warner(quiet)
    policies = {name: options.pop(name) for name in ("missing_documents", "extra_documents", "tokens", "max_changed")}
    documents = read_side(source, options | {"on_error": warn, "layers": True}, options["side"])
    if words is None:
        refuse("needs --words", *policies)
        if (to or format_of(target)) == "conllu" and documents.text.have_trees and not documents.mentions.has_heads:
            documents = on_words(documents, documents, on_doubt=warn)
    else:
        of_words = read_documents(words, on_doubt=warn, layers=True)
        documents = on_words(documents, of_words, on_doubt=warn, **policies)
    asked: dict[str, Any] = {"on_error": warn} if options["lenient"] else {}
    write_documents(documents, target, format=to, max_bytes=options["max_bytes"], zeros=zeros, on_doubt=warn, **asked)


@main.command(
    usual="metrics profile restrict output_format output",
    epilog=examples(
        "agree anna.conll bo.conll cleo.conll",
        "agree annotators/* --metrics b3,lea",
        "agree Anna=gold/ Bo=response/ --format json",
    ),
)
@click.argument("annotators", nargs=-1, required=True, metavar="ANNOTATOR...")
@shared.metrics
@shared.options_of(FileOptions, beta={"hidden": True})
@shared.option("method")
@shared.together(shared.option("confidence"), shared.option("resamples"), shared.option("seed", type=click.INT))
@shared.output_options()
def agree(
    *,
    annotators: tuple[str, ...],
    metrics: tuple[str, ...],
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Measure how far annotators agree.

    Each ANNOTATOR is a file, a folder with all files below it, or each match of a quoted glob; NAME=PATH names one. Of
    a single one, the annotators in it are found: the folder annotation of an exported project, a folder with a folder
    for each, or a file with the work of several. All pairs are scored, and the documents are listed on which they agree
    least, by the CoNLL average or else the first metric. Krippendorff's alpha of chains and kappa of links are of all
    annotators together, over the mentions that any of them marked, or all of them (--restrict shared).
    """
    import arraycoref
    from arraycoref.read import annotators_in

    paths: dict[str, Any] = {}
    if len(annotators) == 1:
        paths |= annotators_in(annotators[0], options["format"], options["max_bytes"])
    if not paths:
        named = named_systems("", annotators, None, quiet)
        paths = {str(name): path for name, (_, path) in zip(names_of(named), named, strict=True)}
    options |= {"metrics": ",".join(metrics) or None, "on_error": warner(quiet)}
    write_report(arraycoref.agreement(paths, **options), output_format, output)


@main.command()
@click.option("--files", metavar="FOLDER", help="Only write key.conll and response.conll to a new FOLDER.")
@click.pass_context
def demo(ctx: click.Context, files: str | None) -> None:
    """Print a short example, and score it."""
    from importlib import resources

    with resources.as_file(resources.files("arraycoref.cli")) as folder:
        key, response = folder / "demo_key.conll", folder / "demo_response.conll"
        if files is not None:
            os.makedirs(files)  # a new one, so that no file of the user is replaced
            for path in (key, response):
                write_output(path.read_text(encoding="utf-8"), os.path.join(files, path.name.removeprefix("demo_")))
            return
        for title, path in (("key", key), ("response", response)):
            write_output(f"{title}: {path}\n\n{bracketed(path)}\n\n")
        write_output(f"$ {shlex.join(['arraycoref', 'score', str(key), str(response)])}\n\n")
        ctx.invoke(score, key=str(key), response=str(response))


def bracketed(path: Path) -> str:
    """Return the text of a CoNLL file, one sentence per line, each mention as ``[3 its words]``.

    Args:
        path: a file with the word in the fourth column, and its coreference in the last.
    """
    lines, words = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            _, _, _, word, *_, marks = line.split("\t")
            opened = "".join(f"[{entity} " for entity in re.findall(r"\((\d+)", marks))
            words.append(opened + word + "]" * marks.count(")"))
        elif words:
            lines.append("  " + " ".join(words))
            words = []
        if line.startswith("#end"):
            lines.append("")
    return "\n".join(lines).rstrip()


@main.command()
def warmup() -> None:
    """Compile everything now, and keep the machine code.

    For machines, container images and clusters whose processes score millions of mentions: with less to do, a process
    uses NumPy and compiles nothing.
    """
    import arraycoref
    from arraycoref.twin import machine_code_of

    start = time.perf_counter()
    arraycoref.warmup()
    seconds = time.perf_counter() - start
    place = machine_code_of("cells.contingency_batch") or "memory only, for no directory is writable"
    click.echo(f"compiled in {seconds:.1f} s; machine code is kept in {place}")
