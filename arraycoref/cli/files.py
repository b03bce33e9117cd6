"""Run ``agree``, ``check``, ``convert``, ``demo``, ``describe`` and ``warmup``: most read files without a key."""

from __future__ import annotations

import os
import shlex
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

import arraycoref
from arraycoref.cli import options as cli
from arraycoref.cli.errors import analyzed
from arraycoref.cli.main import as_typed, corrected, write_output
from arraycoref.cli.score import score
from arraycoref.cli.show import show
from arraycoref.cli.systems import AnalyzedFiles, named_systems, names_of
from arraycoref.display.formats import Report
from arraycoref.exceptions import InputError, OptionError, printable
from arraycoref.options import OPTIONS, FileOptions, ReadOptions, SideOptions

if TYPE_CHECKING:
    from arraycoref.stats import Agreement

NEW = ("output", "gold")
"""Options of ``agree`` for files that it writes, which no other command gets."""

WORDS = ("words",)
CONVERTED = ("missing_documents", "extra_documents", "tokens", "max_changed")
"""Options of ``convert`` for documents whose words are from another file."""

CHANGES: dict[str, dict[str, Any]] = {
    "missing_documents": {
        "needs": WORDS,
        "help": "Documents of --words that are missing from IN. error: stop; empty: write them as empty; skip: leave "
        "them out.",
    },
    "extra_documents": {
        "needs": WORDS,
        "help": "Documents of IN that are missing from --words. error: stop; ignore: leave them out.",
    },
    "tokens": {
        "needs": WORDS,
        "help": "Tokens that differ between IN and --words. error: stop; ignore: compare positions only; align: "
        "match the texts.",
    },
    "max_changed": {"needs": WORDS},
    "lenient": {
        "help": "Skip what cannot be read, and mentions that CoNLL-U cannot hold; warn about the first ten problems."
    },
    "max_bytes": {
        "help": "Stop at files with more bytes, decompressed, and write no more as CoNLL.  [default: for "
        "compressed IN and for CoNLL, 1 GiB, or 200 times the size of IN if that is more]"
    },
}


@cli.reports(
    "text",
    "json",
    "github",
    about_format={"help": "Print in this format; github: annotations that GitHub Actions shows beside lines."},
    usual="strict format output_format output",
    examples=("check key.conll", "check 'gold/*.conll' --strict", "check gold/ --format github"),
    takes=(SideOptions,),
)
def check(
    files: tuple[str, ...] = cli.argument("FILES...", nargs=-1, required=True),
    *,
    side: str = cli.choice(
        "key", "response", group=cli.READING, help="Check the clusters of this side, in JSON that has both."
    ),
    strict: bool = cli.flag("End with status 1 for warnings too."),
    **options: Any,
) -> Iterator[Report]:
    """List the problems of annotation files, with their lines.

    The exit status is 1 if there are errors. FILES are files, directories, quoted globs, or - for standard input, in
    any format of documents that score reads. Errors stop score unless it is --lenient. Warnings mark what is probably
    wrong: a mention in two entities or twice in one, a file without a mention, a number without a bracket. For CoNLL-U
    they include what the validator of Universal Dependencies would reject; each kind is shown once, with a count.
    """
    ctx = click.get_current_context()
    problems = arraycoref.check(files, side=side, **options)
    listed = problems.errors if ctx.params["quiet"] else problems.problems
    typed = [replace(problem, message=as_typed(InputError(problem.message, problem.option))) for problem in listed]
    yield replace(problems, problems=tuple(typed))
    if problems.errors or (strict and problems.warnings):
        ctx.exit(1)


@cli.reports(
    usual="attributes format output_format output",
    examples=(
        "describe key.conll response.conll",
        "describe train.conll dev.conll test.conll --format latex",
        "describe key.conllu --attribute upos,distance-sentences",
    ),
    takes=(ReadOptions,),
)
def describe(
    key: str,
    responses: tuple[str, ...] = cli.argument("[RESPONSE]...", nargs=-1),
    *,
    attributes: str = cli.text(
        "NAME,...", "Count categories of these, see breakdown.", "--attribute", default="length,kind,type,size,distance"
    ),
    **options: Any,
) -> Report:
    """Describe corpora: how many words, mentions and entities.

    It prints what papers say of their data, also how long mentions are, how large entities, and how far antecedents.
    Each file or folder is a column: a key and responses, or the parts of a corpus. NAME=PATH gives a column its name.
    """
    named = named_systems("", (key, *responses), None)
    (first, path), *others = ((str(name), path) for name, (_, path) in zip(names_of(named), named, strict=True))
    return arraycoref.describe({first: path}, dict(others), attributes=attributes, **options)


