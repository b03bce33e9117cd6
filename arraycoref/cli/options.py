"""Make the options that several commands share, most of them from `arraycoref.options.OPTIONS`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeVar

import click

from arraycoref.cli.main import BOUNDS, OUTPUT, READING, SCORED, STATISTICS
from arraycoref.options import OPTIONS
from arraycoref.report.formats import FORMATS
from arraycoref.scoring.metrics.registry import DEFAULT_METRICS, METRICS

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

SPELLED = {"format": "--input-format", "method": "--interval"}
"""Options with another name on the command line than in Python, because ``--format`` is the format of the output."""

PER_SIDE = ("unit", "end", "start", "clusters_field", "name_field", "column", "annotator")
"""Options whose values may differ by side: ``key:VALUE``, ``response:VALUE``, or both with a comma."""

GROUP_OF = {"scores": SCORED, "reading": READING, "statistics": STATISTICS, "running": OUTPUT}
"""The groups of the options in `OPTIONS`, by what these change."""

ELSEWHERE = {"lenient": READING, "frame": READING, "metric": SCORED, "field": SCORED, "group": SCORED}
"""The options that stand with others on the command line."""

TYPES = {int: click.INT, float: click.FLOAT, str: click.STRING}

TARGET = click.Path(dir_okay=False, writable=True, allow_dash=True)


class InGroup(click.Option):
    """An option that is in a group of the help text."""

    def __init__(self, *args: Any, group: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.group = group


scored, reading, statistics, bound = (
    partial(click.option, cls=InGroup, group=group) for group in (SCORED, READING, STATISTICS, BOUNDS)
)


def together(*options: Decorator[Any]) -> Decorator[F]:
    """Add several options to a command; ``--help`` lists them in this order."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def option(name: str, **changes: Any) -> Decorator[Any]:
    """Make the command-line option for an entry of `OPTIONS`.

    Click checks the type and the choices; everything else is checked where the value is used, as in Python.

    Args:
        name: key of the entry, and name of the argument that the command receives.
        changes: arguments of `click.option` that replace those made from the entry.
    """
    entry = OPTIONS[name]
    settings: dict[str, Any] = {
        "cls": InGroup,
        "group": ELSEWHERE.get(name, GROUP_OF[entry.about]),
        "help": entry.brief,
    }
    if entry.kind is bool:
        settings["is_flag"] = True
    else:
        # choices with other spellings are checked where they are used
        kind = click.Choice(entry.choices) if entry.choices and not entry.also else TYPES.get(entry.kind)
        shown = "[SIDE:]NAME" if name in PER_SIDE else f"[{'|'.join(entry.choices)}]" if entry.also else "NAME"
        settings |= {"type": kind, "default": entry.default, "metavar": shown if kind is click.STRING else None}
    return click.option(SPELLED.get(name, f"--{name.replace('_', '-')}"), name, **(settings | changes))


def options_of(group: type, **changes: dict[str, Any]) -> Decorator[Any]:
    """Make a command-line option for each key of a function's ``TypedDict``, in the order of `OPTIONS`.

    Args:
        group: the ``TypedDict``. A key whose entry has no text for ``--help`` gets no option.
        changes: by key, arguments of `click.option` that replace those made from the entry.
    """
    names = [name for name, entry in OPTIONS.items() if name in group.__annotations__ and entry.brief]
    return together(*(option(name, **changes.get(name, {})) for name in names))


def choice(
    flag: str, *choices: str, name: str | None = None, make: Callable[..., Decorator[Any]] = click.option, help: str
) -> Decorator[Any]:
    """Make an option that takes one of a few values; the first of them is the default.

    Args:
        flag: the option as it is typed, such as ``--side``.
        choices: the values.
        name: name of the argument that the command receives; None for the name made from the flag.
        make: `click.option`, or the one of a group, such as `reading`.
        help: text for ``--help``.
    """
    names = (flag,) if name is None else (flag, name)
    return make(*names, type=click.Choice(choices), default=choices[0], help=help)


def output_options(*formats: str, help: str = "Print in this format.") -> Decorator[Any]:
    """Make ``--format``, ``--output`` and ``--quiet``.

    Args:
        formats: values of ``--format``; if there are none, the formats that all reports have.
        help: text for ``--help`` on ``--format``.
    """
    return together(
        choice("--format", *(formats or FORMATS), name="output_format", help=help),
        click.option(
            "--output", type=TARGET, metavar="FILE", help="Write to FILE, all or nothing.  [default: standard output]"
        ),
        quiet,
    )


sampling: Decorator[Any] = together(
    option("confidence"),
    option("resample_by", metavar="document|entity|component|REGEX"),
    option("resamples"),
    option("seed", type=click.INT),
)
testing: Decorator[Any] = together(option("test"), option("correction"), option("alpha"), option("method"))
metrics = scored(
    "--metrics",
    multiple=True,
    metavar="NAME,...",
    help=f"Score these; by default {', '.join(DEFAULT_METRICS)}; on request "
    f"{', '.join(name for name, each in METRICS.items() if each.common and name not in DEFAULT_METRICS)}; more: "
    "docs/metrics.md.",
)
field = option("field")
pool = together(
    scored(
        "--pool",
        metavar="NAME",
        help="Add up runs that differ only in this parameter, such as seed.",
    ),
    option("group", metavar="REGEX"),
)
analyzing: Decorator[Any] = together(
    scored(
        "--spans",
        type=click.Choice(("head", "text", "none")),
        help="Find mentions whose span alone is wrong by their heads, or last words; by their text without English "
        "articles and punctuation, then heads; or not.  [default: head, if mentions are spans of words]",
    ),
    scored(
        "--pronouns/--no-pronouns",
        default=True,
        show_default=False,
        help="Let an entity's head mention be its first that is no pronoun.  [default: if parts of speech are known]",
    ),
)
systems = together(
    click.argument("key"),
    click.argument("systems", nargs=-1, metavar="SYSTEM..."),
    scored(
        "--systems-in",
        metavar="DIR",
        help="Make each file and each folder in DIR a system, as the quoted 'DIR/*' does.",
    ),
)
by = scored(
    "--by",
    metavar="REGEX",
    help="Show groups of documents too, and the total: REGEX finds the group in a document's name, '_([a-z]+)_'.",
)
per_document = click.option("--per-document", is_flag=True, help="Print each document's scores.")
sort = click.option(
    "--sort", metavar="NAME[.FIELD]", help="Print each document's scores, by this one, the worst first: muc.recall."
)
worst = click.option(
    "--worst",
    type=click.IntRange(min=1),
    metavar="N",
    help="Print the scores of the N worst documents, by --sort or else by conll or the first of --metrics.",
)
variants = scored(
    "--variants", is_flag=True, help="Print the columns of CorefUD's tasks: head, partial, exact, head with singletons."
)
macro = scored("--macro", is_flag=True, help="Print means over documents.")
progress = click.option(
    "--progress/--no-progress",
    default=lambda: sys.stderr is not None and sys.stderr.isatty() and find_spec("tqdm") is not None,
    show_default=False,
    help="Show a bar on long work.  [default: in a terminal with tqdm]",
)
quiet = click.option("--quiet", is_flag=True, help="Print no warnings and no progress bar.")
