"""Run the command ``corefud``, which takes the command line of the shared tasks' scorer and prints what it prints."""

from __future__ import annotations

from typing import Any

import click

import arraycoref
from arraycoref.cli import options as cli
from arraycoref.cli.main import COREFUD, Command, write_output
from arraycoref.options import OPTIONS, ReadOptions
from arraycoref.options.policies import PROFILES

METRICS = ("muc", "bcub", "ceafe", "ceafm", "blanc", "lea", "mor", "zero")
"""Metrics of the scorer, in the order in which they are printed."""

LISTED, FLAGS = (*METRICS, "all"), ("-m", "--metrics")


class Scorer(Command):
    """A command whose option -m takes several names, as in ``-m muc bcub``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the names after -m by commas."""
        joined: list[str] = []
        in_list = False
        for arg in args:
            begins, in_list = in_list and joined[-1] in FLAGS, arg in FLAGS or (in_list and arg in LISTED)
            if in_list and arg in LISTED and not begins:
                joined[-1] += f",{arg}"
            else:
                joined.append(arg)
        return super().parse_args(ctx, joined)


@cli.command(
    usual="metrics matching exact_match keep_singletons zeros",
    cls=Scorer,
    examples=(
        "corefud key.conllu response.conllu -m muc bcub ceafe zero",
        "corefud key.conllu response.conllu -a exact -s",
        "corefud key.conllu response.conllu --profile crac",
    ),
    takes=(ReadOptions, ("heads", "missing_documents", "extra_documents", "tokens")),
)
def corefud(
    key: str,
    response: str,
    *,
    metrics: str = cli.text(
        "NAME...", f"Print these: {', '.join(METRICS)} or all.", "-m", "--metrics", group=COREFUD, default="all"
    ),
    matching: str = cli.option(
        "-a",
        "--match",
        group=COREFUD,
        type=click.Choice([*OPTIONS["matching"].choices, "partial-corefud"]),
        default=PROFILES["corefud"].matching,
        help="Match mentions that are not equal by heads, in part, or not at all.",
    ),
    exact_match: bool = cli.flag("The same as -a exact.", "-x", "--exact-match", group=COREFUD),
    keep_singletons: bool = cli.flag("Keep entities of one mention.", "-s", "--keep-singletons", group=COREFUD),
    zeros: str = cli.option(
        "-z",
        "--zero-match-method",
        group=COREFUD,
        type=click.Choice(OPTIONS["zeros"].choices),
        default=PROFILES["corefud"].zeros,
        help="Match zeros by their parents or by their numbers, or drop them.",
    ),
    profile: str = cli.option(
        group=cli.SCORED,
        type=click.Choice(["corefud", "crac"]),
        default="corefud",
        help="Pair mentions as defined, or as the scorer 4fd7b0e does, ties and confused zeros included.",
    ),
    output: str | None = cli.option(type=cli.TARGET, metavar="FILE", help="Write to FILE."),
    quiet: bool = cli.QUIET,
    **options: Any,
) -> None:
    """Score CoNLL-U files as CorefUD's scorer does.

    The options and the output are those of the scorer of the shared tasks on multilingual coreference.
    KEY and RESPONSE are files, directories or quoted globs; RESPONSE may be in any format that score reads, if heads
    come from the key's trees (--heads key-tree) or do not matter.
    """
    from arraycoref.scoring.metrics.registry import resolve_metrics

    names = METRICS if "all" in metrics.split(",") else resolve_metrics(metrics)
    has_mean = "conll" in names or {"muc", "bcub", "ceafe"} <= set(names)
    options |= {"zeros": zeros, "profile": profile}
    options["matching"] = "exact" if exact_match else matching.removesuffix("-corefud")
    options["singletons"] = "keep" if keep_singletons else "drop"
    b = arraycoref.score_files(key, response, metrics=names, **options)
    printed = ""
    for name in [name for name in names if name != "conll"]:
        recall, precision, f1 = (100 * ratio for ratio in (b[name].recall, b[name].precision, b[name].f1))
        printed += f"{name}\nRecall: {recall:.2f}  Precision: {precision:.2f}  F1: {f1:.2f}\n"
    printed += f"CoNLL score: {100 * b.conll:.2f}\n" if has_mean else ""
    if not click.get_current_context().params["quiet"]:
        click.echo(str(b.signature), err=True)
    write_output(printed, output)
