"""Run the command ``corefud``, which takes the command line of the shared tasks' scorer and prints what it prints."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from arraycoref.cli import options as shared
from arraycoref.cli.main import COREFUD, Command, examples, main, refuse, warner, write_output, write_report
from arraycoref.options import OPTIONS, ReadOptions
from arraycoref.options.policies import PROFILES

METRICS = ("muc", "bcub", "ceafe", "ceafm", "blanc", "lea", "mor", "zero")
"""Metrics of the scorer, in the order in which they are printed."""

of_corefud = partial(click.option, cls=shared.InGroup, group=COREFUD)

LISTED, FLAGS = (*METRICS, "all"), ("-m", "--metrics")


class Scorer(Command):
    """A command whose option -m takes several names, as in ``-m muc bcub``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the names behind -m by commas."""
        joined: list[str] = []
        in_list = False
        for arg in args:
            begins, in_list = in_list and joined[-1] in FLAGS, arg in FLAGS or (in_list and arg in LISTED)
            if in_list and arg in LISTED and not begins:
                joined[-1] += f",{arg}"
            else:
                joined.append(arg)
        return super().parse_args(ctx, joined)


@main.command(
    usual="metrics matching exact_match keep_singletons zeros variants output_format",
    cls=Scorer,
    epilog=examples(
        "corefud key.conllu response.conllu -m muc bcub ceafe zero",
        "corefud key.conllu response.conllu -a exact -s",
        "corefud key.conllu response.conllu --variants --format json",
    ),
)
@click.argument("key", metavar="KEY")
@click.argument("response", metavar="RESPONSE")
@of_corefud("-m", "--metrics", metavar="NAME...", default="all", help=f"Print these: {', '.join(METRICS)} or all.")
@of_corefud(
    "-a",
    "--match",
    "matching",
    type=click.Choice([*OPTIONS["matching"].choices, "partial-corefud"]),
    default=PROFILES["corefud"].matching,
    show_default=True,
    help="Match mentions that are not equal by heads, in part, or not at all.",
)
@of_corefud("-x", "--exact-match", is_flag=True, help="The same as -a exact.")
@of_corefud("-s", "--keep-singletons", is_flag=True, help="Keep entities of one mention.")
@of_corefud(
    "-z",
    "--zero-match-method",
    "zeros",
    type=click.Choice(OPTIONS["zeros"].choices),
    default=PROFILES["corefud"].zeros,
    show_default=True,
    help="Match zeros by their parents or by their numbers, or drop them.",
)
@shared.scored(
    "--profile",
    type=click.Choice(["corefud", "crac"]),
    default="corefud",
    show_default=True,
    help="Pair mentions as defined, or as the scorer 4fd7b0e does, ties and confused zeros included.",
)
@shared.option("heads")
@shared.option("missing_documents")
@shared.option("extra_documents")
@shared.option("tokens")
@shared.options_of(ReadOptions)
@shared.variants
@shared.output_options(help="With --variants, print in this format.")
def corefud(
    *,
    key: str,
    response: str,
    metrics: str,
    matching: str,
    exact_match: bool,
    keep_singletons: bool,
    variants: bool,
    output_format: str,
    output: str | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Score CoNLL-U files as CorefUD's scorer does.

    The options and the output are those of the scorer of the shared tasks on multilingual coreference.
    KEY and RESPONSE are files, directories or quoted globs; RESPONSE may be in any format that score reads, if heads
    come from the key's trees (--heads key-tree) or do not matter.
    """
    import arraycoref
    from arraycoref.scoring.metrics.registry import resolve_metrics

    names = METRICS if "all" in metrics.split(",") else resolve_metrics(metrics)
    has_mean = "conll" in names or {"muc", "bcub", "ceafe"} <= set(names)
    options |= {"on_error": warner(quiet)}
    if variants:
        refuse("has no effect with --variants", "matching", "exact_match", "keep_singletons")
        asked = ("mentions", *names, *(["conll"] if has_mean and "conll" not in names else []))
        write_report(arraycoref.score_variants(key, response, metrics=asked, **options), output_format, output)
        return
    refuse("needs --variants", "output_format")
    options["matching"] = "exact" if exact_match else matching.removesuffix("-corefud")
    options["singletons"] = "keep" if keep_singletons else "drop"
    b = arraycoref.score_files(key, response, metrics=names, **options)
    text = ""
    for name in [name for name in names if name != "conll"]:
        recall, precision, f1 = (100 * ratio for ratio in (b[name].recall, b[name].precision, b[name].f1))
        text += f"{name}\nRecall: {recall:.2f}  Precision: {precision:.2f}  F1: {f1:.2f}\n"
    text += f"CoNLL score: {100 * b.conll:.2f}\n" if has_mean else ""
    if not quiet:
        click.echo(str(b.signature), err=True)
    write_output(text, output)