@cli.command(
    usual="format to words side lenient",
    examples=(
        "convert key.conll key.jsonl",
        "convert output.json output.conll --from fastcoref",
        "convert both.jsonl out.conllu --side response --words key.conllu",
    ),
    takes=(SideOptions, CONVERTED, ("lenient",)),
    changes=CHANGES,
)
def convert(
    source: str = cli.argument("IN"),
    target: str = cli.argument("OUT", type=cli.TARGET),
    *,
    format: str | None = cli.text(
        "NAME",
        OPTIONS["format"].brief.replace("all files", "IN").replace("each file's", "its"),
        "--from",
        group=cli.READING,
    ),
    to: str | None = cli.option(
        type=click.Choice(["conll", "jsonlines", "conllu", "xml-text", "markdown"]),
        help="Write OUT in this format.  [default: by suffix]",
    ),
    words: str | None = cli.text(
        "FILE", "Write OUT with the words and annotation of this file; heads are from IN, or else from its trees."
    ),
    zeros: str = cli.choice(
        "keep",
        "drop",
        help="Drop mentions of empty nodes, which only CoNLL-U can hold, and all empty nodes in other mentions.",
    ),
    side: str = cli.choice(
        "key", "response", group=cli.READING, help="Take the clusters of this side from a file that holds both."
    ),
    quiet: bool = cli.QUIET,
    **options: Any,
) -> None:
    """Convert a file to another format.

    OUT keeps words and annotation as far as its format allows: sentences, parts of speech, parses, speakers, types of
    entities, trees, empty nodes. A warning lists what was dropped. Either of IN and OUT may be - for
    standard input or output.
    """
    from arraycoref.cli.main import warner

    options |= {"format": format, "to": to, "words": words, "zeros": zeros, "side": side, "on_error": warner()}
    arraycoref.convert(source, target, **options)


@cli.reports(
    usual="metrics is_full gold quorum adjudicated profile output_format output",
    examples=(
        "agree annotators/* --metrics b3,lea",
        "agree anna.conll bo.conll cleo.conll --gold all.conll",
        "agree Anna=gold/ Bo=response/ --format json",
    ),
    takes=(FileOptions, ("method", "confidence", "resamples", "seed")),
    changes={"beta": {"hidden": True}},
)
def agree(
    annotators: tuple[str, ...] = cli.argument("ANNOTATOR...", nargs=-1, required=True),
    *,
    metrics: str | None = cli.METRICS,
    is_full: bool = cli.flag("Print all metrics, distances of alpha, and kappa.", "--all", group=cli.SCORED),
    gold: str | None = cli.text("OUT", "Write what the annotators agree on, in the format of the suffix."),
    quorum: int | None = cli.number("N", "Let N annotators suffice for --gold.  [default: all]", needs=("gold",)),
    adjudicated: str | None = cli.text("FILE", "Count how often each annotator has what FILE has, decided later."),
    **options: Any,
) -> Iterator[Report]:
    """Measure how far annotators agree.

    Each ANNOTATOR is a file, a folder with all its files, or each match of a quoted glob; NAME=PATH names one. If you
    give one project, folder or file, the command finds the annotators in it. All pairs are scored, and documents are
    listed, the least agreed first. Krippendorff's alpha of chains is of all annotators together, over the mentions that
    any of them marked, or all of them (--restrict shared). Last comes what costs most, and the command that shows it.
    """
    from arraycoref.read import annotators_in
    from arraycoref.read.write import write_documents

    paths: dict[str, Any] = {}
    if len(annotators) == 1:
        paths |= annotators_in(annotators[0], options["format"], options["max_bytes"])
    project = annotators[:1] if paths else ()
    if not paths:
        named = named_systems("", annotators, None)
        paths = {str(name): path for name, (_, path) in zip(names_of(named), named, strict=True)}
    n = quorum or 0 if gold else None
    agreement = arraycoref.agree(paths, metrics=metrics, quorum=n, adjudicated=adjudicated, **options)
    pair = min(agreement.scores, key=lambda pair: agreement.scores[pair][agreement.ordering])
    ctx, words = click.get_current_context(), [*project, *(name if project else paths[name] for name in pair)]
    if gold is not None and (curated := agreement.curated) is not None:
        write_documents(curated.documents, gold, on_error=options["on_error"])
        for row in islice((row for row in curated.left if row["document"] in agreement.pairs[pair].names), 1):
            about = f"{curated.about}; see {corrected(ctx, *words, row['document'], command='show', without=NEW)}"
            agreement = replace(agreement, curated=curated._replace(about=about))
    yield replace(agreement, is_full=is_full or metrics is not None)
    more = {} if agreement.signature.missing_documents == "error" else {"extra_documents": "ignore"}
    reading = {name: options[name] for name in FileOptions.__annotations__ if name in options}
    lines = disagreement(agreement, paths, {**reading, **more, "on_error": lambda _: None})
    if ctx.params["output_format"] == "table" and ctx.params["output"] in (None, "-") and (costs := "\n".join(lines)):
        more |= {"output": "report.html"} | ({} if project or "," in "".join(pair) else {"names": ",".join(pair)})
        command = corrected(ctx, *words, command="report", values=more, without=NEW)
        write_output(f"\n{costs}\n{command}\n")


def disagreement(agreement: Agreement, files: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines that say what costs most of the CoNLL average, over all pairs; none where analysis is not possible.

    Args:
        agreement: how far the annotators agree.
        files: files of each annotator; standard input and pipes cannot be read again.
        options: options of `arraycoref.analyze_files`.
    """
    from arraycoref.analysis.findings import KINDS

    paths = [source for source in files.values() if not isinstance(source, list)]
    costs = Counter[str]()
    if "conll" not in agreement.metrics or not all(os.path.isfile(path) or os.path.isdir(path) for path in paths):
        return
    for one, other in agreement.pairs:
        annotator = {"annotator": f"key:{one},response:{other}"} if files[one] == files[other] else {}
        with suppress(OptionError):  # such as repeated mentions that count twice
            (cost,) = analyzed(AnalyzedFiles((), files[one], [(other, files[other])]), {**options, **annotator}).costs()
            for player, share in zip(cost.players, cost.shares().tolist(), strict=True):
                kind = next(kind for kind, players in KINDS.items() if player in players)
                costs[kind] += share / len(agreement.pairs)
    if shown := [f"{100 * cost:.1f} by {kind}" for kind, cost in costs.most_common() if cost >= 5e-4]:
        yield f"CoNLL F1 lost: {', '.join(shown)}"
        worst = [f"{printable(name)} {100 * gain:.1f}" for name, gain in islice(agreement.gains.items(), 3)]
        yield from [f"documents that cost most: {', '.join(worst)}"] * (len(worst) > 1)


@cli.command()
def demo(files: str | None = cli.text("FOLDER", "Only write key.conll and response.conll to a new FOLDER.")) -> None:
    """Show a short example, and score it."""
    from importlib import resources

    ctx = click.get_current_context()
    with resources.as_file(resources.files("arraycoref.cli")) as folder:
        key, response = folder / "demo_key.conll", folder / "demo_response.conll"
        if files is not None:
            os.makedirs(files)  # a new one, so that no file of the user is replaced
            for path in (key, response):
                write_output(path.read_text(encoding="utf-8"), os.path.join(files, path.name.removeprefix("demo_")))
            return
        for command in (show, score):
            write_output(f"$ {shlex.join(['arraycoref', str(command.name), str(key), str(response)])}\n\n")
            ctx.invoke(command, key=str(key), response=str(response))


@cli.command()
def warmup() -> None:
    """Compile the kernels in advance, for images and clusters.

    For machines, container images and clusters whose processes score millions of mentions: with less to do, a process
    uses NumPy and compiles nothing.
    """
    from arraycoref.twin import machine_code_of

    start = time.perf_counter()
    arraycoref.warmup()
    seconds = time.perf_counter() - start
    place = machine_code_of("cells.contingency_batch") or "memory only, for no directory is writable"
    click.echo(f"compiled in {seconds:.1f} s; machine code is kept in {place}")
